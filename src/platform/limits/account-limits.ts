const SIGN_IN_TESTS = 'test/api/dashboard-sign-in.spec.ts';
const RETRY_TESTS = 'test/api/webhook-manual-retry.spec.ts';

/** Guesses and costly actions, counted in AttemptLimits: a section of the table of limits (limits.ts). */
export const attempts = {
  signInByAddress: {
    value: 30,
    unit: 'in 15 minutes',
    what: 'Sign-ins, right or wrong, from unknown browsers',
    per: 'client address',
    beyond: '429 that says when to try again',
    test: `${SIGN_IN_TESTS} › over many accounts ends after thirty tries from one address`,
  },
  signInByAccountAndAddress: {
    value: 10,
    unit: 'in 15 minutes',
    what: 'Wrong passwords for an account from unknown browsers',
    per: 'account and client address',
    beyond: '429 that says when to try again',
    test: `${SIGN_IN_TESTS} › of one account from one network locks nobody out elsewhere`,
  },
  signInByAccount: {
    value: 100,
    unit: 'in 15 minutes',
    what: 'Wrong passwords for an account from unknown browsers at all addresses',
    per: 'account',
    beyond: '429: browsers that have signed in before are not affected',
    test: `${SIGN_IN_TESTS} › of one account from many networks locks out no browser that has signed in before`,
  },
  signInByDevice: {
    value: 10,
    unit: 'in 15 minutes',
    what: 'Wrong passwords from a browser that has signed in to the account before',
    per: 'browser and account',
    beyond: '429 that says when to try again',
    test: `${SIGN_IN_TESTS} › from a known browser ends after ten tries as well`,
  },
  passwordChange: {
    value: 10,
    unit: 'in 15 minutes',
    what: 'Wrong present passwords when the password is changed',
    per: 'account',
    beyond: '429 that says when to try again',
    test: `${SIGN_IN_TESTS} › at the present password of an open session ends after ten, and stops no sign-in`,
  },
  signUpByAddress: {
    value: 10,
    unit: 'in an hour',
    what: 'Sign-ups',
    per: 'client address',
    beyond: '429 that says when to try again',
    test: `${SIGN_IN_TESTS} › ends for an address after ten in an hour`,
  },
  setUpByAddress: {
    value: 10,
    unit: 'in 15 minutes',
    what: 'Uses of the link for the first administrator',
    per: 'client address',
    beyond: '429 that says when to try again',
    test: `${SIGN_IN_TESTS} › is tried ten times in 15 minutes from one address at most`,
  },
  // A school plays from one address.
  playByAddress: {
    value: 300,
    unit: 'in 15 minutes',
    what: 'Attempts that visitors start',
    per: 'client address',
    beyond: '429 that says when to try again',
    test: 'test/api/player-page.spec.ts › starts 300 attempts in a quarter of an hour for an address, and then says when to come back',
  },
  playCountedByVisitor: {
    value: 1,
    unit: 'in 24 hours',
    what: 'Plays of a quiz on its page that count',
    per: 'browser and quiz',
    beyond: 'the attempt is scored, and `plays` stays',
    test: 'test/api/player-page.spec.ts › counts one play a day of one browser and of one network, and none without an answer',
  },
  playCountedByNetwork: {
    value: 1,
    unit: 'in 24 hours',
    what: 'Plays of a quiz on its page that count',
    per: 'client address (IPv6 by /64) and quiz',
    beyond: 'the attempt is scored, and `plays` stays',
    test: 'test/api/player-page.spec.ts › counts one play a day of one browser and of one network, and none without an answer',
  },
  testByEndpoint: {
    value: 6,
    unit: 'in a minute',
    what: 'Webhook test events',
    per: 'endpoint',
    beyond: '429 that says when to try again',
    test: `${RETRY_TESTS} › an endpoint has six test events a minute, and an account twelve`,
  },
  testByAccount: {
    value: 12,
    unit: 'in a minute',
    what: 'Webhook test events',
    per: 'account',
    beyond: '429 that says when to try again',
    test: `${RETRY_TESTS} › an endpoint has six test events a minute, and an account twelve`,
  },
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
  sessions: {
    value: 20,
    unit: 'sessions',
    what: 'Sessions of the dashboard at one time',
    per: 'account',
    beyond: 'the session that was used longest ago ends',
    test: `${SIGN_IN_TESTS} › beyond twenty of an account ends the one that was used longest ago`,
  },
} as const;
