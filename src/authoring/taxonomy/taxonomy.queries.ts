import type { EntityManager } from 'typeorm';
import { fold } from '../../platform/text/text.rules';

/**
 * Gives a category's name to its quizzes, and links those to it that have just this name. Quizzes that are linked
 * meanwhile wait at the category's row, which the caller has locked.
 */
export async function nameQuizzes(
  tx: EntityManager,
  category: { id: string; name: string },
): Promise<void> {
  const key = fold(category.name);
  // In one order, so that nobody who changes many quizzes waits for us while we wait for them.
  await tx.query(
    `WITH theirs AS (
       SELECT id FROM quizzes
       WHERE (category_id = $1 OR (category_id IS NULL AND category_key = $3))
         AND (category, category_key, category_id) IS DISTINCT FROM ($2, $3, $1::uuid)
       ORDER BY id FOR NO KEY UPDATE
     )
     UPDATE quizzes z SET category = $2, category_key = $3, category_id = $1 FROM theirs WHERE z.id = theirs.id`,
    [category.id, category.name, key],
  );
  // The counters keep a spelling as long as anything is counted under it. Who writes them has their lock.
  await tx.query(`SELECT pg_advisory_xact_lock(counters_lock())`);
  await tx.query(
    `UPDATE quiz_counts SET category = $2 WHERE category_key = $1 AND category IS DISTINCT FROM $2`,
    [key, category.name],
  );
}

/** Numbers topics, or the categories of a topic, in this order. */
export async function writePositions(
  tx: EntityManager,
  table: 'topics' | 'categories',
  order: readonly string[],
): Promise<void> {
  await tx.query(
    `UPDATE ${table} t SET position = o.place - 1 FROM unnest($1::uuid[]) WITH ORDINALITY AS o (id, place)
     WHERE t.id = o.id AND t.position <> o.place - 1`,
    [order],
  );
}
