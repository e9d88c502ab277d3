import { LIMITS } from '../limits/limits';
import { type ErrorCode, notFoundCode } from './error-codes';

/** What a module throws when a request cannot be served. It does not know HTTP; the error filter translates it. */
export type DomainErrorKind =
  | 'malformed'
  | 'unauthenticated'
  | 'plan-required'
  | 'limit-reached'
  | 'forbidden'
  | 'not-found'
  | 'not-acceptable'
  | 'conflict'
  | 'gone'
  | 'precondition-failed'
  | 'too-large'
  | 'unsupported'
  | 'invalid'
  | 'rate-limited'
  | 'too-slow'
  | 'unavailable';

/** One error of an input: `path` as `questions[3].answers`, `code` stable, `message` a plain sentence. */
export interface Issue {
  path: string;
  message: string;
  code: string;
}

export class DomainError extends Error {
  constructor(
    readonly kind: DomainErrorKind,
    /** The name of the cause, for programs: it stays the same when the message changes. */
    readonly code: ErrorCode,
    message: string,
    readonly details?: Issue[],
    /** Seconds after which the same request may succeed. */
    readonly retryAfter?: number,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/** The class of an error whose message names what is wrong and says what to do. @param usual if no code is given */
const ofKind = (kind: DomainErrorKind, usual: ErrorCode) =>
  class extends DomainError {
    constructor(message: string, code = usual) {
      super(kind, code, message);
    }
  };

/** The request cannot be read: an invalid parameter, or a body that is not JSON. */
export class Malformed extends ofKind('malformed', 'malformed-request') {}

/** Specification part 5: one message for every way in which a key can be missing or invalid. */
export class Unauthenticated extends DomainError {
  constructor() {
    super('unauthenticated', 'invalid-key', 'Invalid API key.');
  }
}

export class PlanRequired extends ofKind('plan-required', 'plan-required') {}
export class LimitReached extends ofKind('limit-reached', 'limit-reached') {}

/** The input is valid in itself, but would grow something beyond its limit (src/platform/limits). */
export class LimitExceeded extends ofKind('invalid', 'content-limit') {}

export class Forbidden extends ofKind('forbidden', 'forbidden') {}

/** `what` with a capital: `Quiz`. */
export class NotFound extends DomainError {
  constructor(what: string, message = `${what} not found.`) {
    super('not-found', notFoundCode(what), message);
  }
}

/** What is edited is no longer there, but what was typed is not lost. */
export class GoneMeanwhile extends NotFound {
  constructor(what: 'Quiz' | 'Question') {
    super(
      what,
      what === 'Quiz'
        ? 'This quiz was deleted after you opened it, perhaps in another window. You can add it again as a new one.'
        : 'This question was deleted or moved after you opened it, perhaps in another window. You can add it here as a new one.',
    );
  }
}

/** What a query has found. @throws NotFound where it is nothing */
export function found<T>(what: string, it: T | null | undefined | false): T {
  if (!it) throw new NotFound(what);
  return it;
}

/** For `catch`: null for what does not exist. */
export function nullIfNotFound(error: unknown): null {
  if (error instanceof NotFound) return null;
  throw error;
}

/** The client accepts no format that we send. */
export class NotAcceptable extends DomainError {
  constructor() {
    super(
      'not-acceptable',
      'not-acceptable',
      'The Accept header does not allow JSON, the only response format. Send Accept: application/json, or omit the header.',
    );
  }
}

/** The change conflicts with the present state, for example an e-mail address that is taken. */
export class Conflict extends ofKind('conflict', 'conflict') {}

/** The stored version is no longer the one that was edited. */
export class StaleVersion extends Conflict {
  constructor(what: 'quiz' | 'question' | 'topic' | 'category') {
    super(
      `This ${what} has changed since you opened it, perhaps in another window. Check the current version and save again.`,
    );
  }
}

/** What a request begins from was deleted. */
export class Gone extends ofKind('gone', 'gone') {}

/** The header If-Match names no present tag of the resource. */
export class PreconditionFailed extends DomainError {
  /** @param version the present one */
  constructor(readonly version: string) {
    super(
      'precondition-failed',
      'precondition-failed',
      'The resource has changed since you read it, or If-Match does not match its ETag. Fetch it again and retry with the current ETag.',
    );
  }
}

/** The file is of a type that is never read. */
export class UnsupportedMediaType extends ofKind('unsupported', 'unsupported-media-type') {}

export class TooLarge extends ofKind('too-large', 'too-large') {}

/** Too many requests from one address in a minute (specification, part 8), or too many of something else. */
export class RateLimited extends DomainError {
  constructor(
    override readonly retryAfter: number,
    code: ErrorCode = 'rate-limit-exceeded',
    message = 'Rate limit exceeded. Please try again later.',
  ) {
    super('rate-limited', code, message, undefined, retryAfter);
  }
}

/** The client already has as many requests waiting for their turn as it may have. */
export class TooManyWaiting extends RateLimited {
  constructor() {
    super(
      1,
      'too-many-waiting-requests',
      'Too many requests of this account or address are waiting for their turn. Send fewer at a time, and repeat this one after the number of seconds in Retry-After.',
    );
  }
}

/** The process is overloaded, so the request was not started. */
export class Overloaded extends DomainError {
  constructor() {
    super(
      'too-slow',
      'overloaded',
      'The service is overloaded and did not process this request. Try again in a few seconds.',
      undefined,
      2,
    );
  }
}

/**
 * PostgreSQL cancelled the statement at its timeout (see databaseOptions), or aborted the transaction to resolve a
 * deadlock, repeatedly. None of its changes were kept.
 */
export class StatementTimeout extends DomainError {
  constructor() {
    super(
      'too-slow',
      'took-too-long',
      'The request timed out. Add filters, such as a category or a difficulty, or try again later.',
      undefined,
      30,
    );
  }
}

/** The database takes no connections or no changes at the moment. */
export class Unavailable extends DomainError {
  constructor() {
    super(
      'unavailable',
      'unavailable',
      'The service is temporarily unavailable. Send the request again after the number of seconds in Retry-After.',
      undefined,
      5,
    );
  }
}

/** The input is readable but breaks rules. The sentence names the first error and counts the rest; `details` lists them. */
export class Invalid extends DomainError {
  constructor(what: string, errors: [Issue, ...Issue[]], code: ErrorCode = 'invalid-body') {
    const more = errors.length - 1;
    const rest =
      more === 0 ? '' : ` (and ${more} more ${more === 1 ? 'problem' : 'problems'}, see "details")`;
    super(
      'invalid',
      code,
      `${what} is not valid: ${sentence(errors[0])}${rest}.`,
      errors.slice(0, LIMITS.requests.listedErrors.value),
    );
  }
}

function sentence({ path, message }: Issue): string {
  const whole = path && !message.startsWith(path) ? `${path}: ${message}` : message;
  return whole.replace(/\.$/, '');
}

/** A start that failed for a reason that its message explains, so no stack is printed. */
export class StartupError extends Error {}
