/**
 * The names of causes in the header X-Error-Code. Clients branch on them, so a name never changes, and a new cause gets
 * a new name. The OpenAPI document has an example of each under the same name (`Failure`).
 */
export const ERROR_CODES = [
  // 400
  'invalid-parameter',
  'page-too-large',
  'body-not-json',
  'file-not-received',
  'invalid-idempotency-key',
  'malformed-request',
  // 401
  'invalid-key',
  // 403
  'scope-missing',
  'origin-not-allowed',
  'plan-required',
  'quota-reached',
  'not-owner',
  'live-quiz-needs-publish',
  'administrators-only',
  'links-not-allowed',
  'time-factor-not-allowed',
  'webhook-limit-reached',
  // 404
  'quiz-not-found',
  'question-not-found',
  'attempt-not-found',
  'link-not-found',
  'import-not-found',
  'webhook-endpoint-not-found',
  'delivery-not-found',
  'account-not-found',
  'route-not-found',
  // 405 to 408
  'method-not-allowed',
  'not-acceptable',
  'request-timeout',
  // 409
  'idempotency-key-in-use',
  'response-dropped',
  'not-rejected',
  'import-ended',
  'import-under-way',
  'too-many-imports',
  'export-under-way',
  'wrong-rotation-step',
  'endpoint-disabled',
  'last-administrator',
  'account-not-deletable',
  // 410, 412, 413, 415
  'event-not-stored',
  'precondition-failed',
  'body-too-large',
  'file-too-large',
  'unsupported-media-type',
  // 422
  'invalid-body',
  'invalid-picture',
  'unknown-category',
  'content-limit',
  'not-a-permutation',
  'link-limit-reached',
  'idempotency-key-reused',
  'nothing-to-play',
  'too-many-versions',
  'no-question-matches',
  'attempt-expired',
  'attempt-submitted',
  'time-over',
  'no-attempts-left',
  'answer-revealed',
  // 429, 431
  'rate-limit-exceeded',
  'too-many-waiting-requests',
  'too-many-webhook-attempts',
  'headers-too-large',
  // 500, 503
  'internal-error',
  'took-too-long',
  'overloaded',
  'unavailable',
  'not-ready',
] as const;

/** Causes of everything outside /api/v1 (pages, pictures, /opentdb, /mcp): their message says all. */
export const OTHER_CODES = [
  'forbidden',
  'not-found',
  'conflict',
  'gone',
  'too-large',
  'limit-reached',
  'too-many-attempts',
] as const;

/** A cause that the API names. */
export type ApiErrorCode = (typeof ERROR_CODES)[number];

export type ErrorCode = ApiErrorCode | (typeof OTHER_CODES)[number];

const known = new Set<string>(ERROR_CODES);

/** `webhook-endpoint-not-found` for `Webhook endpoint`. */
export function notFoundCode(what: string): ErrorCode {
  const code = `${what.toLowerCase().replaceAll(' ', '-')}-not-found`;
  return known.has(code) ? (code as ErrorCode) : 'not-found';
}
