import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { migrationsFinding } from '../../src/cli/doctor/findings';
import {
  migrate,
  type Migration,
  MIGRATION_LOCK,
  MIGRATION_NAMES,
  readMigrations,
  requireSchema,
} from '../../src/platform/database/migrate';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { countersEqualCounts } from '../support/counters';
import { cloneDatabase, emptyDatabase, type TestDatabase } from '../support/database';
import { type Receiver, startReceiver } from '../support/receiver';
import { questionBodies } from '../support/samples';
import { type Service, startService } from '../support/service';
import { Traffic } from '../support/traffic';
import { createFixture, type WebhookFixture } from '../support/worker';

/** Other test files hold advisory locks in their own databases. */
const LOCKS = `SELECT pid FROM pg_locks WHERE locktype = 'advisory'
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const released = readMigrations();
const functions = released.at(-1)!;

/** What a next release could bring: a column, its backfill, an index, and changed functions. */
const NEXT: Migration[] = [
  ...released.slice(0, -1),
  {
    name: '0011_audience.sql',
    sql: `LOCK TABLE quizzes IN ACCESS EXCLUSIVE MODE;
      ALTER TABLE quizzes ADD COLUMN audience text CONSTRAINT quizzes_audience_length CHECK (char_length(audience) < 36);`,
  },
  {
    name: '0012_audience_backfill.sql',
    sql: `LOCK TABLE quizzes IN SHARE ROW EXCLUSIVE MODE; UPDATE quizzes SET audience = 'pupils';`,
  },
  {
    name: '0013_audience_index.sql',
    sql: `-- no transaction
DROP INDEX CONCURRENTLY IF EXISTS quizzes_audience_idx;
CREATE INDEX CONCURRENTLY quizzes_audience_idx ON quizzes (audience, id) WHERE is_public;
`,
  },
  { name: `${functions.name}-next`, sql: functions.sql },
];
const NEXT_NAMES = NEXT.slice(released.length - 1).map(({ name }) => name);

describe('schema upgrades', () => {
  let cloned: TestDatabase;
  let database: DataSource;
  const run = <T = unknown>(sql: string, values?: unknown[]) => database.query<T>(sql, values);

  beforeEach(async () => {
    cloned = await cloneDatabase();
    database = await new DataSource({ type: 'postgres', url: cloned.url }).initialize();
  });

  afterEach(async () => {
    await database.destroy();
    await cloned.drop();
  });

  describe('schema upgrades under traffic of the previous release', () => {
    let fixture: WebhookFixture;
    let service: Service;
    let receiver: Receiver;
    let traffic: Traffic;
    let waits: string[];
    const upgrade = () =>
      migrate(fixture.databaseUrl, { onWait: (reason) => waits.push(reason), migrations: NEXT });

    beforeEach(async () => {
      waits = [];
      fixture = await createFixture();
      service = await startService({}, { url: fixture.databaseUrl, drop: () => Promise.resolve() });
      receiver = await startReceiver();
      const author = await service.account('pro');
      await fixture.endpoint(author.accountId, receiver.url('/author'));
      traffic = await Traffic.start(author, await service.account('pro', { isAdmin: true }));
    });

    afterEach(async () => {
      await traffic.stop();
      await service.close();
      await fixture.close();
      await receiver.close();
    });

    /** Every confirmed write is there, every event arrived, every counter is exact. */
    const nothingIsLost = async () => {
      await traffic.stop();
      expect(traffic.errors).toEqual([]);
      const missing = async (table: string, ids: string[]) =>
        service.database.query(
          `SELECT id FROM unnest($1::uuid[]) AS id WHERE id NOT IN (SELECT id FROM ${table})`,
          [ids],
        );
      expect(await missing('quizzes', traffic.quizzes)).toEqual([]);
      expect(await missing('questions', traffic.questions)).toEqual([]);
      expect(
        await missing(`quiz_attempts WHERE submitted_at IS NOT NULL`, traffic.submitted),
      ).toEqual([]);
      await eventually(() => {
        const announced = receiver.at('/author').map(({ body }) => JSON.parse(body).data.quiz_id);
        expect([...new Set(announced)].sort()).toEqual([...traffic.quizzes].sort());
      });
      await countersEqualCounts(service.database);
    };

    it('a schema upgrade under traffic loses no write, play or event and fails no request', async () => {
      expect(await upgrade()).toEqual(NEXT_NAMES);
      await traffic.goesOn(2);
      await nothingIsLost();
      expect(
        await service.database.query(
          `SELECT indisvalid FROM pg_index WHERE indexrelid = 'quizzes_audience_idx'::regclass`,
        ),
      ).toEqual([{ indisvalid: true }]);
    }, 60_000);

    it('requests succeed while a long transaction, such as a backup, keeps a migration waiting', async () => {
      const backup = new Client({
        connectionString: fixture.databaseUrl,
        application_name: 'pg_dump',
      });
      await backup.connect();
      await backup.query('BEGIN; SELECT count(*) FROM quizzes, quiz_search, accounts');
      const upgrading = upgrade();
      const locked = /^a migration needs locks that others have \(pid \d+, pg_dump, since 2.+\)$/;
      while (!waits.some((reason) => locked.test(reason)))
        await new Promise((done) => setTimeout(done, 20));
      await traffic.goesOn(3);
      await backup.end();
      expect(await upgrading).toEqual(NEXT_NAMES);
      await nothingIsLost();
    }, 60_000);
  });

  it('a migration waits for another process, names it, gives up and leaves no lock', async () => {
    await run('DELETE FROM schema_migrations WHERE name = $1', [functions.name]);
    const other = new Client({ connectionString: cloned.url, application_name: 'quiz-migrate' });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const waits: string[] = [];
    await expect(
      migrate(cloned.url, { onWait: (reason) => waits.push(reason), patience: 500 }),
    ).rejects.toThrow(
      /^The schema was not migrated within 1 seconds: another process migrates the schema \(pid \d+, quiz-migrate, since 2.+\)\. Let that process end/,
    );
    expect(waits).toHaveLength(1);
    expect(await run(`${LOCKS} AND NOT granted`)).toEqual([]);
    await other.end();
    expect(await migrate(cloned.url)).toEqual([functions.name]);
    expect(await run(LOCKS)).toEqual([]);
  });

  it('a failing migration is rolled back and runs again at the next start', async () => {
    const name = '9999_note.sql';
    const of = (sql: string) => [...released, { name, sql }];
    const failing = of(`ALTER TABLE accounts ADD COLUMN note text; SELECT 1 / 0`);
    await expect(migrate(cloned.url, { migrations: failing })).rejects.toThrow('division by zero');
    expect(
      await migrate(cloned.url, { migrations: of(`ALTER TABLE accounts ADD COLUMN note text`) }),
    ).toEqual([name]);
  });

  it('a migration replaces the invalid index of an interrupted CREATE INDEX CONCURRENTLY', async () => {
    const index = NEXT.at(-2)!;
    await run(
      'ALTER TABLE quizzes ADD COLUMN audience text; CREATE INDEX quizzes_audience_idx ON quizzes (audience)',
    );
    await run(
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'quizzes_audience_idx'::regclass`,
    );
    expect(await migrate(cloned.url, { migrations: [...released, index] })).toEqual([index.name]);
    const [row] = await run<[{ definition: string; indisvalid: boolean }]>(
      `SELECT pg_get_indexdef(indexrelid) AS definition, indisvalid FROM pg_index WHERE indexrelid = 'quizzes_audience_idx'::regclass`,
    );
    expect(row).toEqual({
      definition: expect.stringContaining('(audience, id)'),
      indisvalid: true,
    });
  });
});

