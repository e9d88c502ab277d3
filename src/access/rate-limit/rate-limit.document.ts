import { TooManyWaiting } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import type { DocumentOptions } from '../../platform/openapi/complete';
import { header, wholeNumber } from '../../platform/openapi/fields';

/** What the document says about the rate limit (specification, part 8). */
export const RATE_LIMITED: DocumentOptions['everywhere'] = {
  headers: {
    'RateLimit-Limit': header(
      'Requests that your address may make in any minute; your key, if an administrator has given it a rate of its own.',
      wholeNumber(60),
    ),
    'RateLimit-Remaining': header('How many of them are left.', wholeNumber(57)),
    'RateLimit-Reset': header(
      'Seconds until the oldest request that counts is a minute old, and may be made again.',
      wholeNumber(42),
    ),
  },
  failures: [
    {
      status: 429,
      name: 'rate-limit-exceeded',
      title: 'Too many requests in a minute',
      error: 'Rate limit exceeded. Please try again later.',
      fix: 'Wait for the number of seconds in `Retry-After`, then continue. Every response carries `RateLimit-Remaining`, so that you can slow down before. Failed requests count too; all your processes behind one address share the limit. A server that needs more asks an administrator for a rate of its key’s own.',
      headers: {
        'Retry-After': header(
          'Whole seconds to wait, 1 to 60.',
          wholeNumber(17, { minimum: 1, maximum: 60 }),
        ),
      },
    },
    {
      status: 429,
      name: 'too-many-waiting-requests',
      title: 'Too many requests of the account or address are waiting',
      error: new TooManyWaiting().message,
      fix: `The service processes a few requests of an account at a time, or of an address if there is no key or a play key. Up to ${LIMITS.requests.waiting.value} wait for their turn, or ${LIMITS.requests.waitingPlays.value} that play quizzes. Send fewer requests at once; nothing was done for this one.`,
    },
  ],
};
