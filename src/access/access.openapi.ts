import type { Trait } from '../platform/openapi/operation';
import { wholeNumber } from '../platform/openapi/schema';

/** What the reference says of keys, plans and the rate limit (specification, parts 5 and 8). */

/** One scheme alone: of several, generated clients send the key by all of them, in the URL too. */
export const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      '`Authorization: Bearer svc_live_…`. Keys are issued on the account page; `svc_test_` keys are for testing and staging. ' +
      'The key is also accepted in the header `X-Api-Key` and, where headers are not possible, as the query parameter `api_key` or `apiKey`. ' +
      'Avoid the latter two in production: URLs get logged.',
  },
};

export const NEEDS_KEY: Trait = {
  secured: true,
  failures: [
    {
      status: 401,
      name: 'invalid-api-key',
      title: 'The API key is missing or invalid',
      error: 'Invalid API key.',
      fix: 'Send the key as `Authorization: Bearer …`, whole and once. The answer is the same for a key that is mistyped, expired, revoked, or of another environment: compare its beginning and its last four characters with the list on the account page, or issue a new one.',
      headers: {
        'WWW-Authenticate': {
          description: 'How to authenticate.',
          schema: { type: 'string', examples: ['Bearer'] },
        },
      },
    },
  ],
};

export const NEEDS_PLAN: Trait = {
  failures: [
    {
      status: 403,
      name: 'plan-required',
      title: 'The plan does not include this',
      error:
        'A Starter or Pro plan is needed to create quizzes and import questions. Upgrade your plan to go on.',
      fix: 'Use a key of an account with a Starter or Pro plan, or have the plan changed. Reading and playing work with every plan.',
    },
  ],
};

export const RATE_LIMITED: Trait = {
  everyAnswer: {
    'RateLimit-Limit': {
      description: 'Requests that your address has in any minute.',
      schema: wholeNumber(60),
    },
    'RateLimit-Remaining': {
      description: 'How many of them are left.',
      schema: wholeNumber(57),
    },
    'RateLimit-Reset': {
      description:
        'Seconds until the oldest request that counts is a minute old, and may be made again.',
      schema: wholeNumber(42),
    },
  },
  failures: [
    {
      status: 429,
      name: 'rate-limit-exceeded',
      title: 'Too many requests in a minute',
      error: 'Rate limit exceeded. Please try again later.',
      fix: 'Wait as many seconds as `Retry-After` says, then go on. Every answer carries `RateLimit-Remaining`, so that you can slow down before. Failed requests count too; all your processes behind one address share it.',
      headers: {
        'Retry-After': {
          description: 'Whole seconds to wait, 1 to 60.',
          schema: wholeNumber(17, { minimum: 1, maximum: 60 }),
        },
      },
    },
  ],
};
