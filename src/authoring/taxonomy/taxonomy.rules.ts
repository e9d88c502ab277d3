import { createHash } from 'node:crypto';
import { Invalid, StaleVersion } from '../../platform/errors/domain-errors';
import { fold } from '../../platform/text/text.rules';
import { slugOf } from './slug.rules';

type TaxonomyKind = 'topic' | 'category';

type ShownFields = { name: string; slug: string } & ({ icon: string | null } | { topicId: string });

/** Identifies the fields of a topic or category that a form has shown; the position is not part of it. */
export function versionOf(it: ShownFields): string {
  const fields = [it.name, it.slug, 'icon' in it ? it.icon : it.topicId];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex').slice(0, 32);
}

/** @param version that was edited; undefined: any version @throws StaleVersion */
export function requireVersion(
  what: TaxonomyKind,
  now: ShownFields | null,
  version: string | undefined,
): void {
  if (now && version !== undefined && version !== versionOf(now)) throw new StaleVersion(what);
}

/**
 * The name and slug of a new topic or category (without `id`), or of a changed one.
 * @throws Invalid if another one of `others` has them already
 */
export function namesFor(
  what: TaxonomyKind,
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

/** The position behind all of these. Their number would not do: a deleted one leaves a gap. */
export const positionAfter = (siblings: readonly { position: number }[]): number =>
  Math.max(-1, ...siblings.map(({ position }) => position)) + 1;

/** The numbers of OpenTDB's categories, by their folded names. */
const OPENTDB_NUMBERS = new Map(
  [
    'General Knowledge',
    'Entertainment: Books',
    'Entertainment: Film',
    'Entertainment: Music',
    'Entertainment: Musicals & Theatres',
    'Entertainment: Television',
    'Entertainment: Video Games',
    'Entertainment: Board Games',
    'Science & Nature',
    'Science: Computers',
    'Science: Mathematics',
    'Mythology',
    'Sports',
    'Geography',
    'History',
    'Politics',
    'Art',
    'Celebrities',
    'Animals',
    'Vehicles',
    'Entertainment: Comics',
    'Science: Gadgets',
    'Entertainment: Japanese Anime & Manga',
    'Entertainment: Cartoon & Animations',
  ].map((name, index) => [fold(name), 9 + index] as const),
);

/**
 * The number of a new category for clients of OpenTDB: its own for a category that it has too, since many clients contain
 * these numbers; else undefined, for the next one of the database.
 */
export function openTdbNumber(
  name: string,
  others: readonly { number?: number }[],
): number | undefined {
  const number = OPENTDB_NUMBERS.get(fold(name));
  return others.some((other) => other.number === number) ? undefined : number;
}
