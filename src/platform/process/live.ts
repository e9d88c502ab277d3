/** The response of `/health/live`: the process runs. By it a start recognises this service on a port. */
export const LIVE = { success: true, data: { status: 'live' } };
