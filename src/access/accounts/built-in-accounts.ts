/** The account that owns the starter quizzes: an administrator, so that they are approved at creation. Nobody signs in to it. */
export const CATALOGUE_ACCOUNT = 'catalogue@quiz.invalid';

/**
 * The account of the demo key that `npm start` prints. The first administrator takes it over, with its quizzes. Its keys
 * are revoked then: they were printed, and must not get the rights of an administrator.
 */
export const DEMO_ACCOUNT = 'demo@quiz.invalid';

/** In place of the address of a deleted account. */
export const deletedAddress = (accountId: string): string => `deleted-${accountId}@quiz.invalid`;

/** Whether the service has made the account itself: no person belongs to it. */
export const isBuiltIn = ({ email }: { email: string }): boolean =>
  email === CATALOGUE_ACCOUNT || email === DEMO_ACCOUNT;
