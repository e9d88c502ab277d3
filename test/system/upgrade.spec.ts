import { join } from 'node:path';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { verifyCounters } from '../../src/catalog/counters.queries';
import { migrate, MIGRATION_LOCK, MIGRATION_NAMES } from '../../src/platform/database/migrate';
import { newId } from '../../src/platform/ids';
import { countersEqualCounts } from '../support/counters';
import { cloneDatabase, type TestDatabase } from '../support/database';
import { Traffic } from '../support/traffic';

const MIGRATIONS = join(__dirname, '../../src/platform/database/migrations/*.ts');
/** Other test files hold advisory locks in their own databases. */
const LOCKS = `SELECT pid FROM pg_locks WHERE locktype = 'advisory'
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** A database that an older version has filled, brought up to date. */
describe('an upgrade of the schema', () => {
  let cloned: TestDatabase;
  let database: DataSource;
  const run = <T = unknown>(sql: string, values?: unknown[]) => database.query<T>(sql, values);

  beforeAll(async () => {
    cloned = await cloneDatabase();
    database = new DataSource({ type: 'postgres', url: cloned.url, migrations: [MIGRATIONS] });
    await database.initialize();
  });

  afterAll(async () => {
    await database.destroy();
    await cloned.drop();
  });

  const undoTo = async (name: string) => {
    const last = () =>
      run<[{ name: string }]>('SELECT name FROM migrations ORDER BY id DESC LIMIT 1');
    while ((await last())[0].name !== name) await database.undoLastMigration();
  };

  it('keeps counters and copies right, of private quizzes too, and stops no reader while it builds an index', async () => {
    await undoTo('NoFixedShuffle1790000014000');
    await fill(run);
    // Whoever reads quizzes waits as soon as they are locked like this.
    await run(`
      CREATE FUNCTION refuse_to_build() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND mode = 'AccessExclusiveLock'
                   AND relation IN ('quizzes'::regclass, 'quiz_search'::regclass)) THEN
          RAISE 'An index is built while readers wait.';
        END IF;
      END $$;
      CREATE EVENT TRIGGER refuse_to_build ON ddl_command_start WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION refuse_to_build()`);
    expect(await migrate(cloned.url)).toContain('SearchVisibility1790000016000');
    await run('DROP EVENT TRIGGER refuse_to_build');
    expect(await run('SELECT DISTINCT title_sort FROM quizzes')).toEqual([{ title_sort: 'lodz' }]);

    const holds = async () => {
      const checks = await database.transaction((tx) => verifyCounters(tx));
      expect(checks.filter(({ wrong }) => wrong > 0)).toEqual([]);
      await countersEqualCounts(database);
    };
    await holds();
    await run(`UPDATE quizzes SET published = NOT published WHERE right(id::text, 1) < '4'`);
    await run(`DELETE FROM quizzes WHERE right(id::text, 1) = '5'`);
    await holds();
  });

  describe('in use', () => {
    let traffic: Traffic;
    let waits: string[];
    const upgrade = (patience?: number) =>
      migrate(cloned.url, { onWait: (reason) => waits.push(reason), patience });
    const told = async (reason: RegExp) => {
      while (!waits.some((it) => reason.test(it)))
        await new Promise((done) => setTimeout(done, 20));
    };

    beforeEach(async () => {
      waits = [];
      await undoTo('NoFixedShuffle1790000014000');
      const [{ id }] = await run<[{ id: string }]>(
        'SELECT id FROM accounts WHERE disabled_at IS NULL LIMIT 1',
      );
      traffic = new Traffic(cloned.url, id);
      await traffic.start(4, 3);
      await traffic.goesOn(2);
    });

    afterEach(() => traffic.stop());

    it('fails no statement of the older version, and keeps every counter', async () => {
      const done = await upgrade();
      expect(done.at(-1)).toBe(MIGRATION_NAMES.at(-1));
      await traffic.goesOn(2);
      await traffic.stop();
      expect(traffic.errors).toEqual([]);
      const checks = await database.transaction((tx) => verifyCounters(tx));
      expect(checks.filter(({ wrong }) => wrong > 0)).toEqual([]);
      await countersEqualCounts(database);
    });

    it('leaves readers and writers alone while a long transaction, such as a backup, keeps it waiting', async () => {
      const backup = new Client({ connectionString: cloned.url, application_name: 'pg_dump' });
      await backup.connect();
      await backup.query(
        'BEGIN; SELECT count(*) FROM quizzes, quiz_search, question_blocks, accounts',
      );
      const upgrading = upgrade();
      await told(/^a migration needs locks that others have \(pid \d+, pg_dump, since 2.+\)$/);
      await traffic.goesOn(3);
      await backup.end();
      expect((await upgrading).at(-1)).toBe(MIGRATION_NAMES.at(-1));
      await traffic.stop();
      expect(traffic.errors).toEqual([]);
    });
  });

  it('waits for another process, says for which, gives up, and leaves nothing behind', async () => {
    await database.undoLastMigration();
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
    expect(await migrate(cloned.url)).toEqual([MIGRATION_NAMES.at(-1)]);
    expect(await run(LOCKS)).toEqual([]);
  });
});

/** Three blocks of quizzes, a third of them private, and some that were changed afterwards. */
async function fill(run: (sql: string, values?: unknown[]) => Promise<unknown>): Promise<void> {
  const account = newId();
  await run(
    `INSERT INTO accounts (id, email, email_key, plan, is_admin, created_at) VALUES ($1, 'a@b.c', 'a@b.c', 'pro', false, now())`,
    [account],
  );
  await run(
    `INSERT INTO quizzes (id, owner_id, title, title_sort, category, category_key, difficulty, tags, tag_keys, slug,
       published, approval, featured, created_at, updated_at)
     SELECT id, $2, 'Łódź', 'łodz', 'Art', 'art', 'EASY', tags, tags, 'quiz-' || n, n % 3 <> 0, 'approved', false, now(), now()
     FROM unnest($1::uuid[]) WITH ORDINALITY AS i (id, n),
       LATERAL (SELECT ARRAY['all', 'tag ' || n % 5] AS tags) AS t`,
    [Array.from({ length: 900 }, newId), account],
  );
  const disabled = newId();
  await run(
    `INSERT INTO accounts (id, email, email_key, plan, is_admin, created_at, disabled_at)
     VALUES ($1, 'd@b.c', 'd@b.c', 'pro', false, now(), now())`,
    [disabled],
  );
  await run(`UPDATE quizzes SET owner_id = $1 WHERE right(id::text, 1) = '7'`, [disabled]);
  await run(`INSERT INTO quiz_search (quiz_id, content) SELECT id, title_sort FROM quizzes`);
  await run(`UPDATE quizzes SET published = NOT published WHERE right(id::text, 1) > 'c'`);
}
