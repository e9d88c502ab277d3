import { Unavailable } from '../errors/domain-errors';
import type { Failure, Trait } from '../openapi/operation';

/** What the reference says of every request, of answers in JSON, and of requests with a JSON body. */

export const EVERY_REQUEST: Trait = {
  everyAnswer: {
    'X-Request-Id': {
      description:
        'The name of this request, for when you ask about it. It is your own `X-Request-Id` if you have sent one of 1 to 64 letters, digits, `-` and `_`.',
      schema: { type: 'string', examples: ['5b0a5f86-52c5-4f0c-9c7d-3a6a0a9f2b41'] },
    },
    'Cache-Control': {
      description:
        'Who may keep this answer: to a read with a key in a header your own cache, which asks each time (`private, no-cache`); to a read that needs no key any cache for a while (`public, max-age=30`); to everything else nobody (`no-store`).',
      schema: { type: 'string', examples: ['private, no-cache'] },
    },
  },
  failures: [
    {
      status: 500,
      name: 'internal-error',
      title: 'A fault of ours',
      error: 'Something went wrong.',
      fix: 'Try again after a moment. If it stays, tell whoever runs the service the `X-Request-Id` of the answer: the log has the rest under it.',
    },
  ],
};

/** Of what asks the database for as much as the client wants. */
export const TOO_SLOW: Failure = {
  status: 503,
  name: 'took-too-long',
  title: 'The request took too long',
  error:
    'The request took longer than a request may take. Narrow it, for example by a category or a difficulty, or send it again later.',
  fix: 'It was stopped after about 15 seconds, and what it had changed is undone. Search with fewer tags, a longer `topic` or more filters; or wait as many seconds as `Retry-After` says and send it again.',
  headers: {
    'Retry-After': {
      description: 'Whole seconds to wait.',
      schema: { type: 'integer', minimum: 1, examples: [30] },
    },
  },
};

/** Of what needs the database, while that cannot be used. */
export const UNAVAILABLE: Failure = {
  status: 503,
  name: 'unavailable',
  title: 'The service is temporarily unavailable',
  error: new Unavailable().message,
  fix: 'Wait as many seconds as `Retry-After` says and send the request again, a POST with its `Idempotency-Key`. Without one look first whether it was done: the connection may have been lost after the change was made.',
  headers: {
    'Retry-After': {
      description: 'Whole seconds to wait.',
      schema: { type: 'integer', minimum: 1, examples: [5] },
    },
  },
};

/** Of everything but the health checks, while the event loop is late. */
export const OVERLOADED: Failure = {
  status: 503,
  name: 'overloaded',
  title: 'The service is overloaded',
  error:
    'The service is overloaded and did not begin this request. Send it again in a few seconds.',
  fix: 'Nothing was done. Wait as many seconds as `Retry-After` says and send the request again.',
  headers: TOO_SLOW.headers,
};

export const JSON_ANSWER: Trait = {
  failures: [
    {
      status: 406,
      name: 'not-acceptable',
      title: 'The header Accept excludes JSON',
      error:
        'The answer is JSON, which the header Accept excludes. Send Accept: application/json, or none.',
      fix: 'Send `Accept: application/json`, or leave the header out. It is checked after the key and the plan, before the body is read. Files come from the export, whose `format` says which.',
    },
  ],
};

export const JSON_BODY: Trait = {
  failures: [
    {
      status: 400,
      name: 'body-not-json',
      title: 'The body is not JSON',
      error: 'The body is not valid JSON.',
      fix: 'Send the header `Content-Type: application/json` and one JSON object in UTF-8, nested at most 32 levels deep.',
    },
    {
      status: 413,
      name: 'body-too-large',
      title: 'The body is too large',
      error: 'The body is larger than 1 MiB. Send less in one request.',
      fix: 'Stay below 1 MiB and 10,000 values: split what you send into several requests.',
    },
  ],
};
