import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { generateKey, hashKey } from '../../dist/access/api-keys/api-key.rules.js';
import { Child } from '../support/child.mjs';

/** What every contender is asked for, as paths of the API. */
export const READS = {
  list: () => ['/api/v1/quizzes'],
  detail: ({ quizIds }) => quizIds.map((id) => `/api/v1/quizzes/${id}`),
  browse: () => ['/api/v1/questions'],
  metadata: () => ['/api/v1/metadata'],
  categories: () => ['/api/v1/categories'],
};

/** The floor: see floor.mjs. */
export async function startFloor({ url, reader, defer }) {
  const { child, first: origin } = await Child.start('reads/floor.mjs', {
    env: { DATABASE_URL: url, READER_ID: reader.id },
  });
  defer(() => child.stop());
  return { name: 'floor', child, origin, requests: asPaths([{}]) };
}

/** Our API, as `npm run start:api` runs it; the limit is on, but out of reach. Every request is a first one. */
export async function startService({ url, reader, execArgv, defer, env = {} }) {
  const { child, first } = await Child.start('../dist/bin/api.js', {
    env: {
      DATABASE_URL: url,
      REDIS_URL: '',
      PORT: '0',
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      RATE_LIMIT_PER_MINUTE: '1000000000',
      LOG_LEVEL: 'info',
      ...env,
    },
    execArgv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  defer(() => child.stop());
  return {
    name: 'service',
    fresh: true,
    child,
    origin: `http://127.0.0.1:${first.port}`,
    requests: asPaths(reader.keys.map((key) => ({ authorization: `Bearer ${key}` }))),
  };
}

/** Each path with one of the headers in turn; every one of them is used. */
const asPaths = (headers) => (read, sample) => {
  const paths = READS[read](sample);
  return Array.from({ length: Math.max(paths.length, headers.length) }, (_, n) => ({
    path: paths[n % paths.length],
    headers: headers[n % headers.length],
  }));
};

/** A Nest application with nothing but the two routes, and the service's own answers: see bare-nest.mjs. */
export async function startBareNest({ origin, defer }) {
  const { child, first } = await Child.start('reads/bare-nest.mjs', { env: { ORIGIN: origin } });
  defer(() => child.stop());
  return { name: 'bare Nest', child, origin: first, requests: asPaths([{}]) };
}

/** As many clients as the load has connections: the service works on four requests of an account at a time. */
const CLIENTS = 8;

/** The account that reads, new keys of it and of others, and some public quizzes. */
export async function prepare({ url, email }) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: accounts } = await client.query(
      `SELECT id FROM accounts ORDER BY email_key <> $1, email_key LIMIT ${CLIENTS}`,
      [email],
    );
    const keys = accounts.map(() => generateKey('test'));
    for (const [n, key] of keys.entries())
      await client.query(
        `INSERT INTO api_keys (id, account_id, name, hash, prefix, last_four, created_at) VALUES ($1, $2, 'bench', $3, 'svc_test_', $4, now())`,
        [randomUUID(), accounts[n].id, hashKey(key), key.slice(-4)],
      );
    const { rows } = await client.query(
      `SELECT id FROM quizzes WHERE is_public ORDER BY md5(id::text) LIMIT 200`,
    );
    return {
      reader: { id: accounts[0].id, keys },
      sample: { quizIds: rows.map((row) => row.id) },
    };
  } finally {
    await client.end();
  }
}
