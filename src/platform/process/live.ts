/** The body of `/health/live`. At a start it identifies another instance of this service on the port. */
export const LIVE = { success: true, data: { status: 'live' } };
