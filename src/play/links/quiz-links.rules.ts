/** Begins the token of a link in a URL: a quiz's slug never contains it. */
export const MARK = '~';

/** Whether the last part of a player's URL is a link's, and not a quiz's slug. */
export const isLink = (slug: string): boolean => slug.startsWith(MARK);
