import type { components } from './api.ts';

/** One error of a body, as a 422 lists them. */
export type Issue = components['schemas']['Issue'];

/** What went wrong, whatever it was: the base of everything that the client throws. */
export class QuizServiceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No answer came, also after all retries: the network, a time-out, or a service that is down. `cause` says which. */
export class ConnectionError extends QuizServiceError {}

/** What an answer that is no success says. */
export interface Refusal {
  status: number;
  /** The sentence of the envelope. */
  message: string;
  /** `X-Error-Code`: the name of the cause, such as `plan-required`. Null where a proxy answered. */
  code: string | null;
  /** Every error of the body, with 422; empty otherwise. */
  details: Issue[];
  /** `X-Request-Id`: by it whoever runs the service finds the request in the log. */
  requestId: string | null;
  /** Seconds, where the answer says after which time to try again. */
  retryAfter: number | null;
  /** The present `ETag` of the resource, with 412. */
  etag: string | null;
}

/** The service answered, and not with a success. `message` is its sentence. */
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

/** 400: a parameter, a header or a body that cannot be read. */
export class BadRequestError extends ApiError {}
/** 401: the API key is missing, wrong, revoked or of the other environment. */
export class AuthenticationError extends ApiError {}
/** 403: the plan, the quota or the owner of the quiz does not allow it. */
export class PermissionError extends ApiError {}
/** 404: there is no such thing, or it is not for this key. */
export class NotFoundError extends ApiError {}
/** 409: it does not fit the present state, or the first request with the same Idempotency-Key has not ended. */
export class ConflictError extends ApiError {}
/** 412: the resource has changed since the version that `ifMatch` names; `etag` is the present one. */
export class PreconditionFailedError extends ApiError {}
/** 422: the body breaks rules (`details` lists all errors), or an Idempotency-Key was used for something else. */
export class ValidationError extends ApiError {}
/** 429, also after all retries. */
export class RateLimitError extends ApiError {}
/** 500 and above: an error of the service's. */
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

/** The error of this kind. */
export function errorOf(refusal: Refusal): ApiError {
  const Kind = KINDS[refusal.status] ?? (refusal.status >= 500 ? ServerError : ApiError);
  return new Kind(refusal);
}
