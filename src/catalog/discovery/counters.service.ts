import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { correctContentBytes } from '../../access/accounts/content-bytes.queries';
import { SUM_OF_COUNTS } from '../questions/counts.queries';
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

const COUNTERS: readonly Counter[] = [
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
];

/**
 * Quizzes whose stored count of questions differs from a count, as key, kept and counted.
 * @param of a condition on quizzes as z
 */
function ownCountsOf(of = 'true'): string {
  const counts = QUESTION_KINDS.map(
    (_, index) => `count(*) FILTER (WHERE kind = ${index + 1})::int`,
  );
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
const ACCOUNT_BYTES = `
  SELECT a.id::text AS key, a.content_bytes::text AS kept, coalesce(sum(z.content_bytes), 0)::text AS counted
  FROM accounts a LEFT JOIN quizzes z ON z.owner_id = a.id
  GROUP BY a.id HAVING a.content_bytes <> coalesce(sum(z.content_bytes), 0)`;

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

/** Verifies and rebuilds the counters behind every total. Triggers maintain them. */
@Injectable()
export class CountersService {
  constructor(private readonly database: DataSource) {}

  /** Compares each counter with a count; exact beside a running service. */
  verify(): Promise<CounterCheck[]> {
    return this.database.transaction((tx) => verifyCounters(tx));
  }

  /** Recounts everything, with or without a running service. */
  async rebuild(): Promise<void> {
    await this.database.transaction((tx) => rebuildCounters(tx));
  }
}

/**
 * Compares every counter with a count in one snapshot, so that concurrent writes do not disturb it. Reads all
 * content.
 */
export async function verifyCounters(tx: EntityManager): Promise<CounterCheck[]> {
  await tx.query(
    `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0`,
  );
  const checks: CounterCheck[] = [];
  const note = async (counter: string, rows: string, differing: string) => {
    const [found] = await tx.query<[Omit<CounterCheck, 'counter'>]>(
      `WITH wrong AS (${differing})
       SELECT (${rows})::int AS rows, (SELECT count(*) FROM wrong)::int AS wrong,
         (SELECT to_jsonb(wrong) FROM wrong ORDER BY key LIMIT 1) AS example`,
    );
    checks.push({ counter, ...found });
  };
  for (const { table, keys, values, truth } of COUNTERS) {
    const nothing = `(${values.map((value) => `0 = ALL (${value} || '{}'::bigint[])`).join(' AND ')})`;
    const numbers = `concat_ws(' ', ${values.join(', ')})`;
    const kept = `(SELECT ${keys}, ${numbers} AS kept FROM ${table} WHERE NOT ${nothing}) AS kept`;
    const counted = `(SELECT ${keys}, ${numbers} AS counted FROM (${truth}) AS t WHERE NOT ${nothing}) AS truth`;
    await note(
      table,
      `SELECT count(*) FROM ${kept}`,
      `SELECT concat_ws(', ', ${keys}) AS key, coalesce(kept, '0') AS kept, coalesce(counted, '0') AS counted
       FROM ${kept} FULL JOIN ${counted} USING (${keys}) WHERE kept IS DISTINCT FROM counted`,
    );
  }
  await note('quizzes.counts_by_kind', 'SELECT count(*) FROM quizzes', ownCountsOf());
  await note('accounts.content_bytes', 'SELECT count(*) FROM accounts', ACCOUNT_BYTES);
  return checks;
}

/**
 * Recounts everything. Readers see the old counters until it commits; changes of public content wait until then,
 * about a minute at a million quizzes.
 */
export async function rebuildCounters(tx: EntityManager): Promise<void> {
  await tx.query(`SET LOCAL statement_timeout = 0`);
  for (const { key } of await tx.query<{ key: string }[]>(ownCountsOf()))
    await fixOwnCount(tx, key);
  await fixAccountBytes(tx);
  // What the corrected quizzes add at the commit would be counted twice.
  await tx.query(`SET CONSTRAINTS ALL IMMEDIATE`);
  await tx.query(`SELECT pg_advisory_xact_lock(counters_lock())`);
  await tx.query(`NOTIFY quiz_content`);
  for (const { table, keys, besides = [], values, truth } of COUNTERS) {
    const others = [...besides, ...values];
    await tx.query(`DELETE FROM ${table}`);
    await tx.query(
      `INSERT INTO ${table} (${keys}, ${others.join(', ')})
       SELECT ${keys}, ${others.join(', ')} FROM (${truth}) AS truth ORDER BY ${keys}`,
    );
  }
}

/** Counts the bytes of accounts under the lock that every change of their content takes. */
async function fixAccountBytes(tx: EntityManager): Promise<void> {
  const differing = () => tx.query<{ key: string; counted: string }[]>(ACCOUNT_BYTES);
  const ids = new Set((await differing()).map(({ key }) => key));
  if (ids.size === 0) return;
  await tx.query(`SELECT FROM accounts WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`, [
    [...ids],
  ]);
  await correctContentBytes(
    tx,
    (await differing()).filter(({ key }) => ids.has(key)),
  );
}

/** Counts a quiz's questions under the locks that every change of them takes. */
async function fixOwnCount(tx: EntityManager, id: string): Promise<void> {
  await tx.query(
    `SELECT FROM accounts WHERE id = (SELECT owner_id FROM quizzes WHERE id = $1) FOR NO KEY UPDATE`,
    [id],
  );
  await tx.query(`SELECT FROM quizzes WHERE id = $1 FOR NO KEY UPDATE`, [id]);
  await tx.query(
    `UPDATE quizzes SET question_count = split_part(counted, ' ', 1)::int, counts_by_kind = split_part(counted, ' ', 2)::int[],
       content_bytes = split_part(counted, ' ', 3)::int
     FROM (${ownCountsOf('z.id = $1')}) AS differing WHERE id::text = key`,
    [id],
  );
}
