import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { Client } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#embedded-postgres';
import { SETTING_NAMES } from '../../src/platform/config/settings';
import { migrate } from '../../src/platform/database/migrate';
import { reachDatabase } from '../../src/platform/database/reach';
import { createDatabase, urlOf } from './database';
import { RedisServer } from './redis-server';

/**
 * What one run of Jest starts and makes: a PostgreSQL server (unless there is a DATABASE_URL), a migrated template
 * database, a Redis (where redis-server is installed and there is no TEST_REDIS_URL), and a folder that is the TMPDIR
 * of everything the run starts. A process of its own, the cleaner, removes all of it when this process ends, however
 * it ends: test/support/cleaner.cjs.
 */
export class TestRun {
  private constructor(
    private readonly folder: string,
    private readonly serverFolder: string,
    private readonly server: string,
    private readonly cleaner: ChildProcess,
    private readonly embedded?: EmbeddedPostgres,
    private readonly redis?: RedisServer,
  ) {}

  static async start(): Promise<TestRun> {
    const folder = mkdtempSync(join(tmpdir(), 'quiz-test-'));
    const given = process.env.DATABASE_URL;
    const prefix = basename(folder).replace(/\W/g, '_').toLowerCase();
    const serverFolder = join(hasRoomInMemory() ? MEMORY : folder, `${prefix}_server`);
    const args = [join(__dirname, 'cleaner.cjs'), folder, serverFolder, prefix];
    const cleaner = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, DATABASE_URL: given },
      // Its own session: a Ctrl-C in the terminal does not reach it.
      detached: true,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    cleaner.unref();
    (cleaner.stdin as unknown as { unref(): void }).unref();

    stopWithShell();
    // Every process of the run has the folder in its environment, by which the cleaner finds it: tests that give a
    // process an environment of its own pass PATH on.
    process.env.TMPDIR = folder;
    // On Node 24, tsc and npm keep compiled code in TMPDIR, which is then counted as left behind.
    process.env.NODE_DISABLE_COMPILE_CACHE = '1';
    process.env.PATH += delimiter + folder;
    const embedded = given ? undefined : await startServer(serverFolder);
    if (given) await reachDatabase(given, { patience: 10_000 });
    const server = embedded?.url ?? given ?? '';
    const template = `${prefix}_template`;
    await createDatabase(server, template);
    await migrate(urlOf(server, template));
    const redis =
      RedisServer.installed && !process.env.TEST_REDIS_URL ? await RedisServer.start() : undefined;
    if (redis) process.env.TEST_REDIS_URL = redis.url;
    process.env.TEST_SERVER_URL = server;
    process.env.TEST_TEMPLATE = template;
    process.env.TEST_DATABASE_PREFIX = prefix;
    // Settings of the person who runs the tests must not reach the service under test. Jest has set NODE_ENV.
    for (const name of SETTING_NAMES) if (name !== 'NODE_ENV') delete process.env[name];
    return new TestRun(folder, serverFolder, server, cleaner, embedded, redis);
  }

  /** Removes everything. Rejects when tests have left processes, files or databases behind. */
  async end(): Promise<void> {
    await this.redis?.kill();
    const left = [
      ...this.processes().map((it) => `process ${it}`),
      ...readdirSync(this.folder)
        .filter((it) => it !== basename(this.serverFolder))
        .map((it) => `file or folder ${it}`),
      ...(await this.databases()).map((it) => `database ${it}`),
    ];
    await this.embedded?.stop();
    const cleaned = once(this.cleaner, 'exit');
    this.cleaner.ref();
    this.cleaner.stdin?.end();
    await cleaned;
    endAtLast();
    if (left.length > 0) throw new Error(`The tests left this behind:\n  ${left.join('\n  ')}`);
  }

  /** The run's processes other than the PostgreSQL server's. */
  private processes(): string[] {
    if (process.platform !== 'linux') return [];
    return readdirSync('/proc').flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const isServer = command.includes(this.serverFolder) || /^postgres: /.test(command);
        return environment.includes(this.folder) && !isServer ? [`${pid} (${command})`] : [];
      } catch {
        return [];
      }
    });
  }

  private async databases(): Promise<string[]> {
    const client = new Client({ connectionString: this.server });
    await client.connect();
    try {
      const { rows } = await client.query<{ datname: string }>(
        `SELECT datname FROM pg_database WHERE starts_with(datname, $1) AND datname <> $2`,
        [process.env.TEST_DATABASE_PREFIX, process.env.TEST_TEMPLATE],
      );
      return rows.map((it) => it.datname);
    } finally {
      await client.end();
    }
  }
}

/** Linux: files in memory. To copy the template there takes a third of the processor time that it takes on a disk. */
const MEMORY = '/dev/shm';

/** Containers often have 64 MB there; a run needs some hundred. */
function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > 2 ** 31;
  } catch {
    return false;
  }
}

/** A run whose process does not end by itself fails; test/support/jest/environment.cjs names the test file. */
function endAtLast(): void {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(`The run does not end by itself: it left open ${open}.\n`);
    process.exit(1);
  }, 15_000).unref();
}

/** npm passes a signal on to the shell by which it has started us, and Debian's shell ends without passing it on. */
function stopWithShell(): void {
  if (!process.env.npm_lifecycle_event) return;
  const { ppid } = process;
  setInterval(() => process.ppid !== ppid && process.kill(process.pid, 'SIGTERM'), 500).unref();
}

function startServer(dataDir: string): Promise<EmbeddedPostgres> {
  // Nothing here has to survive a power cut, and most of the work is to copy the template.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '256MB',
    max_connections: '300',
  };
  return startEmbeddedPostgres({ dataDir, settings });
}
