import type { components } from './api.ts';

/** A validation error of the request's body, as a 422 lists them. */
export type Issue = components['schemas']['Issue'];

/** The base class of all errors of the client. */
export class QuizServiceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/**
 * There was no complete response: a network error, a timeout, or a service that is down. See `cause`. Requests that are
 * safe to repeat have been retried.
 */
export class ConnectionError extends QuizServiceError {}

/** The contents of an error response. */
export interface Refusal {
  status: number;
  /** The error message of the response. */
  message: string;
  /** `X-Error-Code`, such as `plan-required`. Null if the response came from a proxy. */
  code: string | null;
  /** All validation errors of a 422; otherwise empty. */
  details: Issue[];
  /** `X-Request-Id`, which operators need to find the request in the log. */
  requestId: string | null;
  /** `Retry-After` in seconds; null if the response has none. */
  retryAfter: number | null;
  /** The current `ETag` of the resource, with a 412. */
  etag: string | null;
}

/** The service responded with an error. `message` is the error message of the response. */
export class ApiError extends QuizServiceError {
  readonly status: number;
  readonly code: string | null;
  readonly details: Issue[];
  readonly requestId: string | null;
  readonly retryAfter: number | null;
  readonly etag: string | null;

  constructor({ status, message, code, details, requestId, retryAfter, etag }: Refusal) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.etag = etag;
  }
}

/** 400: a parameter, a header or the body is invalid. */
export class BadRequestError extends ApiError {}
/** 401: the API key is missing, invalid, revoked or for the other environment. */
export class AuthenticationError extends ApiError {}
/** 403: the plan, the quota or the ownership of the quiz does not allow the request. */
export class PermissionError extends ApiError {}
/** 404: the resource does not exist, or this key has no access to it. */
export class NotFoundError extends ApiError {}
/** 409: the current state does not allow the request, or a request with the same Idempotency-Key is still in progress. */
export class ConflictError extends ApiError {}
/** 412: the resource has changed since the version in `ifMatch`; `etag` is the current version. */
export class PreconditionFailedError extends ApiError {}
/** 422: the body is invalid (`details` lists all errors), or the Idempotency-Key was used for another request. */
export class ValidationError extends ApiError {}
/** 429: a limit is exceeded, and no retry was left or `Retry-After` is longer than `maxRetryDelay`. */
export class RateLimitError extends ApiError {}
/** 500 and above: an error of the service. */
export class ServerError extends ApiError {}

const KINDS: Record<number, typeof ApiError> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionFailedError,
  422: ValidationError,
  429: RateLimitError,
};

/** Returns an error of the class for its status. */
export function errorOf(refusal: Refusal): ApiError {
  const Kind = KINDS[refusal.status] ?? (refusal.status >= 500 ? ServerError : ApiError);
  return new Kind(refusal);
}
