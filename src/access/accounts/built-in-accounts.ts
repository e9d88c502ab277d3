/** Mail to this domain reaches nobody (RFC 2606). */
const OWN_DOMAIN = '@quiz.invalid';

/** The account that owns the starter quizzes: an administrator, so that they are approved at creation. Nobody signs in to it. */
export const CATALOGUE_ACCOUNT = `catalogue${OWN_DOMAIN}`;

/**
 * The account of the demo key that `npm start` prints. The first administrator takes it over, with its quizzes. Its keys
 * are revoked then: they were printed, and must not get the rights of an administrator.
 */
export const DEMO_ACCOUNT = `demo${OWN_DOMAIN}`;

/** In place of the address of a deleted account. */
export const deletedAddress = (accountId: string): string => `deleted-${accountId}${OWN_DOMAIN}`;

/** Whether only the service itself gives accounts this address. */
export const isReserved = (email: string): boolean => email.toLowerCase().endsWith(OWN_DOMAIN);

/** Whether the service has made the account itself: no person belongs to it. */
export const isBuiltIn = ({ email }: { email: string }): boolean =>
  email === CATALOGUE_ACCOUNT || email === DEMO_ACCOUNT;
