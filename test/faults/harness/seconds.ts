/** The time since then, for a note: `1.5 s`. @param since milliseconds since 1970 */
export const seconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(1)} s`;
