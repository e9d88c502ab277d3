import { DomainError } from '../domain-errors';

/** The key has been used for something else: a mistake of the client's that no repetition mends. */
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
