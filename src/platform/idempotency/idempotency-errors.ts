import { DomainError } from '../errors/domain-errors';

/** The key has been used for something else: a mistake of the client's that no repetition fixes. */
export class KeyReused extends DomainError {
  constructor() {
    super(
      'invalid',
      'This Idempotency-Key was used for another request in the last 24 hours. Repeat a request unchanged, and send a new key with a new one.',
    );
  }
}

/** The first request with the key has not ended. */
export class KeyInUse extends DomainError {
  constructor() {
    super(
      'conflict',
      'The first request with this Idempotency-Key is still being worked on. Repeat it in a second to get its answer.',
      undefined,
      1,
    );
  }
}

/** The request was done; its response had to make room for later ones. */
export class ResponseDropped extends DomainError {
  constructor() {
    super(
      'conflict',
      'This request was done before, and is not done again. Its response is no longer stored: read the quiz to see what it changed.',
    );
  }
}
