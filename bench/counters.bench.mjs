// Counters after many writers at once, killed in the middle: each is held against a count.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../dist/platform/database/migrate.js';
import { Child } from './support/child.mjs';
import { startPostgres } from './support/postgres.mjs';

export const about = 'counters held against counts, after 16 writers that were killed';

export const rows = {
  C1: {
    what: 'counters that are wrong after 16 writers, kills included',
    against: 'count(*)',
    target: { equal: 0 },
  },
};

export const options = {
  rounds: { default: 5, brief: 2, about: 'rounds; each ends with kill -9' },
  seconds: { default: 3, brief: 1.5, about: 'how long the writers write before they are killed' },
};

const OWNERS = 4;

export async function run({ rounds, seconds }, defer) {
  const postgres = await startPostgres(defer);
  const url = await postgres.createDatabase('counters');
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  defer(() => client.end());
  const owners = Array.from({ length: OWNERS }, () => randomUUID());
  for (const owner of owners)
    await client.query(
      `INSERT INTO accounts (id, email, email_key, plan, created_at) VALUES ($1, $2, $2, 'pro', now())`,
      [owner, `${owner}@bench.invalid`],
    );
  const env = { DATABASE_URL: url, OWNERS: owners.join(), QUIZ_QUOTA_PRO: '1000000' };
  const found = [];
  for (let round = 1; round <= rounds; round++) {
    const newest = await newestQuestion(client);
    const { child } = await Child.start('counters/writers.mjs', { env });
    defer(() => child.stop());
    await questionAfter(newest, client);
    await sleep(seconds * 1_000);
    if (child.ended) throw new Error('void, a writer met an error.');
    await child.kill();
    found.push({ round, ...(await look(client, env)) });
  }
  return summary(found);
}

/** Ids begin with the time, so the newest is the greatest. */
async function newestQuestion(client) {
  const { rows } = await client.query('SELECT id FROM questions ORDER BY id DESC LIMIT 1');
  return rows[0]?.id ?? '';
}

/** The seconds count from here: on a busy machine the writers take a while to begin. */
async function questionAfter(id, client) {
  for (let tries = 0; tries < 300; tries++) {
    if ((await newestQuestion(client)) > id) return;
    await sleep(100);
  }
  throw new Error('void, the writers wrote nothing.');
}

/** @returns what is stored after the kill, and how many counters differ from their counts */
async function look(client, env) {
  const { child, first: checks } = await Child.start('counters/verify.mjs', { env });
  await child.stop();
  const {
    rows: [stored],
  } = await client.query(
    `SELECT (SELECT count(*)::int FROM quizzes) AS quizzes, (SELECT count(*)::int FROM questions) AS questions`,
  );
  const sum = (field) => checks.reduce((all, check) => all + check[field], 0);
  return { ...stored, counters: sum('rows'), wrong: sum('wrong') };
}

function summary(found) {
  return {
    title: 'Counters after kills',
    notes: [
      'Counters: 16 writers create, edit, publish, approve and delete quizzes and import questions, in one process that ends by kill -9 in each round; then every counter is held against a count.',
    ],
    tables: [
      {
        columns: ['counters', 'quizzes', 'questions', 'counters held', 'wrong'],
        rows: found.map(({ round, quizzes, questions, counters, wrong }) =>
          [`after kill ${round}`, quizzes, questions, counters, wrong].map(String),
        ),
      },
    ],
    data: found,
    measured: { C1: found.reduce((all, { wrong }) => all + wrong, 0) },
  };
}
