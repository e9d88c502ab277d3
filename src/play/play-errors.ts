import { DomainError } from '../platform/errors/domain-errors';

/** The input is readable and right in itself, but the quiz or the attempt does not take it (422). */
export class NotPlayable extends DomainError {
  constructor(message: string) {
    super('invalid', message);
  }
}
