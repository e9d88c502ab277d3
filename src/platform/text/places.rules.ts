/** Whether a path is one of the API's, unknown ones included. Routes match whatever their case. */
export const isApi = (path: string): boolean => /^\/api\/v1(?=[/?]|$)/i.test(path);

/** Whether a path is asked by load balancers: always answered, and never limited. */
export const isHealth = (path: string): boolean => /^\/health(?=[/?]|$)/i.test(path);
