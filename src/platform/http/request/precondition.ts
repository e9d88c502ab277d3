import { StaleVersion } from '../../errors/domain-errors';

/**
 * What a change requires of the resource, to be called in the change's transaction, after the lock.
 * @param version identifies what can be edited, and is what the GET of the resource gives to `versioned`
 * @throws PreconditionFailed
 */
export type Precondition = (version: string) => void;

/** The version that a change is based on: the one that a page has shown, or what If-Match says. */
export type Expected = string | Precondition;

export const ANY_VERSION: Precondition = () => undefined;

/**
 * @param version of what pages edit
 * @param revision of the whole resource, where that is more
 * @throws StaleVersion to a page, PreconditionFailed to a program
 */
export function requireExpected(
  what: 'quiz' | 'question',
  { version, revision = version }: { version: string; revision?: string },
  expected: Expected,
): void {
  if (typeof expected === 'function') expected(revision);
  else if (expected !== version) throw new StaleVersion(what);
}
