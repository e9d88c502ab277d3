import { QUESTION_KINDS } from '../vocabulary';

/** What the counters count, in plain SQL over the tables they are derived from. Triggers maintain them. */
export interface Counter {
  table: string;
  keys: string;
  /** Stored beside the numbers and need not be exact. */
  besides?: string[];
  /** Numbers, or arrays of them. */
  values: string[];
  /** Selects all of these. */
  truth: string;
}

const KINDS = QUESTION_KINDS.map((_, index) => index + 1);
/** SQL of the sum of `counts_by_kind`, element by element. */
export const SUM_OF_COUNTS = `ARRAY[${KINDS.map((kind) => `sum(counts_by_kind[${kind}])`).join(', ')}]::bigint[]`;

/**
 * The public quizzes by id in blocks, and blocks of these on level 2, for each of the scopes that a quiz is in (see
 * offset-lookup.queries.ts).
 */
export const BLOCKS = {
  table: 'offset_index',
  clear: `DELETE FROM offset_index`,
  cut: `
    WITH ahead AS (SELECT id FROM quizzes WHERE is_public AND id >= id_of_tomorrow() ORDER BY id LIMIT 1),
    blocks AS (
      SELECT id AS first_id FROM (
        SELECT id, row_number() OVER (ORDER BY id) AS place FROM quizzes WHERE is_public) AS q
      WHERE place % offset_block_size(1) = 1 AND place > 1
      UNION SELECT '00000000-0000-0000-0000-000000000000'
      UNION SELECT id FROM ahead),
    placed AS (SELECT first_id, row_number() OVER (ORDER BY first_id) AS place FROM blocks)
    INSERT INTO offset_index (scope, level, first_id, last_id, quizzes, questions, counts_by_kind)
    SELECT '', level, first_id, first_id, 0, 0, no_counts() FROM placed, (VALUES (1), (2)) AS l (level)
    WHERE level = 1 OR place % (offset_block_size(2) / offset_block_size(1)) = 1 OR first_id IN (TABLE ahead)`,
};

export const COUNTERS: readonly Counter[] = [
  {
    table: 'quiz_counts',
    keys: 'category_key, difficulty',
    besides: ['category'],
    values: ['quizzes'],
    truth: `SELECT category_key, difficulty, max(category) AS category, count(*) AS quizzes
            FROM quizzes WHERE is_public GROUP BY 1, 2`,
  },
  {
    table: 'question_counts',
    keys: 'category_key, difficulty, type',
    values: ['questions'],
    truth: `SELECT category_key, difficulty, type, count(*) AS questions
            FROM questions WHERE is_public GROUP BY 1, 2, 3`,
  },
  {
    table: 'tag_counts',
    keys: 'tag_key',
    besides: ['tag'],
    values: ['quizzes'],
    truth: `SELECT tag_key, max(tag) AS tag, count(*) AS quizzes
            FROM quizzes, unnest(tag_keys, tags) AS t (tag_key, tag) WHERE is_public GROUP BY 1`,
  },
  {
    table: 'category_tag_counts',
    keys: 'category_key, tag_key',
    values: ['quizzes'],
    truth: `SELECT category_key, tag_key, count(*) AS quizzes
            FROM quizzes, unnest(tag_keys) AS tag_key WHERE is_public GROUP BY 1, 2`,
  },
  {
    table: 'tag_facet_counts',
    keys: 'tag_key, category_key, difficulty',
    values: ['quizzes', 'questions', 'counts_by_kind'],
    truth: `SELECT tag_key, category_key, difficulty, count(*) AS quizzes, sum(question_count) AS questions, ${SUM_OF_COUNTS} AS counts_by_kind
            FROM quizzes, unnest(tag_keys) AS tag_key WHERE is_public GROUP BY 1, 2, 3`,
  },
  {
    table: BLOCKS.table,
    keys: 'scope, level, first_id',
    besides: ['last_id'],
    values: ['quizzes', 'questions', 'counts_by_kind'],
    truth: `SELECT scope, level, first_id, max(id::text)::uuid AS last_id, count(*) AS quizzes, sum(question_count) AS questions, ${SUM_OF_COUNTS} AS counts_by_kind
            FROM quizzes CROSS JOIN (VALUES (1), (2)) AS l (level)
            CROSS JOIN LATERAL (
              SELECT first_id FROM offset_index b
              WHERE scope = '' AND b.level = l.level AND first_id <= id ORDER BY first_id DESC LIMIT 1) AS block
            CROSS JOIN LATERAL (SELECT '' AS scope UNION ALL SELECT 'category ' || category_key
              UNION ALL SELECT 'tag ' || tag_key FROM unnest(tag_keys) AS tag_key) AS scopes
            WHERE is_public GROUP BY 1, 2, 3`,
  },
];

/**
 * Quizzes whose stored count of questions differs from a count, as key, kept and counted.
 * @param of a condition on quizzes as z
 */
export function ownCountsOf(of = 'true'): string {
  const counts = KINDS.map((kind) => `count(*) FILTER (WHERE kind = ${kind})::int`);
  return `
    SELECT id::text AS key, concat_ws(' ', question_count, counts_by_kind, content_bytes) AS kept,
      concat_ws(' ', count, counts, bytes) AS counted
    FROM (SELECT z.id, question_count, counts_by_kind, content_bytes, count(kind)::int AS count,
            coalesce(sum(bytes), 0)::int AS bytes, ARRAY[${counts.join(', ')}] AS counts
          FROM quizzes z LEFT JOIN (
            SELECT quiz_id, k.index AS kind, question_bytes(text, explanation, answers) AS bytes
            FROM questions JOIN question_kinds k USING (difficulty, type)) AS q ON quiz_id = z.id
          WHERE ${of} GROUP BY z.id) AS counted
    WHERE (question_count, counts_by_kind, content_bytes) IS DISTINCT FROM (count, counts, bytes)`;
}

/** Accounts whose bytes differ from the sum over their quizzes, as key, kept and counted. */
export const ACCOUNT_BYTES = `
  SELECT a.id::text AS key, a.content_bytes::text AS kept, coalesce(sum(stored_bytes(z.content_bytes, z.proposed)), 0)::text AS counted
  FROM accounts a LEFT JOIN quizzes z ON z.owner_id = a.id
  GROUP BY a.id HAVING a.content_bytes <> coalesce(sum(stored_bytes(z.content_bytes, z.proposed)), 0)`;
