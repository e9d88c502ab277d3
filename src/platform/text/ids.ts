import { randomInt, randomUUID } from 'node:crypto';

/** The nil UUID: nobody's, and before every id. */
export const NIL_ID = '00000000-0000-0000-0000-000000000000';

/** The position in time of the last identifier: milliseconds, and its number within that millisecond. */
let moment = 0;
let number = 0;

/**
 * A new identifier: UUIDv7 as text, so that ids ascend with time and indexes stay dense. Those of one process
 * ascend strictly (RFC 9562, 6.2: a counter in the 12 bits after the time). Node draws the random bits of many
 * UUIDv4 at once: 1 µs for an id, where the package `uuid` took 4 (800 µs of an import of fifty questions).
 */
export function newId(): string {
  const now = Date.now();
  if (now > moment) {
    moment = now;
    number = randomInt(0x800);
  } else if (++number > 0xfff) {
    moment++;
    number = 0;
  }
  return beginning(moment) + number.toString(16).padStart(3, '0') + randomUUID().slice(18);
}

/**
 * New identifiers of the answers of a question, in random order and of the moment of the question's id: otherwise
 * answers sorted by id would be in the order of their author, who mostly lists the correct one first, and an answer
 * that is added or corrected later would be younger than the others.
 */
export const newAnswerIds = (questionId: string, count: number): string[] =>
  Array.from({ length: count }, () => answerIdAt(questionId, randomUUID()));

/** The identifier of an answer, moved to the moment of another identifier: its question's, or another answer's. */
export const answerIdAt = (otherId: string, answerId: string): string =>
  otherId.slice(0, 15) + answerId.slice(15);

/** A UUIDv7 up to its version: 'tttttttt-tttt-7'. */
function beginning(milliseconds: number): string {
  const time = milliseconds.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7`;
}

/** Whether text can be one of our ids. Otherwise it is not found and never reaches a query. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}
