import type { DataSource } from 'typeorm';

/** What everybody may see, told without `is_public`. */
const PUBLIC = `z.published AND z.approval = 'approved' AND z.owner_id IN (SELECT id FROM accounts WHERE disabled_at IS NULL)`;

/** Every counter and copy that the database keeps, held against a plain count(*) of what it follows from. */
export async function countersEqualCounts(database: DataSource): Promise<void> {
  const rows = async (sql: string) => JSON.stringify(await database.query(sql), null, 1);
  const pairs: [counted: string, truth: string][] = [
    [
      `SELECT category_key, difficulty, quizzes FROM quiz_counts WHERE quizzes <> 0 ORDER BY 1, 2`,
      `SELECT category_key, difficulty, count(*) AS quizzes FROM quizzes z WHERE ${PUBLIC} GROUP BY 1, 2 ORDER BY 1, 2`,
    ],
    [
      `SELECT category_key, difficulty, type, questions FROM question_counts WHERE questions <> 0 ORDER BY 1, 2, 3`,
      `SELECT z.category_key, q.difficulty, q.type, count(*) AS questions FROM questions q JOIN quizzes z ON z.id = q.quiz_id
       WHERE ${PUBLIC} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    ],
    [
      `SELECT category_key, tag_key, quizzes FROM tag_counts WHERE quizzes <> 0 ORDER BY 1, 2`,
      `SELECT k.category_key, tag_key, count(*) AS quizzes FROM quizzes z, unnest(tag_keys) AS tag_key,
         LATERAL (SELECT '' COLLATE "C" AS category_key UNION SELECT z.category_key) AS k
       WHERE ${PUBLIC} GROUP BY 1, 2 ORDER BY 1, 2`,
    ],
    // The copies on questions, on tags and for searches, and each quiz's own count.
    [
      `SELECT q.id, q.is_public, q.owner_id, q.category_key FROM questions q ORDER BY 1`,
      `SELECT q.id, ${PUBLIC} AS is_public, z.owner_id, z.category_key FROM questions q JOIN quizzes z ON z.id = q.quiz_id ORDER BY 1`,
    ],
    [
      `SELECT tag_key, quiz_id, is_public, owner_id, category_key, difficulty FROM quiz_tags ORDER BY 1, 2`,
      `SELECT unnest(tag_keys) COLLATE "C" AS tag_key, id AS quiz_id, ${PUBLIC} AS is_public, owner_id, category_key, difficulty FROM quizzes z ORDER BY 1, 2`,
    ],
    [
      `SELECT quiz_id, is_public FROM quiz_search ORDER BY 1`,
      `SELECT id AS quiz_id, ${PUBLIC} AS is_public FROM quizzes z JOIN quiz_search ON quiz_id = id ORDER BY 1`,
    ],
    [
      `SELECT id, question_count FROM quizzes ORDER BY 1`,
      `SELECT z.id, count(q.id)::int AS question_count FROM quizzes z LEFT JOIN questions q ON q.quiz_id = z.id GROUP BY 1 ORDER BY 1`,
    ],
  ];
  for (const [counted, truth] of pairs) expect(await rows(counted)).toBe(await rows(truth));
}
