/** What a module throws when a request cannot be served. It knows no HTTP: the error filter does. */
export type DomainErrorKind =
  | 'malformed'
  | 'unauthenticated'
  | 'plan-required'
  | 'limit-reached'
  | 'forbidden'
  | 'not-found'
  | 'not-acceptable'
  | 'conflict'
  | 'too-large'
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
    message: string,
    readonly details?: Issue[],
    /** Seconds after which the same request may succeed. */
    readonly retryAfter?: number,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/** The request cannot be read at all: a bad parameter, a body that is not JSON. */
export class Malformed extends DomainError {
  constructor(message: string) {
    super('malformed', message);
  }
}

/** Specification part 5: one text for every way in which a key can be missing or wrong. */
export class Unauthenticated extends DomainError {
  constructor() {
    super('unauthenticated', 'Invalid API key.');
  }
}

export class PlanRequired extends DomainError {
  constructor(message: string) {
    super('plan-required', message);
  }
}

export class LimitReached extends DomainError {
  constructor(message: string) {
    super('limit-reached', message);
  }
}

/** The input is valid in itself, but would grow something beyond its limit (src/platform/limits). */
export class LimitExceeded extends DomainError {
  /** @param message names the limit and says what to do */
  constructor(message: string) {
    super('invalid', message);
  }
}

export class Forbidden extends DomainError {
  constructor(message: string) {
    super('forbidden', message);
  }
}

/** `what` with a capital: `Quiz`. */
export class NotFound extends DomainError {
  constructor(what: string) {
    super('not-found', `${what} not found.`);
  }
}

/** The client asks for a format that there is not. */
export class NotAcceptable extends DomainError {
  constructor() {
    super(
      'not-acceptable',
      'Responses are JSON, which the Accept header excludes. Send Accept: application/json, or omit the header.',
    );
  }
}

/** The change does not fit the present state, for example an e-mail address that is taken. */
export class Conflict extends DomainError {
  constructor(message: string) {
    super('conflict', message);
  }
}

/** Another version than the one that was edited is stored by now. */
export class StaleVersion extends Conflict {
  constructor(what: 'quiz' | 'question' | 'topic' | 'category') {
    super(
      `This ${what} was changed meanwhile, perhaps in another window. Look at it as it is now, and save again.`,
    );
  }
}

export class TooLarge extends DomainError {
  constructor(message: string) {
    super('too-large', message);
  }
}

/** Too many requests from one address in a minute (specification, part 8). */
export class RateLimited extends DomainError {
  /** @param retryAfter seconds */
  constructor(retryAfter?: number) {
    super('rate-limited', 'Rate limit exceeded. Please try again later.', undefined, retryAfter);
  }
}

/** The process has more to do than it can do in time, so the request was not begun. */
export class Overloaded extends DomainError {
  constructor() {
    super(
      'too-slow',
      'The service is overloaded and did not begin this request. Send it again in a few seconds.',
      undefined,
      2,
    );
  }
}

/**
 * PostgreSQL was stopped at the time that a statement may take (see databaseOptions), or undid the change to end a
 * deadlock, again and again. Nothing of it was kept.
 */
export class StatementTimeout extends DomainError {
  constructor() {
    super(
      'too-slow',
      'The request took longer than a request may take. Narrow it, for example by a category or a difficulty, or send it again later.',
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
      'The service is temporarily unavailable. Send the request again after as many seconds as Retry-After says.',
      undefined,
      5,
    );
  }
}

/** Fifty questions, wrong in every field and in twenty answers each, are just below this. */
const LISTED = 2_500;

/** The input is readable but breaks rules. The sentence names the first error and counts the rest; `details` lists them. */
export class Invalid extends DomainError {
  constructor(what: string, errors: [Issue, ...Issue[]]) {
    const more = errors.length - 1;
    const rest =
      more === 0 ? '' : ` (and ${more} more ${more === 1 ? 'problem' : 'problems'}, see "details")`;
    super(
      'invalid',
      `${what} is not valid: ${sentence(errors[0])}${rest}.`,
      errors.slice(0, LISTED),
    );
  }
}

function sentence({ path, message }: Issue): string {
  const whole = path && !message.startsWith(path) ? `${path}: ${message}` : message;
  return whole.replace(/\.$/, '');
}

/** A start that failed for a reason that its message says whole: no stack is wanted. */
export class StartupError extends Error {}
