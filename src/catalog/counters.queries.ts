import type { EntityManager } from 'typeorm';

/** How a counter stands against a count of what it counts. */
export interface CounterCheck {
  counter: string;
  /** Rows that are counted. */
  rows: number;
  /** Rows that differ. */
  wrong: number;
  /** The first of them by its key; a row that is not there is as good as zero. */
  example: { key: string; kept: string; counted: string } | null;
}

interface Counter {
  table: string;
  keys: string;
  /** A spelling that is kept beside the number, for people: any that is in use will do. */
  spelling?: string;
  value: string;
  /** Selects keys, spelling and value in this order. */
  truth: string;
}

const COUNTERS: readonly Counter[] = [
  {
    table: 'quiz_counts',
    keys: 'category_key, difficulty',
    spelling: 'category',
    value: 'quizzes',
    truth: `SELECT category_key, difficulty, max(category) AS category, count(*) AS quizzes
            FROM quizzes WHERE is_public GROUP BY 1, 2`,
  },
  {
    table: 'question_counts',
    keys: 'category_key, difficulty, type',
    value: 'questions',
    truth: `SELECT category_key, difficulty, type, count(*) AS questions
            FROM questions WHERE is_public GROUP BY 1, 2, 3`,
  },
  {
    table: 'tag_counts',
    keys: 'tag_key',
    spelling: 'tag',
    value: 'quizzes',
    truth: `SELECT tag_key, max(tag) AS tag, count(*) AS quizzes
            FROM quizzes, unnest(tag_keys, tags) AS t (tag_key, tag) WHERE is_public GROUP BY 1`,
  },
  {
    table: 'category_tag_counts',
    keys: 'category_key, tag_key',
    value: 'quizzes',
    truth: `SELECT category_key, tag_key, count(*) AS quizzes
            FROM quizzes, unnest(tag_keys) AS tag_key WHERE is_public GROUP BY 1, 2`,
  },
];

/** A quiz's own count of its questions, from which the totals of questions follow. */
const OWN_COUNTS = {
  name: 'quizzes.question_mix',
  differing: (of = 'true') => `
    SELECT id::text AS key, question_count || ' ' || question_mix::text AS kept, count || ' ' || mix::text AS counted
    FROM (SELECT z.id, question_count, question_mix, count(place)::int AS count, ${mixOf('place')} AS mix
          FROM quizzes z LEFT JOIN (
            SELECT quiz_id, (array_position(enum_range(NULL::difficulty), difficulty) - 1) * 3
              + array_position(enum_range(NULL::question_type), type) AS place FROM questions) AS q ON quiz_id = z.id
          WHERE ${of} GROUP BY z.id) AS mixes
    WHERE (question_count, question_mix) IS DISTINCT FROM (count, mix)`,
};

function mixOf(place: string): string {
  const kinds = Array.from(
    { length: 12 },
    (_, kind) => `count(*) FILTER (WHERE ${place} = ${kind + 1})::int`,
  );
  return `ARRAY[${kinds.join(', ')}]`;
}

/**
 * Holds every counter against a count of what it counts, as of one moment: what is written meanwhile does not
 * disturb it. It reads everything that there is.
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
  for (const { table, keys, value, truth } of COUNTERS)
    await note(
      table,
      `SELECT count(*) FROM ${table} WHERE ${value} <> 0`,
      `SELECT concat_ws(', ', ${keys}) AS key, coalesce(kept.${value}, 0)::text AS kept, coalesce(truth.${value}, 0)::text AS counted
       FROM ${table} AS kept FULL JOIN (${truth}) AS truth USING (${keys})
       WHERE coalesce(kept.${value}, 0) <> coalesce(truth.${value}, 0)`,
    );
  await note(OWN_COUNTS.name, 'SELECT count(*) FROM quizzes', OWN_COUNTS.differing());
  return checks;
}

/**
 * Counts everything anew. Readers see the old counters until it commits; who changes what is public waits until
 * then, about three seconds at a million quizzes.
 */
export async function rebuildCounters(tx: EntityManager): Promise<void> {
  await tx.query(`SET LOCAL statement_timeout = 0`);
  for (const { key } of await tx.query<{ key: string }[]>(OWN_COUNTS.differing()))
    await mendOwnCount(tx, key);
  // What the mended quizzes add at the commit would come on top of what is counted here.
  await tx.query(`SET CONSTRAINTS ALL IMMEDIATE`);
  await tx.query(`SELECT pg_advisory_xact_lock(counters_lock())`);
  for (const { table, keys, spelling, value, truth } of COUNTERS) {
    await tx.query(`DELETE FROM ${table}`);
    await tx.query(
      `INSERT INTO ${table} (${[keys, spelling, value].filter(Boolean).join(', ')}) ${truth}`,
    );
  }
}

/** Counts a quiz's questions under the lock that every change of them takes. */
async function mendOwnCount(tx: EntityManager, id: string): Promise<void> {
  await tx.query(`SELECT FROM quizzes WHERE id = $1 FOR NO KEY UPDATE`, [id]);
  await tx.query(
    `UPDATE quizzes SET (question_count, question_mix) = (
       SELECT split_part(counted, ' ', 1)::int, split_part(counted, ' ', 2)::int[]
       FROM (${OWN_COUNTS.differing('z.id = $1')}) AS d)
     WHERE id = $1 AND EXISTS (${OWN_COUNTS.differing('z.id = $1')})`,
    [id],
  );
}
