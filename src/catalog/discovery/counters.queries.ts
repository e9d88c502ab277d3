import type { EntityManager } from 'typeorm';
import { correctContentBytes } from '../../access/accounts/content-bytes.queries';
import { PICTURE_BYTES } from '../../media/media.queries';
import { liftStatementTimeout } from '../../platform/database/deadline-client';
import { join, query, type Sql, sql } from '../../platform/database/sql';
import { COUNTS_BY_KIND, SUM_OF_COUNTS } from '../catalog-counts.queries';
import { DIFFICULTIES } from '../vocabulary';

/** The numbers of a row of `catalog_counts`, and whether one of them is not zero. */
const NUMBERS = sql`format('%s quizzes %s, %s questions %s', quizzes, quizzes_by_difficulty, question_count, counts_by_kind)`;
const IS_ANY = sql`0 <> ANY (quizzes || quizzes_by_difficulty || question_count || counts_by_kind)`;

/** What the rows must be. Triggers maintain them; their names are stored beside the numbers and need not be exact. */
const COUNTED = sql`
  SELECT k.tag_key, k.category_key, max(k.name) AS name, count(*) AS quizzes,
    ARRAY[${join(DIFFICULTIES.map((one) => sql`count(*) FILTER (WHERE difficulty = ${one})`))}] AS quizzes_by_difficulty,
    sum(question_count) AS question_count, ${SUM_OF_COUNTS} AS counts_by_kind
  FROM quizzes z, counter_keys(z) AS k WHERE is_public GROUP BY 1, 2`;

/** The rows that differ, as key, kept and counted. A row of zeros is as good as none. */
const DIFFERING = sql`
  SELECT concat_ws(', ',
      CASE WHEN tag_key = '' THEN 'all tags' WHEN tag_key LIKE ' %' THEN 'language' || tag_key ELSE 'tag ' || tag_key END,
      CASE category_key WHEN ' ' THEN 'all categories' WHEN '' THEN 'no category' ELSE 'category ' || category_key END) AS key,
    coalesce(kept, 'nothing') AS kept, coalesce(counted, 'nothing') AS counted
  FROM (SELECT tag_key, category_key, ${NUMBERS} AS kept FROM catalog_counts WHERE ${IS_ANY}) AS kept
    FULL JOIN (SELECT tag_key, category_key, ${NUMBERS} AS counted FROM (${COUNTED}) AS c) AS counted
      USING (tag_key, category_key)
  WHERE kept IS DISTINCT FROM counted`;

/**
 * Quizzes whose stored numbers of questions, of each kind, or of bytes differ from a count, as key, kept and counted.
 * @param of a condition on quizzes as z
 */
const ownCountsOf = (of: Sql = sql`true`): Sql => sql`
  SELECT id::text AS key, concat_ws(' ', question_count, counts_by_kind, content_bytes) AS kept,
    concat_ws(' ', count, counts, bytes) AS counted
  FROM (SELECT z.id, question_count, counts_by_kind, content_bytes, count(index)::int AS count,
          coalesce(sum(bytes), 0)::int AS bytes, ${COUNTS_BY_KIND} AS counts
        FROM quizzes z LEFT JOIN (
          SELECT quiz_id, index, question_bytes(text, explanation, answers) AS bytes
          FROM questions JOIN question_kinds USING (difficulty, type)) AS q ON quiz_id = z.id
        WHERE ${of} GROUP BY z.id) AS counted
  WHERE (question_count, counts_by_kind, content_bytes) IS DISTINCT FROM (count, counts, bytes)`;

/** Whether the copies that a question (q) has of columns of its quiz (z) differ. Draws step along an index of them. */
const COPIES_DIFFER = sql`(q.is_public, q.owner_id, q.category_key) IS DISTINCT FROM (z.is_public, z.owner_id, z.category_key)`;

/** These questions, as key, kept and counted. */
const WRONG_COPIES = sql`
  SELECT q.id::text AS key, concat_ws(' ', q.is_public, q.owner_id, q.category_key) AS kept,
    concat_ws(' ', z.is_public, z.owner_id, z.category_key) AS counted
  FROM questions q JOIN quizzes z ON z.id = q.quiz_id WHERE ${COPIES_DIFFER}`;

/** Quizzes with a wrong count of questions or a wrong copy, in the order in which accounts are locked. */
const WRONG_QUIZZES = sql`
  SELECT id FROM quizzes JOIN (
    SELECT key::uuid AS id FROM (${ownCountsOf()}) AS differing
    UNION SELECT quiz_id FROM questions q JOIN quizzes z ON z.id = q.quiz_id WHERE ${COPIES_DIFFER}) AS wrong USING (id)
  ORDER BY owner_id, id`;

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
  await note('counts of quizzes', sql`SELECT count(*) FROM quizzes`, ownCountsOf());
  await note('catalog_counts', sql`SELECT count(*) FROM catalog_counts WHERE ${IS_ANY}`, DIFFERING);
  await note('copies on questions', sql`SELECT count(*) FROM questions`, WRONG_COPIES);
  await note('accounts.content_bytes', sql`SELECT count(*) FROM accounts`, ACCOUNT_BYTES);
  return checks;
}

/**
 * Recounts everything. Readers see the old counters until it commits; changes of public content wait until then,
 * about a minute at a million quizzes.
 */
export async function rebuildCounters(tx: EntityManager): Promise<void> {
  await liftStatementTimeout(tx);
  for (const { id } of await query<{ id: string }[]>(tx, WRONG_QUIZZES)) await fixQuiz(tx, id);
  await fixAccountBytes(tx);
  // What the corrected quizzes add at the commit would be counted twice.
  await query(tx, sql`SET CONSTRAINTS ALL IMMEDIATE`);
  await query(tx, sql`SELECT pg_advisory_xact_lock(counters_lock())`);
  await query(tx, sql`NOTIFY quiz_content`);
  await query(tx, sql`DELETE FROM catalog_counts`);
  await query(
    tx,
    sql`INSERT INTO catalog_counts (tag_key, category_key, name, quizzes, quizzes_by_difficulty, question_count, counts_by_kind)
        ${COUNTED} ORDER BY 1, 2`,
  );
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

/** Counts a quiz's questions and corrects their copies, under the locks that every change of them takes. */
async function fixQuiz(tx: EntityManager, id: string): Promise<void> {
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
  await query(
    tx,
    sql`UPDATE questions q SET is_public = z.is_public, owner_id = z.owner_id, category_key = z.category_key
        FROM quizzes z WHERE z.id = ${id} AND q.quiz_id = z.id AND ${COPIES_DIFFER}`,
  );
}
