import pg from 'pg';
import { DataSource } from 'typeorm';
import { CountersService } from '../../dist/catalog/discovery/counters.service.js';
import { migrate } from '../../dist/platform/database/migrate.js';
import { inBulk } from './bulk.mjs';
import { contentAt, FUNCTIONS } from './content.mjs';

/** As many sessions load side by side. */
const SESSIONS = 2;

/** Owns twenty private quizzes, at every scale; no key yet. */
export const READER = 'reader@bench.invalid';

/**
 * Migrates an empty database and fills it by the statements of content.mjs. Counters are built at the end, as
 * `quizctl counters rebuild` builds them.
 * @param say is called when a step is done, with its name and how long it took
 * @throws when there is no such scale, or the database has accounts or quizzes; it is then as it was
 */
export async function load(url, scale, say = () => undefined) {
  const content = contentAt(scale);
  await requireEmpty(url);
  await migrate(url);
  const clients = Array.from({ length: SESSIONS }, () => new pg.Client({ connectionString: url }));
  const [first] = clients;
  const step = stopwatch(say);
  try {
    for (const client of clients) {
      await client.connect();
      await client.query(`SET synchronous_commit = off; SET session_replication_role = replica`);
      await client.query(FUNCTIONS);
    }
    const tables = ['accounts', 'topics', 'categories', 'quizzes', 'quiz_tags', 'quiz_search', 'questions', 'question_search'];
    await inBulk(first, tables, async () => {
      for (const [what, sql, parts = [[]]] of content) {
        await Promise.all(
          clients.map(async (client) => {
            for (let part = parts.shift(); part; part = parts.shift()) await client.query(sql, part);
          }),
        );
        step(what);
      }
    });
    step('indexes');
    // The triggers that count bytes are off while rows are loaded.
    await first.query(`
      UPDATE quizzes SET content_bytes = bytes FROM (
        SELECT quiz_id, sum(question_bytes(text, explanation, answers)) AS bytes FROM questions GROUP BY quiz_id) AS q
      WHERE id = quiz_id;
      UPDATE accounts a SET content_bytes = bytes FROM (
        SELECT owner_id, sum(content_bytes) AS bytes FROM quizzes GROUP BY owner_id) AS z
      WHERE a.id = z.owner_id`);
    step('content bytes');
    await first.query('VACUUM ANALYZE');
    step('vacuum');
    await rebuild(url);
    step('counters');
    await first.query('VACUUM ANALYZE');
    await first.query('CHECKPOINT');
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function requireEmpty(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const table of ['accounts', 'quizzes']) {
      const { rows } = await client.query(`SELECT to_regclass($1) IS NOT NULL AS exists`, [table]);
      if (!rows[0].exists) continue;
      const { rowCount } = await client.query(`SELECT FROM ${table} LIMIT 1`);
      if (rowCount > 0) throw new Error(`The database has ${table}: choose an empty one.`);
    }
  } finally {
    await client.end();
  }
}

async function rebuild(url) {
  const database = await new DataSource({ type: 'postgres', url }).initialize();
  try {
    await new CountersService(database).rebuild();
  } finally {
    await database.destroy();
  }
}

function stopwatch(say) {
  let begun = performance.now();
  return (what) => {
    const now = performance.now();
    say(`${what}: ${((now - begun) / 1_000).toFixed(1)} s`);
    begun = now;
  };
}
