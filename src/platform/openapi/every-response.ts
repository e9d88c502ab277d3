import { SESSION } from '../database/deadline-client';
import { SECOND } from '../durations';
import { Overloaded, StatementTimeout, Unavailable } from '../errors/domain-errors';
import { UNREAD_MESSAGES } from '../http/server/unread-messages';
import { LIMITS } from '../limits/limits';
import type { DocumentOptions } from './complete';
import type { Failure } from './failures';
import { header } from './fields';
import type { HeaderObject } from './openapi-objects';

/** What the document says about every response, and the errors that every request can get. */
export const EVERY_RESPONSE: DocumentOptions['outside'] = {
  headers: {
    'X-Request-Id': header(
      'The id of this request: quote it when you report a problem. It is your own `X-Request-Id` if you sent one of 1 to 64 letters, digits, `-` and `_`.',
      { type: 'string', examples: ['5b0a5f86-52c5-4f0c-9c7d-3a6a0a9f2b41'] },
    ),
    'Cache-Control': header(
      'Who may cache this response. A read of JSON with a key in a header: your own cache, which must revalidate it (`private, no-cache`). A read that needs no key: any cache, for 30 or 60 seconds (`public, max-age=…`). Everything else, such as an export: nobody (`no-store`).',
      { type: 'string', examples: ['private, no-cache'] },
    ),
  },
  failures: [
    {
      status: 500,
      name: 'internal-error',
      title: 'Internal error',
      error: 'Something went wrong.',
      fix: 'Try again after a moment. If the error persists, report the `X-Request-Id` of the response to the operator, who can find the request in the log.',
    },
  ],
};

/** What the document says about names that nothing reads. */
export const IGNORED_NAMES: DocumentOptions['everywhere']['headers'] = {
  'X-Ignored': header(
    `Query parameters and body fields that this endpoint does not have, separated by commas: they were ignored, and are often misspelled. It names at most ${LIMITS.requests.ignoredNames.value}, each cut to ${LIMITS.requests.ignoredNameLength.value} characters, with \`?\` for characters outside of ASCII. Fields of objects are named with their path, for example \`questions[].answrs\`.`,
    { type: 'string', examples: ['dificulty'] },
    false,
  ),
};

const REQUEST_ID = { 'X-Request-Id': EVERY_RESPONSE.headers['X-Request-Id'] as HeaderObject };

/** Responses to requests that are refused before they are read: these headers are all they have. */
export const UNREAD: Record<'any' | 'withBody', DocumentOptions['outside']> = {
  any: {
    headers: REQUEST_ID,
    failures: [
      {
        status: 431,
        name: 'headers-too-large',
        title: 'The URL and headers are too large',
        error: UNREAD_MESSAGES.headersTooLarge,
        fix: 'Send long filters in several requests, and remove cookies and headers that the service does not need.',
      },
    ],
  },
  withBody: {
    headers: REQUEST_ID,
    failures: [
      {
        status: 408,
        name: 'request-timeout',
        title: 'The body arrived too slowly',
        error: UNREAD_MESSAGES.tooSlow,
        fix: `Send the body within ${LIMITS.connections.bodyWithin.value / SECOND} seconds; a file may take longer while it makes progress.`,
      },
    ],
  },
};

const retryAfter = (seconds: number): Failure['headers'] => ({
  'Retry-After': header('Whole seconds to wait.', {
    type: 'integer',
    minimum: 1,
    examples: [seconds],
  }),
});

/**
 * Errors of requests that need too much of the database, or arrive while the database or event loop is unavailable.
 */
export const UNAVAILABLE: Failure[] = [
  {
    status: 503,
    name: 'took-too-long',
    title: 'The request took too long',
    error: new StatementTimeout().message,
    fix: `It was cancelled after about ${SESSION.statement_timeout / SECOND} seconds, or after repeated deadlocks with other requests, and its changes were rolled back. Search with fewer tags, a longer \`topic\` or more filters; or wait for the number of seconds in \`Retry-After\` and send it again.`,
    headers: retryAfter(30),
  },
  {
    status: 503,
    name: 'overloaded',
    title: 'The service is overloaded',
    error: new Overloaded().message,
    fix: 'Nothing was done. Wait for the number of seconds in `Retry-After` and send the request again.',
    headers: retryAfter(2),
  },
  {
    status: 503,
    name: 'unavailable',
    title: 'The service is temporarily unavailable',
    error: new Unavailable().message,
    fix: 'Wait for the number of seconds in `Retry-After` and send the request again, a POST with its `Idempotency-Key`. Without a key, check first whether it took effect: the connection may have been lost after the change was made.',
    headers: retryAfter(5),
  },
];

export const EXAMPLE_TAG = 'W/"2jmj7l5rSw0yVb_vlWAYkK_YBwk"';
const ETAG = {
  ETag: header(
    'Identifies the body that you get. Keep it with the body, and send it in `If-None-Match` when you read again, or in `If-Match` when you change the resource.',
    { type: 'string', pattern: '^W/"[\\w-]+"$', examples: [EXAMPLE_TAG] },
  ),
};

/** What the document says about every GET whose responses have an ETag. */
export const CONDITIONAL_READ: DocumentOptions['conditional'] = {
  parameter: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of your copy: if it is current, you get 304 without a body.',
    schema: { type: 'string', examples: [EXAMPLE_TAG] },
  },
  responses: {
    304: { description: 'Your copy is still current. There is no body.', headers: ETAG },
  },
};
