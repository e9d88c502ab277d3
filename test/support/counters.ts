import type { DataSource } from 'typeorm';
import { verifyCounters } from '../../src/catalog/discovery/counters.queries';

/** What everybody may see, computed without `is_public`. */
const PUBLIC = `z.published AND z.approval = 'approved' AND z.owner_id IN (SELECT id FROM accounts WHERE disabled_at IS NULL)`;

/** Public quizzes with each pair of keys under which they are counted. */
const COUNTED = `quizzes z
  CROSS JOIN LATERAL (SELECT '' COLLATE "C" UNION SELECT unnest(tag_keys || language_keys(language)) COLLATE "C") AS t (tag_key)
  CROSS JOIN LATERAL (SELECT ' ' COLLATE "C" UNION SELECT z.category_key) AS c (in_category)`;

/**
 * Every counter and copy that the database keeps, held against a plain count(*) of what it follows from, and as the service
 * itself verifies them: that also counts kinds and bytes of each quiz, and the bytes of accounts.
 */
export async function countersEqualCounts(database: DataSource): Promise<void> {
  const rows = async (sql: string) => JSON.stringify(await database.query(sql), null, 1);
  const pairs: [counted: string, truth: string][] = [
    [
      `SELECT tag_key, category_key, quizzes, question_count FROM catalog_counts WHERE quizzes <> 0 OR question_count <> 0 ORDER BY 1, 2`,
      `SELECT tag_key, in_category AS category_key, count(DISTINCT z.id) AS quizzes, count(q.id) AS question_count
       FROM ${COUNTED} LEFT JOIN questions q ON q.quiz_id = z.id WHERE ${PUBLIC} GROUP BY 1, 2 ORDER BY 1, 2`,
    ],
    [
      `SELECT tag_key, category_key, d.difficulty, d.quizzes
       FROM catalog_counts, unnest(enum_range(NULL::difficulty), quizzes_by_difficulty) AS d (difficulty, quizzes)
       WHERE d.quizzes <> 0 ORDER BY 1, 2, 3`,
      `SELECT tag_key, in_category AS category_key, z.difficulty, count(*) AS quizzes FROM ${COUNTED} WHERE ${PUBLIC} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    ],
    [
      `SELECT tag_key, category_key, difficulty, type, questions
       FROM catalog_counts, unnest(counts_by_kind) WITH ORDINALITY AS k (questions, index) JOIN question_kinds USING (index)
       WHERE questions <> 0 ORDER BY 1, 2, 3, 4`,
      `SELECT tag_key, in_category AS category_key, q.difficulty, q.type, count(*) AS questions
       FROM ${COUNTED} JOIN questions q ON q.quiz_id = z.id WHERE ${PUBLIC} GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
    ],
    // The copies on questions, on tags and for searches, and each quiz's own count.
    [
      `SELECT q.id, q.is_public, q.owner_id, q.category_key FROM questions q ORDER BY 1`,
      `SELECT q.id, ${PUBLIC} AS is_public, z.owner_id, z.category_key FROM questions q JOIN quizzes z ON z.id = q.quiz_id ORDER BY 1`,
    ],
    [
      `SELECT tag_key, quiz_id, is_public, owner_id, category_key, difficulty FROM quiz_tags ORDER BY 1, 2`,
      `SELECT unnest(tag_keys || language_keys(language)) COLLATE "C" AS tag_key, id AS quiz_id, ${PUBLIC} AS is_public, owner_id, category_key, difficulty FROM quizzes z ORDER BY 1, 2`,
    ],
    [
      `SELECT quiz_id, is_public FROM quiz_search ORDER BY 1`,
      `SELECT id AS quiz_id, ${PUBLIC} AS is_public FROM quizzes z ORDER BY 1`,
    ],
    [
      `SELECT id, question_count FROM quizzes ORDER BY 1`,
      `SELECT z.id, count(q.id)::int AS question_count FROM quizzes z LEFT JOIN questions q ON q.quiz_id = z.id GROUP BY 1 ORDER BY 1`,
    ],
  ];
  for (const [counted, truth] of pairs) expect(await rows(counted)).toBe(await rows(truth));
  const checks = await database.transaction((tx) => verifyCounters(tx));
  expect(checks.filter(({ wrong }) => wrong > 0)).toEqual([]);
}
