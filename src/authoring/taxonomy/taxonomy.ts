import type { EntityManager } from 'typeorm';
import { Category } from '../../catalog/discovery/category.entity';
import { Topic } from '../../catalog/discovery/topic.entity';
import { Invalid, NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { fold } from '../../platform/text/text.rules';
import { slugOf } from '../quizzes/slug.rules';

/** Changes of topics and categories come one after the other: they are few, and so names stay unique. */
export async function lockHierarchy(tx: EntityManager): Promise<void> {
  await tx.query(`LOCK TABLE topics IN SHARE ROW EXCLUSIVE MODE`);
}

/** @throws NotFound */
export async function getTopic(tx: EntityManager, id: string): Promise<Topic> {
  const topic = isId(id) ? await tx.getRepository(Topic).findOneBy({ id }) : null;
  if (!topic) throw new NotFound('Topic');
  return topic;
}

/**
 * A category, locked: no quiz is linked to it until the transaction ends. Its key is left open: PostgreSQL asks for
 * that of each quiz whose row a transaction writes twice, as when it becomes public, while we may wait for that row.
 * @throws NotFound
 */
export async function lockCategory(tx: EntityManager, id: string): Promise<Category> {
  const category = isId(id)
    ? await tx
        .getRepository(Category)
        .findOne({ where: { id }, lock: { mode: 'for_no_key_update' } })
    : null;
  if (!category) throw new NotFound('Category');
  return category;
}

/**
 * The name and slug of a new topic or category (`id` null), or of one that is changed.
 * @throws Invalid when another one of `others` has them already
 */
export function namesFor(
  what: 'topic' | 'category',
  { name, slug: given }: { name: string; slug?: string | null },
  others: readonly { id: string; name: string; slug: string }[],
  id: string | null = null,
): { name: string; slug: string } {
  const slug = given || slugOf(name);
  if (!slug) throw refuse('slug', 'slug is needed, since none can be made of the name', 'required');
  const rest = others.filter((other) => other.id !== id);
  const sameName = rest.find((other) => fold(other.name) === fold(name));
  if (sameName) throw refuse('name', `There is a ${what} “${sameName.name}” already`, 'taken');
  const sameSlug = rest.find((other) => other.slug === slug);
  if (sameSlug)
    throw refuse('slug', `The ${what} “${sameSlug.name}” has the slug ${slug} already`, 'taken');
  return { name, slug };
}

const refuse = (path: string, message: string, code: string) =>
  new Invalid('The form', [{ path, message, code }]);

/** `name: Art → Arts, slug: art → arts`; '' when nothing changed. */
export function changesInWords<T extends object>(
  before: T,
  after: T,
  fields: readonly (keyof T & string)[],
): string {
  return fields
    .filter((field) => before[field] !== after[field])
    .map(
      (field) => `${field}: ${String(before[field] ?? 'none')} → ${String(after[field] ?? 'none')}`,
    )
    .join(', ');
}
