import { createHash } from 'node:crypto';
import { StaleVersion } from '../../platform/errors/domain-errors';

type Texts = { name: string; slug: string } & ({ icon: string | null } | { topicId: string });

/** What a form has shown of a topic or a category, in short: another text is another version. Its place is not part of it. */
export function versionOf(it: Texts): string {
  const texts = [it.name, it.slug, 'icon' in it ? it.icon : it.topicId];
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32);
}

/** @param seen the version that was edited; undefined: whatever there is @throws StaleVersion */
export function requireSeen(
  what: 'topic' | 'category',
  now: Texts,
  seen: string | undefined,
): void {
  if (seen === undefined || seen === versionOf(now)) return;
  throw new StaleVersion(what);
}
