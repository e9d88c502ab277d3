// Directus on the tables of the service, with its defaults but without limiter and log, and read without a token: its
// public policy allows public quizzes and questions. Its own tables are in a schema that is dropped when it stops.
// Its first message is its address.
import { once } from 'node:events';
import Module, { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import pg from 'pg';

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
// Directus copies its picture of all tables for each request: 41 further tables made a list a third more expensive.
const { rows } = await client.query(
  `SELECT string_agg(tablename, ',') AS others FROM pg_tables
   WHERE schemaname = 'public' AND tablename NOT IN ('quizzes', 'questions')`,
);
await client.query('DROP SCHEMA IF EXISTS directus CASCADE; CREATE SCHEMA directus');

Object.assign(process.env, {
  CONFIG_PATH: '/dev/null',
  DB_CLIENT: 'pg',
  DB_CONNECTION_STRING: process.env.DATABASE_URL,
  DB_SEARCH_PATH: 'array:directus,public',
  DB_EXCLUDE_TABLES: rows[0].others,
  SECRET: 'a secret of the bench',
  PUBLIC_URL: 'http://127.0.0.1',
  EXTENSIONS_PATH: tmpdir(),
  STORAGE_LOCAL_ROOT: tmpdir(),
  LOG_LEVEL: 'error',
  PRESSURE_LIMITER_ENABLED: 'false',
  TELEMETRY: 'false',
});

// isolated-vm is compiled when it is installed, and used for extensions and scripts only, of which there are none.
const require = createRequire(import.meta.url);
const isolate = require.resolve('isolated-vm');
require.cache[isolate] = Object.assign(new Module(isolate), { filename: isolate, loaded: true });

const { getDatabase } = await import('@directus/api/database/index');
const database = getDatabase();
await (await import('@directus/api/database/seeds/run')).default(database);
await (await import('@directus/api/database/migrations/run')).default(database, 'latest', false);

await database('directus_collections').insert([
  { collection: 'quizzes' },
  { collection: 'questions' },
]);
await database('directus_fields').insert([
  { collection: 'quizzes', field: 'questions', special: 'o2m' },
  { collection: 'questions', field: 'quiz_id', special: 'm2o' },
]);
await database('directus_relations').insert({
  many_collection: 'questions',
  many_field: 'quiz_id',
  one_collection: 'quizzes',
  one_field: 'questions',
});
const { policy } = await database('directus_access')
  .first('policy')
  .where({ role: null, user: null });
await database('directus_permissions').insert(
  ['quizzes', 'questions'].map((collection) => ({
    policy,
    collection,
    action: 'read',
    fields: '*',
    permissions: JSON.stringify({ is_public: { _eq: true } }),
  })),
);

const { createServer } = await import('@directus/api/server');
const server = await createServer();
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send(`http://127.0.0.1:${server.address().port}`);
const stop = () =>
  void client.query('DROP SCHEMA IF EXISTS directus CASCADE').finally(() => process.exit(0));
process.on('disconnect', stop);
process.removeAllListeners('SIGTERM').on('SIGTERM', stop);
