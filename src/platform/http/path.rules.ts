/** Whether a path belongs to the API, to /mcp or to /opentdb, known or not. Case is ignored, as in routes. */
export const isApi = (path: string): boolean => /^\/(?:api\/v1|mcp|opentdb)(?=[/?]|$)/i.test(path);

/** The files of pages: scripts, styles, fonts. */
export const ASSETS_AT = '/dashboard/assets/';

/** Whether a path is a file that pages show, and no page: an asset, a picture, an icon. */
export const isFileOfPages = (path: string): boolean =>
  [ASSETS_AT, '/media/', '/favicon'].some((prefix) => path.toLowerCase().startsWith(prefix));

/** Whether a path is a page within a page of another site. */
export const isEmbedded = (path: string): boolean => /^\/embed\//i.test(path);

/** Whether load balancers call this path: it is always served and never limited. */
export const isHealth = (path: string): boolean => /^\/health(?=[/?]|$)/i.test(path);
