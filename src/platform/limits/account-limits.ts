const SIGN_IN_TESTS = 'test/api/dashboard-sign-in.spec.ts';
const RETRY_TESTS = 'test/api/webhook-manual-retry.spec.ts';

const countedPlays = {
  value: 1,
  unit: 'in 24 hours',
  what: 'Plays of a quiz on its page that count',
  beyond: 'the attempt is scored, and `plays` stays',
  test: 'test/api/player-page.spec.ts › the page counts one play a day per browser and network, and none without an answer',
} as const;

const testEvents = {
  unit: 'in a minute',
  what: 'Webhook test events',
  beyond: '429 that says when to try again',
  test: `${RETRY_TESTS} › an endpoint has six test events a minute, and an account twelve`,
} as const;

/** Guesses and costly actions, counted in AttemptLimits: a section of the table of limits (limits.ts). */
export const attempts = {
  signInByAddress: {
    value: 30,
    unit: 'in 15 minutes',
    what: 'Sign-ins, right or wrong, from unknown browsers',
    per: 'client address',
    beyond: '429 that says when to try again',
    test: `${SIGN_IN_TESTS} › sign-in from one address is limited to thirty attempts over all accounts`,
  },
  signInByAccountAndAddress: {
    value: 10,
    unit: 'in 15 minutes',
    what: 'Wrong passwords for an account from unknown browsers',
    per: 'account and client address',
    beyond: '429 that says when to try again',
    test: `${SIGN_IN_TESTS} › guessing from one network does not lock the account out of another`,
  },
  signInByAccount: {
    value: 100,
    unit: 'in 15 minutes',
    what: 'Wrong passwords for an account from unknown browsers at all addresses',
    per: 'account',
    beyond: '429: browsers that have signed in before are not affected',
    test: `${SIGN_IN_TESTS} › guessing from many networks does not lock out a known browser`,
  },
  signInByDevice: {
    value: 10,
    unit: 'in 15 minutes',
    what: 'Wrong passwords from a browser that has signed in to the account before',
    per: 'browser and account',
    beyond: '429 that says when to try again',
    test: `${SIGN_IN_TESTS} › a known browser has ten attempts, and its cookie does not help with another account`,
  },
  passwordChange: {
    value: 10,
    unit: 'in 15 minutes',
    what: 'Wrong present passwords when the password is changed',
    per: 'account',
    beyond: '429 that says when to try again',
    test: `${SIGN_IN_TESTS} › guessing the current password in a session is limited to ten, without blocking sign-in`,
  },
  signUpByAddress: {
    value: 10,
    unit: 'in an hour',
    what: 'Sign-ups',
    per: 'client address',
    beyond: '429 that says when to try again',
    test: `${SIGN_IN_TESTS} › sign-up is limited to ten attempts an hour from one address`,
  },
  setUpByAddress: {
    value: 10,
    unit: 'in 15 minutes',
    what: 'Uses of the link for the first administrator',
    per: 'client address',
    beyond: '429 that says when to try again',
    test: `${SIGN_IN_TESTS} › the set-up is limited to ten attempts in 15 minutes from one address`,
  },
  // A school plays from one address.
  playByAddress: {
    value: 300,
    unit: 'in 15 minutes',
    what: 'Attempts that visitors start',
    per: 'client address',
    beyond: '429 that says when to try again',
    test: 'test/api/player-page.spec.ts › an address can start 300 attempts in 15 minutes, then gets 429 with Retry-After',
  },
  playCountedByVisitor: { ...countedPlays, per: 'browser and quiz' },
  playCountedByNetwork: { ...countedPlays, per: 'client address (IPv6 by /64) and quiz' },
  testByEndpoint: { ...testEvents, value: 6, per: 'endpoint' },
  testByAccount: { ...testEvents, value: 12, per: 'account' },
  retryByAccount: {
    value: 60,
    unit: 'in 15 minutes',
    what: 'Retries of single webhook deliveries',
    per: 'account',
    beyond: '429 that says when to try again',
    test: `${RETRY_TESTS} › an account has 60 retries in 15 minutes`,
  },
  bulkRetryByAccount: {
    value: 6,
    unit: 'in 15 minutes',
    what: 'Retries of all failed webhook deliveries since a time',
    per: 'account',
    beyond: '429 that says when to try again',
    test: `${RETRY_TESTS} › an account has six bulk retries in 15 minutes`,
  },
} as const;

/** What an account may have at one time: another section. */
export const accounts = {
  auditDays: {
    value: 365,
    unit: 'days',
    what: 'Entries of the audit log',
    per: 'service',
    beyond: 'older entries are deleted hourly; younger ones cannot be deleted',
    test: 'test/api/audit-log.spec.ts › audit entries cannot be changed or deleted until retention deletes them after a year',
  },
  keys: {
    value: 50,
    unit: 'keys',
    what: 'API keys that work',
    per: 'account',
    beyond: '403 that says what to do',
    test: 'test/api/dashboard-acts.spec.ts › an account has at most fifty working keys, also when two are issued at once',
  },
  endpoints: {
    value: 20,
    unit: 'endpoints',
    what: 'Webhook endpoints',
    per: 'account',
    beyond: '403 that says what to do',
    test: 'test/api/webhook-endpoints.spec.ts › an account has at most 20 endpoints, also when they are added at once',
  },
  sessions: {
    value: 20,
    unit: 'sessions',
    what: 'Sessions of the dashboard at one time',
    per: 'account',
    beyond: 'the session that was used longest ago ends',
    test: `${SIGN_IN_TESTS} › a twenty-first session ends the least recently used one`,
  },
} as const;
