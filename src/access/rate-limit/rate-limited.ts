import type { DocumentOptions } from '../../platform/openapi/complete';
import { header, wholeNumber } from '../../platform/openapi/fields';

/** What the document says of the rate limit (specification, part 8). */
export const RATE_LIMITED: DocumentOptions['everywhere'] = {
  headers: {
    'RateLimit-Limit': header('Requests that your address has in any minute.', wholeNumber(60)),
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
      fix: 'Wait as many seconds as `Retry-After` says, then go on. Every response carries `RateLimit-Remaining`, so that you can slow down before. Failed requests count too; all your processes behind one address share it. More than 200 requests of one account that wait at once get it too.',
      headers: {
        'Retry-After': header(
          'Whole seconds to wait, 1 to 60.',
          wholeNumber(17, { minimum: 1, maximum: 60 }),
        ),
      },
    },
  ],
};
