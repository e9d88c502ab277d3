/** The body of `/health/live`. */
export const LIVE = { success: true, data: { status: 'live' } };
