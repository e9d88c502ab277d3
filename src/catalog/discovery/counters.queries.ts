import type { EntityManager } from 'typeorm';
import { correctContentBytes } from '../../access/accounts/content-bytes.queries';
import { PICTURE_BYTES } from '../../media/media.queries';
import { liftStatementTimeout } from '../../platform/database/deadline-client';
import { join, literal, query, type Sql, sql } from '../../platform/database/sql';
import { SUM_OF_COUNTS } from '../questions/counts.queries';
import { QUESTION_KINDS } from '../vocabulary';

/** What the counters count, in plain SQL over the tables they are derived from. Triggers maintain them. */
interface Counter {
  table: Sql;
  keys: Sql;
  /** Stored beside the numbers and need not be exact. */
  besides?: Sql[];
  /** Numbers, or arrays of them. */
  values: Sql[];
  /** Selects all of these. */
  truth: Sql;
}

const COUNTERS: readonly Counter[] = [
  {
    table: sql`quiz_counts`,
    keys: sql`category_key, difficulty`,
    besides: [sql`category`],
    values: [sql`quizzes`],
    truth: sql`SELECT category_key, difficulty, max(category) AS category, count(*) AS quizzes
               FROM quizzes WHERE is_public GROUP BY 1, 2`,
  },
  {
    table: sql`question_counts`,
    keys: sql`category_key, difficulty, type`,
    values: [sql`questions`],
    truth: sql`SELECT category_key, difficulty, type, count(*) AS questions
               FROM questions WHERE is_public GROUP BY 1, 2, 3`,
  },
  {
    // Over all categories (''), and within each.
    table: sql`tag_counts`,
    keys: sql`category_key, tag_key`,
    besides: [sql`tag`],
    values: [sql`quizzes`],
    truth: sql`SELECT k.category_key, tag_key, max(tag) AS tag, count(*) AS quizzes
               FROM quizzes z, unnest(tag_keys, tags) AS t (tag_key, tag),
                 LATERAL (SELECT '' AS category_key UNION SELECT z.category_key) AS k
               WHERE is_public GROUP BY 1, 2`,
  },
  {
    table: sql`tag_facet_counts`,
    keys: sql`tag_key, category_key, difficulty`,
    values: [sql`quizzes`, sql`questions`, sql`counts_by_kind`],
    truth: sql`SELECT tag_key, category_key, difficulty, count(*) AS quizzes, sum(question_count) AS questions,
                 ${SUM_OF_COUNTS} AS counts_by_kind
               FROM quizzes, unnest(tag_keys || language_keys(language)) AS tag_key WHERE is_public GROUP BY 1, 2, 3`,
  },
];

/**
 * Quizzes whose stored count of questions differs from a count, as key, kept and counted.
 * @param of a condition on quizzes as z
 */
function ownCountsOf(of: Sql = sql`true`): Sql {
  const counts = QUESTION_KINDS.map(
    (_, index) => sql`count(*) FILTER (WHERE kind = ${literal(index + 1)})::int`,
  );
  return sql`
    SELECT id::text AS key, concat_ws(' ', question_count, counts_by_kind, content_bytes) AS kept,
      concat_ws(' ', count, counts, bytes) AS counted
    FROM (SELECT z.id, question_count, counts_by_kind, content_bytes, count(kind)::int AS count,
            coalesce(sum(bytes), 0)::int AS bytes, ARRAY[${join(counts)}] AS counts
          FROM quizzes z LEFT JOIN (
            SELECT quiz_id, k.index AS kind, question_bytes(text, explanation, answers) AS bytes
            FROM questions JOIN question_kinds k USING (difficulty, type)) AS q ON quiz_id = z.id
          WHERE ${of} GROUP BY z.id) AS counted
    WHERE (question_count, counts_by_kind, content_bytes) IS DISTINCT FROM (count, counts, bytes)`;
}

/** Accounts whose bytes differ from the sum over their quizzes and pictures, as key, kept and counted. */
const ACCOUNT_BYTES = sql`
  SELECT id::text AS key, kept::text, counted::text
  FROM (SELECT a.id, a.content_bytes AS kept, coalesce(sum(z.content_bytes), 0) + ${PICTURE_BYTES} AS counted
        FROM accounts a LEFT JOIN quizzes z ON z.owner_id = a.id GROUP BY a.id) AS bytes
  WHERE kept <> counted`;

/** The result of comparing a counter with a count. */
export interface CounterCheck {
  counter: string;
  /** Rows that are counted. */
  rows: number;
  /** Rows that differ. */
  wrong: number;
  /** The first of them by its key; a missing row counts as zero. */
  example: { key: string; kept: string; counted: string } | null;
}

