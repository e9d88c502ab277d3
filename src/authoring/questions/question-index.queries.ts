import type { EntityManager } from 'typeorm';
import { columnOf, query, sql } from '../../platform/database/sql';

/** Questions in one row of `question_search`. */
const BLOCK = 50;

/** A character that hardly any text contains, so that a search finds none across two questions. */
const SEPARATOR = '\u001f';

/**
 * Some quizzes that have changed since they were indexed, locked like an edit. Those that are being edited are left for
 * the next run, so nobody waits for each other.
 */
export async function lockChanged(tx: EntityManager, limit: number): Promise<string[]> {
  const rows = await query<{ id: string }[]>(
    tx,
    sql`SELECT z.id FROM question_search s JOIN quizzes z ON z.id = s.quiz_id
        WHERE s.block = 0 LIMIT ${limit} FOR NO KEY UPDATE OF z SKIP LOCKED`,
  );
  return rows.map(({ id }) => id);
}

/** The questions of these quizzes that have no folded text yet. */
export function findUnfolded(
  tx: EntityManager,
  quizIds: readonly string[],
): Promise<{ id: string; text: string }[]> {
  return query(
    tx,
    sql`SELECT id, text FROM questions WHERE quiz_id = ANY (${quizIds}::uuid[]) AND text_key IS NULL`,
  );
}

export async function writeFolded(
  tx: EntityManager,
  folded: readonly { id: string; key: string }[],
): Promise<void> {
  await query(
    tx,
    sql`UPDATE questions q SET text_key = f.key
        FROM unnest(${columnOf(folded, 'id')}::uuid[], ${columnOf(folded, 'key')}::text[]) AS f (id, key) WHERE q.id = f.id`,
  );
}

/** Writes the blocks of these quizzes, as far as they have changed, and removes the marks. */
export async function writeBlocks(tx: EntityManager, quizIds: readonly string[]): Promise<void> {
  await query(
    tx,
    sql`INSERT INTO question_search AS s (quiz_id, block, content)
        SELECT quiz_id, (position + ${BLOCK - 1}) / ${BLOCK}, string_agg(text_key, ${SEPARATOR} ORDER BY position)
        FROM questions WHERE quiz_id = ANY (${quizIds}::uuid[]) GROUP BY 1, 2
        ON CONFLICT (quiz_id, block) DO UPDATE SET content = excluded.content WHERE s.content <> excluded.content`,
  );
  await query(
    tx,
    sql`DELETE FROM question_search s USING quizzes z
        WHERE z.id = s.quiz_id AND s.quiz_id = ANY (${quizIds}::uuid[])
          AND (block = 0 OR block > (question_count + ${BLOCK - 1}) / ${BLOCK})`,
  );
}
