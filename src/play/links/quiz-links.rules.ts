/** Begins the token of a link in a URL: a quiz's slug never contains it. */
export const MARK = '~';

/** The token of a link; undefined for a slug that cannot be one. */
export const tokenOf = (slug: string): string | undefined => TOKEN.exec(slug)?.[1];
const TOKEN = new RegExp(`^${MARK}([\\w-]{22})$`);

/** Whether the last part of a player's URL is a link's, and not a quiz's slug. */
export const isLink = (slug: string): boolean => slug.startsWith(MARK);
