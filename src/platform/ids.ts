import { v7 } from 'uuid';

/** A new identifier: UUIDv7 as text, so that ids ascend with time and indexes stay dense. */
export function newId(): string {
  return v7();
}

/** Whether text can be one of our ids. What cannot is simply not found; it never reaches a query. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}