test('a migration without a transaction only replaces indexes: no lock timeout protects reads from it', () => {
  const statements = released
    .filter(({ sql }) => sql.startsWith('-- no transaction\n'))
    .flatMap(({ sql }) => sql.replace(/^--.*$/gm, '').split(/;\s*$/m));
  expect(statements.length).toBeGreaterThan(9);
  for (const statement of statements)
    expect(statement.trim()).toMatch(/^$|^(DROP|CREATE) INDEX CONCURRENTLY /);
});

test('functions.sql is recorded with a hash of its content, so a changed file runs again', () => {
  expect(MIGRATION_NAMES.at(0)).toBe('0001_baseline.sql');
  expect(MIGRATION_NAMES.slice(0, -1).join(' ')).toMatch(/^(\d{4}_\w+\.sql ?)+$/);
  expect(MIGRATION_NAMES.at(-1)).toMatch(/^functions\.sql [0-9a-f]{8}$/);
});

test('a database whose functions were replaced by an upgrade has the schema of this version', async () => {
  const upgraded = await cloneDatabase();
  const database = await new DataSource({ type: 'postgres', url: upgraded.url }).initialize();
  try {
    // The version before it had other functions; its row stays, since its processes may still run.
    await database.query(`INSERT INTO schema_migrations (name) VALUES ('functions.sql 00000000')`);
    expect(await requireSchema(upgraded.url)).toEqual([]);
    expect(await migrationsFinding(upgraded.url)).toMatchObject({ state: 'good' });
    // A newer version that began with an empty database never ran the functions of this one.
    await database.query(`DELETE FROM schema_migrations WHERE name = $1`, [functions.name]);
    await database.query(`INSERT INTO schema_migrations (name) VALUES ('0002_of_tomorrow.sql')`);
    await expect(requireSchema(upgraded.url)).rejects.toThrow('the schema of a newer version');
    expect(await migrationsFinding(upgraded.url)).toMatchObject({ state: 'warning' });
  } finally {
    await database.destroy();
    await upgraded.drop();
  }
});

