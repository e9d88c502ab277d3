/** The errors of requests that cannot be read to their end: nothing is thrown for them. */
export const UNREAD_MESSAGES = {
  headersTooLarge: 'The URL and headers of the request are longer than 16 KiB. Shorten them.',
  tooSlow: 'The request took too long to arrive. Send it again over a faster connection.',
};
