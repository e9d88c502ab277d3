import { randomInt } from 'node:crypto';
import { v7 } from 'uuid';

/** A new identifier: UUIDv7 as text, so that ids ascend with time and indexes stay dense. */
export function newId(): string {
  return v7();
}

/**
 * New identifiers whose order says nothing: a quiz's answers sorted by id would otherwise stand as their author
 * has listed them, mostly the right one first.
 */
export function newIdsUnordered(count: number): string[] {
  const ids = Array.from({ length: count }, newId);
  for (let left = count; left > 1; left--) {
    const [taken] = ids.splice(randomInt(left), 1);
    if (taken) ids.push(taken);
  }
  return ids;
}

/** Whether text can be one of our ids. What cannot is simply not found; it never reaches a query. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}