test('an upgrade removes web origins that would add directives to the policy of pages, and no others', async () => {
  const cloned = await cloneDatabase();
  const database = await new DataSource({ type: 'postgres', url: cloned.url }).initialize();
  const name = '0002_strict_origins.sql';
  const good = ['https://*.example.com', 'http://[::1]:8000', 'https://xn--bcher-kva.example'];
  const bad = ['https://a;script-src', "https://a';x", 'https://a,b', 'https://a\nb'];
  const stored = {
    mixed: [[good[0], bad[0], good[1], ...bad.slice(1), good[2]], good],
    bad: [bad, []],
    any: [['*'], ['*']],
  };
  try {
    for (const [email, [origins]] of Object.entries(stored))
      await database.query(
        `WITH account AS (
           INSERT INTO accounts (id, email, email_key, plan, embed_origins, created_at)
           VALUES (gen_random_uuid(), $1, $1, 'pro', $2, now()) RETURNING id
         )
         INSERT INTO api_keys (id, account_id, name, hash, prefix, last_four, origins, created_at)
         SELECT gen_random_uuid(), id, $1, sha256($1::bytea), 'svc_test_', 'abcd', $2, now() FROM account`,
        [email, origins],
      );
    await database.query(`DELETE FROM schema_migrations WHERE name = $1`, [name]);
    expect(await migrate(cloned.url)).toEqual([name]);
    for (const [email, [before, after]] of Object.entries(stored)) {
      const [account] = await database.query(
        `SELECT a.embed_origins AS frames, k.origins FROM accounts a JOIN api_keys k ON k.account_id = a.id WHERE email = $1`,
        [email],
      );
      // Without any origin a key would work on every website.
      const ofKey = email === 'mixed' ? after : before;
      expect([email, account]).toEqual([email, { frames: after, origins: ofKey }]);
    }
  } finally {
    await database.destroy();
    await cloned.drop();
  }
});

test('an upgrade copies the counters of the version before, and they count until functions.sql has run', async () => {
  const service = await startService({ MODERATION: 'auto' });
  const { database } = service;
  const file = released.find(({ name }) => name === '0088_catalog_counts.sql')!;
  const counted = () =>
    database.query<object[]>(
      `SELECT * FROM catalog_counts WHERE quizzes > 0 ORDER BY tag_key, category_key`,
    );
  try {
    const author = await service.account('pro');
    const quizzes = [
      { category: 'Rivers', difficulty: 'EASY', tags: ['Water', 'map'], language: 'de-AT' },
      { category: 'Rivers', difficulty: 'HARD', tags: ['water'] },
      { category: 'Seas', tags: ['Water'], language: 'de' },
      { category: null, tags: ['map'] },
    ];
    for (const [count, quiz] of quizzes.entries())
      await makeQuiz(author, { ...quiz, published: true }, questionBodies(count + 1));
    const before = await counted();
    expect(before).toHaveLength(15);
    // The four tables, with what the file's views for the version before show.
    for (const [view] of file.sql.matchAll(/^CREATE VIEW [^;]*;/gm)) await database.query(view);
    for (const table of ['tag_facet_counts', 'tag_counts', 'question_counts', 'quiz_counts'])
      await database.query(`
        CREATE TABLE of_${table} AS SELECT * FROM ${table};
        DROP VIEW ${table};
        ALTER TABLE of_${table} RENAME TO ${table}`);
    await database.query(`
      DROP TABLE catalog_counts;
      DROP FUNCTION counter_keys;
      DELETE FROM schema_migrations WHERE name = '${file.name}'`);

    expect(await migrate(service.databaseUrl, { migrations: [...released.slice(0, -1)] })).toEqual([
      file.name,
    ]);
    expect(await counted()).toEqual(before);
    await makeQuiz(author, { ...quizzes[0], published: true }, questionBodies(2));
    await database.query(`DELETE FROM quizzes WHERE category = 'Seas'`);
    await countersEqualCounts(database);
  } finally {
    await service.close();
  }
}, 60_000);

test('a database of a development version is refused with an instruction and is not changed', async () => {
  const empty = await emptyDatabase();
  const database = await new DataSource({ type: 'postgres', url: empty.url }).initialize();
  try {
    await database.query(`
      CREATE TABLE quizzes (id uuid PRIMARY KEY);
      CREATE TABLE schema_migrations (name text PRIMARY KEY);
      INSERT INTO schema_migrations VALUES ('0001_baseline.sql')`);
    const sentence =
      /^The database was created by a development version.+quizctl export.+an empty database or an empty DATA_DIR/;
    await expect(migrate(empty.url)).rejects.toThrow(sentence);
    await expect(requireSchema(empty.url)).rejects.toThrow(sentence);
    expect(
      await database.query(
        `SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname = 'public'`,
      ),
    ).toEqual([{ tables: 2 }]);
  } finally {
    await database.destroy();
    await empty.drop();
  }
});
