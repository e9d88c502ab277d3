import type { Type } from '@nestjs/common';
import type { EntityManager, FindOptionsWhere } from 'typeorm';
import { Category, Topic } from '../../catalog/discovery/taxonomy.entity';
import { query, sql } from '../../platform/database/sql';
import { found } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { fold } from '../../platform/text/text.rules';
import { movedBy } from '../questions/question.rules';

/**
 * Sets a category's name in its quizzes, and links quizzes with this name as text to it. Quizzes that are being
 * linked wait for the category's row, which the caller has locked.
 */
export async function nameQuizzes(
  tx: EntityManager,
  { id, name }: { id: string; name: string },
): Promise<void> {
  const key = fold(name);
  // In a fixed order, so that two transactions that change many quizzes cannot wait for each other.
  await query(
    tx,
    sql`WITH theirs AS (
       SELECT id FROM quizzes
       WHERE (category_id = ${id} OR (category_id IS NULL AND category_key = ${key}))
         AND (category, category_key, category_id) IS DISTINCT FROM (${name}, ${key}, ${id}::uuid)
       ORDER BY id FOR NO KEY UPDATE
     )
     UPDATE quizzes z SET category = ${name}, category_key = ${key}, category_id = ${id} FROM theirs WHERE z.id = theirs.id`,
  );
  // The counters keep a spelling as long as anything is counted under it. The writer holds their lock.
  await query(tx, sql`SELECT pg_advisory_xact_lock(counters_lock())`);
  await query(
    tx,
    sql`UPDATE catalog_counts SET name = ${name} WHERE tag_key = '' AND category_key = ${key} AND name IS DISTINCT FROM ${name}`,
  );
}

/**
 * Moves a topic, or a category within its topic.
 * @param by the place that it gets, from 0; or the direction, in which it swaps with its neighbour, if it has one
 * @returns whether it has another place now
 */
export async function moveAmongSiblings(
  tx: EntityManager,
  it: Topic | Category,
  by: 'up' | 'down' | number,
): Promise<boolean> {
  const order = { position: 'ASC', name: 'ASC' } as const;
  const [table, siblings] =
    'topicId' in it
      ? [
          sql`categories`,
          await tx.getRepository(Category).find({ where: { topicId: it.topicId }, order }),
        ]
      : [sql`topics`, await tx.getRepository(Topic).find({ order })];
  const ids = siblings.map(({ id }) => id);
  const moved = movedBy(ids, it.id, by);
  if (moved.indexOf(it.id) === ids.indexOf(it.id)) return false;
  await query(
    tx,
    sql`UPDATE ${table} t SET position = o.place - 1
        FROM unnest(${moved}::uuid[]) WITH ORDINALITY AS o (id, place)
        WHERE t.id = o.id AND t.position <> o.place - 1`,
  );
  return true;
}

/** Until the transaction ends no other changes topics or categories; everybody reads them. */
export async function lockTaxonomy(tx: EntityManager): Promise<void> {
  await query(tx, sql`LOCK TABLE topics IN SHARE ROW EXCLUSIVE MODE`);
}

/** Until the transaction ends nobody changes topics or categories. Any number of transactions may hold this lock. */
export async function keepTaxonomy(tx: EntityManager): Promise<void> {
  await query(tx, sql`LOCK TABLE topics IN ROW EXCLUSIVE MODE`);
}

/**
 * A topic or category, locked: no quiz is linked to a category until the transaction ends. Its key stays unlocked:
 * PostgreSQL locks the key for each quiz whose row a transaction writes twice, as when it becomes public, and we may
 * wait for that row.
 * @throws NotFound
 */
export async function lockOne<One extends Topic | Category>(
  tx: EntityManager,
  kind: Type<One>,
  id: string,
): Promise<One> {
  const where = { id } as FindOptionsWhere<One>;
  const lock = { mode: 'for_no_key_update' } as const;
  return found(kind.name, isId(id) && (await tx.getRepository(kind).findOne({ where, lock })));
}