/**
 * Compares every counter with a count in one snapshot, so that concurrent writes do not disturb it. Reads all
 * content.
 */
export async function verifyCounters(tx: EntityManager): Promise<CounterCheck[]> {
  await query(tx, sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`);
  await liftStatementTimeout(tx);
  const checks: CounterCheck[] = [];
  const note = async (counter: string, rows: Sql, differing: Sql) => {
    const [found] = await query<[Omit<CounterCheck, 'counter'>]>(
      tx,
      sql`WITH wrong AS (${differing})
          SELECT (${rows})::int AS rows, (SELECT count(*) FROM wrong)::int AS wrong,
            (SELECT to_jsonb(wrong) FROM wrong ORDER BY key LIMIT 1) AS example`,
    );
    checks.push({ counter, ...found });
  };
  for (const { table, keys, values, truth } of COUNTERS) {
    const zeros = values.map((value) => sql`0 = ALL (${value} || '{}'::bigint[])`);
    const nothing = sql`(${join(zeros, sql` AND `)})`;
    const numbers = sql`concat_ws(' ', ${join(values)})`;
    const kept = sql`(SELECT ${keys}, ${numbers} AS kept FROM ${table} WHERE NOT ${nothing}) AS kept`;
    const counted = sql`(SELECT ${keys}, ${numbers} AS counted FROM (${truth}) AS t WHERE NOT ${nothing}) AS truth`;
    await note(
      table.text,
      sql`SELECT count(*) FROM ${kept}`,
      sql`SELECT concat_ws(', ', ${keys}) AS key, coalesce(kept, '0') AS kept, coalesce(counted, '0') AS counted
          FROM ${kept} FULL JOIN ${counted} USING (${keys}) WHERE kept IS DISTINCT FROM counted`,
    );
  }
  await note('quizzes.counts_by_kind', sql`SELECT count(*) FROM quizzes`, ownCountsOf());
  await note('accounts.content_bytes', sql`SELECT count(*) FROM accounts`, ACCOUNT_BYTES);
  return checks;
}

/**
 * Recounts everything. Readers see the old counters until it commits; changes of public content wait until then,
 * about a minute at a million quizzes.
 */
export async function rebuildCounters(tx: EntityManager): Promise<void> {
  await liftStatementTimeout(tx);
  for (const { key } of await query<{ key: string }[]>(tx, ownCountsOf()))
    await fixOwnCount(tx, key);
  await fixAccountBytes(tx);
  // What the corrected quizzes add at the commit would be counted twice.
  await query(tx, sql`SET CONSTRAINTS ALL IMMEDIATE`);
  await query(tx, sql`SELECT pg_advisory_xact_lock(counters_lock())`);
  await query(tx, sql`NOTIFY quiz_content`);
  for (const { table, keys, besides = [], values, truth } of COUNTERS) {
    const others = join([...besides, ...values]);
    await query(tx, sql`DELETE FROM ${table}`);
    await query(
      tx,
      sql`INSERT INTO ${table} (${keys}, ${others})
          SELECT ${keys}, ${others} FROM (${truth}) AS truth ORDER BY ${keys}`,
    );
  }
}

/** Counts the bytes of accounts under the lock that every change of their content takes. */
async function fixAccountBytes(tx: EntityManager): Promise<void> {
  const differing = () => query<{ key: string; counted: string }[]>(tx, ACCOUNT_BYTES);
  const ids = new Set((await differing()).map(({ key }) => key));
  if (ids.size === 0) return;
  await query(
    tx,
    sql`SELECT FROM accounts WHERE id = ANY (${[...ids]}::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
  );
  const locked = (await differing()).filter(({ key }) => ids.has(key));
  await correctContentBytes(
    tx,
    locked.map(({ key, counted }) => ({ accountId: key, bytes: counted })),
  );
}

/** Counts a quiz's questions under the locks that every change of them takes. */
async function fixOwnCount(tx: EntityManager, id: string): Promise<void> {
  await query(
    tx,
    sql`SELECT FROM accounts WHERE id = (SELECT owner_id FROM quizzes WHERE id = ${id}) FOR NO KEY UPDATE`,
  );
  await query(tx, sql`SELECT FROM quizzes WHERE id = ${id} FOR NO KEY UPDATE`);
  await query(
    tx,
    sql`UPDATE quizzes SET question_count = split_part(counted, ' ', 1)::int, counts_by_kind = split_part(counted, ' ', 2)::int[],
          content_bytes = split_part(counted, ' ', 3)::int
        FROM (${ownCountsOf(sql`z.id = ${id}`)}) AS differing WHERE id::text = key`,
  );
}
