import { createHash } from 'node:crypto';
import { Matches } from 'class-validator';
import { Invalid, StaleVersion } from '../../platform/errors/domain-errors';
import { fold } from '../../platform/text/text.rules';
import { slugOf } from './slug.rules';
import { TextField } from '../../platform/http/request/text-fields';

type Kind = 'topic' | 'category';
type Texts = { name: string; slug: string } & ({ icon: string | null } | { topicId: string });

/** Identifies the texts of a topic or category that a form has shown; the position is not part of it. */
export function versionOf(it: Texts): string {
  const texts = [it.name, it.slug, 'icon' in it ? it.icon : it.topicId];
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32);
}

/** @param version that was edited; undefined: any version @throws StaleVersion */
export function requireVersion(what: Kind, now: Texts | null, version: string | undefined): void {
  if (now && version !== undefined && version !== versionOf(now)) throw new StaleVersion(what);
}

/**
 * The name and slug of a new topic or category (without `id`), or of a changed one.
 * @throws Invalid if another one of `others` has them already
 */
export function namesFor(
  what: Kind,
  { name, slug: given }: { name: string; slug?: string | null },
  others: readonly { id: string; name: string; slug: string }[],
  id?: string,
): { name: string; slug: string } {
  const slug = given || slugOf(name);
  if (!slug)
    throw invalid('slug', 'slug is needed, since none can be made of the name', 'required');
  const rest = others.filter((other) => other.id !== id);
  const sameName = rest.find((other) => fold(other.name) === fold(name));
  if (sameName) throw invalid('name', `There is a ${what} “${sameName.name}” already`, 'taken');
  const sameSlug = rest.find((other) => other.slug === slug);
  if (sameSlug)
    throw invalid('slug', `The ${what} “${sameSlug.name}” has the slug ${slug} already`, 'taken');
  return { name, slug };
}

const invalid = (path: string, message: string, code: string) =>
  new Invalid('The form', [{ path, message, code }]);

/** `name: Art → Arts, slug: art → arts`; '' when nothing changed. */
export function changesInWords<Field extends string>(
  before: Partial<Record<Field, string | null>>,
  after: Partial<Record<Field, string | null>>,
  fields: readonly Field[],
): string {
  return fields
    .filter((field) => before[field] !== after[field])
    .map((field) => `${field}: ${before[field] ?? 'none'} → ${after[field] ?? 'none'}`)
    .join(', ');
}

class Named {
  @TextField({ max: 100 })
  name!: string;

  /** '' or absent: derived from the name. */
  @TextField({ max: 80, optional: true })
  @Matches(/^([a-z0-9]+(-[a-z0-9]+)*)?$/, {
    message:
      '$path must be lower case letters and digits with single hyphens between: world-history',
  })
  slug?: string | null;
}

export class TopicRequest extends Named {
  /** An emoji. */
  @TextField({ max: 16, optional: true })
  icon?: string | null;
}

export class CategoryRequest extends Named {
  @TextField({})
  topicId!: string;
}
