import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { chooseRunAs, commandFor, freePort } from '#embedded-postgres';
import { migrate, MIGRATION_NAMES } from '../../src/platform/database/migrate';
import { reachDatabase } from '../../src/platform/database/reach';
import { eventually } from '../support/clock';
import { InstalledPostgres } from '../support/installed-postgres';
import { quizBody } from '../support/samples';
import { startService } from '../support/service';

const PROGRAM = '/usr/sbin/pgbouncer';
const [, major = 0, minor = 0] = (
  /PgBouncer (\d+)\.(\d+)/.exec(
    spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' }).stdout ?? '',
  ) ?? []
).map(Number);
const isInstalled = major > 0 && InstalledPostgres.programs !== undefined;
const keepsStatements = major > 1 || minor >= 21;

/** docs/scaling.md, its lines as they stand there. */
const PAGE = readFileSync(join(__dirname, '../../docs/scaling.md'), 'utf8');
const lines = (beginning: string) => PAGE.match(new RegExp(`(?<=^ *)${beginning}.*`, 'gm')) ?? [];

(isInstalled ? describe : describe.skip)('PgBouncer (needs pgbouncer and PostgreSQL)', () => {
  let server: InstalledPostgres;
  let bouncer: ChildProcess | undefined;

  beforeAll(async () => {
    server = await InstalledPostgres.start();
  }, 60_000);
  afterEach(async () => {
    if (bouncer?.kill('SIGKILL')) await once(bouncer, 'exit');
    bouncer = undefined;
    server.run(
      'dropdb --force quiz; createdb quiz; psql --command="ALTER ROLE quiz RESET ALL" quiz',
    );
  });
  afterAll(() => server.stop());

  /** @returns the URL of the database behind the pooler */
  async function pool(mode: string, ...settings: string[]): Promise<string> {
    const port = await freePort();
    const file = join(server.folder, 'pgbouncer.ini');
    const main = [
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
    ];
    writeFileSync(
      file,
      [
        '[databases]',
        `quiz = host=127.0.0.1 port=${server.port} dbname=quiz user=quiz`,
        '[pgbouncer]',
        ...main,
        `pool_mode = ${mode}`,
        ...settings,
      ].join('\n'),
      { mode: 0o644 },
    );
    const { command, args, ...user } = commandFor(
      await chooseRunAs(PROGRAM, server.folder),
      PROGRAM,
      [file],
    );
    bouncer = spawn(command, args, { ...user, stdio: 'ignore' });
    const url = `postgres://quiz@127.0.0.1:${port}/quiz`;
    await eventually(() => ask(url, 'SELECT 1 AS one'));
    return url;
  }

  async function ask(url: string, statement: string): Promise<unknown> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<object>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  it('a start through PgBouncer reports the setting it refuses and points to docs/scaling.md', async () => {
    const url = await pool('transaction');
    await expect(reachDatabase(url, { patience: 3_000 })).rejects.toThrow(
      /^The pooler at 127\.0\.0\.1:\d+\/quiz refuses a setting of this service \(unsupported startup parameter: \w+\)\. .*docs\/scaling\.md\.$/,
    );
  });

  it('migrations run through PgBouncer with the settings of docs/scaling.md and leave no lock', async () => {
    const statements = lines('ALTER ROLE quiz SET');
    expect(statements).toHaveLength(3);
    for (const statement of statements) await ask(server.urlOf('quiz'), statement);
    const url = await pool('transaction', ...lines('ignore_startup_parameters'));
    expect(await ask(url, 'SHOW statement_timeout')).toEqual([{ statement_timeout: '15s' }]);
    expect(await migrate(url)).toEqual(MIGRATION_NAMES);
    expect(
      await ask(server.urlOf('quiz'), `SELECT FROM pg_locks WHERE locktype = 'advisory'`),
    ).toEqual([]);
    expect(await migrate(server.urlOf('quiz'))).toEqual([]);
    expect(await ask(url, 'SHOW statement_timeout')).toEqual([{ statement_timeout: '15s' }]);
  });

  it('PgBouncer that keeps no prepared statements is refused in transaction mode', async () => {
    // Before 1.21 it never keeps them, and does not know the setting.
    const settings = keepsStatements ? ['max_prepared_statements = 0'] : [];
    const url = await pool('transaction', ...lines('ignore_startup_parameters'), ...settings);
    await expect(reachDatabase(url, { patience: 3_000 })).rejects.toThrow(
      /does not support prepared statements\. Use PgBouncer 1\.21 or newer with max_prepared_statements/,
    );
  });

  it.each(keepsStatements ? ['transaction', 'session'] : ['session'])(
    'the API reads and writes through PgBouncer in %s mode',
    async (mode) => {
      const [, enough] = /`max_prepared_statements` above 0 \((\d+) is plenty\)/.exec(PAGE)!;
      const settings = keepsStatements ? [`max_prepared_statements = ${enough}`] : [];
      const url = await pool(mode, ...lines('ignore_startup_parameters'), ...settings);
      await reachDatabase(url);
      await migrate(url);
      const service = await startService({}, { url, drop: () => Promise.resolve() });
      try {
        const account = await service.account();
        for (let times = 0; times < 5; times++) {
          await account.post('/quizzes', quizBody()).expect(201);
          await Promise.all(Array.from({ length: 20 }, () => account.get('/quizzes').expect(200)));
        }
      } finally {
        await service.close();
      }
    },
    60_000,
  );
});
