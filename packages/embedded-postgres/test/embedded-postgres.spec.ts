import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { copyFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { transformFileSync } from '@swc/core';
import { Client } from 'pg';
import { DirectoryLock } from '../src/directory-lock';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../src/index';

const FAST = { fsync: 'off', full_page_writes: 'off', shared_buffers: '16MB' };

const UNWATCHED = { onRestart: () => {}, onGivenUp: () => {} };

const root = mkdtempSync(join(tmpdir(), 'embedded-postgres-'));
const program = join(root, 'program');
const template = join(root, 'template');
const started: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];
let count = 0;

beforeAll(async () => {
  // The launcher as plain JavaScript, for starting it in processes of their own.
  mkdirSync(program);
  const source = join(__dirname, '../src');
  for (const file of readdirSync(source).filter((name) => /(?<!\.spec)\.ts$/.test(name))) {
    const { code } = transformFileSync(join(source, file), {
      swcrc: false,
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs' },
    });
    writeFileSync(join(program, file.replace('.ts', '.js')), code);
  }
  writeFileSync(
    join(program, 'run.js'),
    `const { startEmbeddedPostgres } = require('./embedded-postgres.js');
     const [dataDir, settings, action] = process.argv.slice(2);
     const share = action === 'share';
     startEmbeddedPostgres({ dataDir, settings: JSON.parse(settings), share }).then(async (server) => {
       console.log(JSON.stringify(server));
       if (action === 'stop') await server.stop();
       else process.stdin.resume();
     });`,
  );
  const first = await startEmbeddedPostgres({ dataDir: template, settings: FAST });
  await first.stop();
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const server of started.splice(0)) await server.stop();
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

function freshDir(): string {
  return join(root, `data-${++count}`);
}

/** A data directory as a first start leaves it: a copy, since each initdb takes a second of CPU time. */
function usedDir(): string {
  const dataDir = freshDir();
  // Not cpSync: the files belong to the server's user.
  execFileSync('cp', ['-a', template, dataDir]);
  return dataDir;
}

async function start(dataDir: string, options: Omit<EmbeddedPostgresOptions, 'dataDir'> = {}) {
  const server = await startEmbeddedPostgres({ dataDir, settings: FAST, ...options });
  started.push(server);
  return server;
}

/** Starts in a process of its own, which stops the server at once (`stop`), keeps it for itself or shares it. */
function startProcess(dataDir: string, action: 'stop' | 'keep' | 'share') {
  const child = spawn(
    process.execPath,
    [join(program, 'run.js'), dataDir, JSON.stringify(FAST), action],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_PATH: join(__dirname, '../../../node_modules') },
    },
  );
  children.push(child);
  const exit = once(child, 'exit');
  const answer = new Promise<EmbeddedPostgres>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('\n')) resolve(JSON.parse(text) as EmbeddedPostgres);
    });
    child.once('exit', (code) => reject(new Error(`exit ${code}`)));
  });
  // A test that kills the process does not wait for its answer.
  answer.catch(() => undefined);
  return { child, answer, exit };
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function query(url: string, sql: string) {
  const client = await connect(url);
  try {
    return (await client.query(sql)).rows[0];
  } finally {
    await client.end();
  }
}

function postmasterFile(dataDir: string): string {
  return join(dataDir, 'postgres', 'postmaster.pid');
}

function postmasterPid(dataDir: string): number {
  return Number(readFileSync(postmasterFile(dataDir), 'utf8').split('\n')[0]);
}

function isUp(dataDir: string): boolean {
  return existsSync(postmasterFile(dataDir));
}

/** A standby waits for more to recover for ever, and takes no connections meanwhile. */
const ENDLESS = { ...FAST, hot_standby: 'off' };

function recoverEndlessly(dataDir: string): void {
  writeFileSync(join(dataDir, 'postgres', 'standby.signal'), '');
}

async function untilItRecovers(dataDir: string): Promise<void> {
  const log = join(dataDir, 'postgres.log');
  const has = () => existsSync(log) && readFileSync(log, 'utf8').includes('entering standby mode');
  while (!has()) await sleep(20);
}

/** The file a stopped server would have left if it had been killed, with another process id. */
function leavePostmasterFile(dataDir: string, text: string, pid: number): void {
  writeFileSync(postmasterFile(dataDir), text.replace(/^\d+/, String(pid)));
}

function deadPid(): number {
  return Number(execFileSync('sh', ['-c', 'echo $$']).toString());
}

describe('first start of the embedded PostgreSQL', () => {
  it('a first start creates a UTF-8 database that requires a password', async () => {
    const dataDir = freshDir();
    const server = await start(dataDir);
    expect(server).toMatchObject({ firstStart: true, joined: false });
    expect(server.url).toMatch(/^postgres:\/\/quiz:[0-9a-f]{48}@127\.0\.0\.1:\d+\/quiz$/);

    const row = await query(
      server.url,
      `select current_database() as database, current_user as role,
              current_setting('server_version_num')::int / 10000 as version,
              pg_encoding_to_char(encoding) as encoding, datlocprovider as provider,
              datlocale as locale, lower('ÀÉ') as lowered,
              current_setting('data_checksums') as checksums,
              current_setting('shared_buffers') as buffers
         from pg_database where datname = current_database()`,
    );
    expect(row).toEqual({
      database: 'quiz',
      role: 'quiz',
      version: 18,
      encoding: 'UTF8',
      provider: 'b',
      locale: 'C.UTF-8',
      lowered: 'àé',
      checksums: 'on',
      buffers: '16MB',
    });
    expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);
    await expect(connect(server.url.replace(/quiz:[^@]+/, 'quiz:wrong'))).rejects.toThrow(
      /password/,
    );
  });

  it('pg_trgm compares letters outside ASCII', async () => {
    const { url } = await start(usedDir());
    await query(url, 'create extension pg_trgm');
    expect(await query(url, `select similarity('Пекин', 'Пекине') > 0.4 as similar`)).toEqual({
      similar: true,
    });
  });

  it('a server starts in a data directory with spaces and quotes in its long path', async () => {
    const dataDir = join(freshDir(), `it's a "long" path `.repeat(5), 'ü'.repeat(80));
    expect(dataDir.length).toBeGreaterThan(180);
    const server = await start(dataDir);
    expect(await query(server.url, 'select 1 as one')).toEqual({ one: 1 });
  });

  it('a failed start reports the log and what to do', async () => {
    const dataDir = freshDir();
    const failing = start(dataDir, { settings: { ...FAST, work_mem: 'a lot' } });
    await expect(failing).rejects.toThrow(
      /FATAL: {2}invalid value for parameter "work_mem"[\s\S]*What to do: .*DATABASE_URL/,
    );
    expect((await start(dataDir)).firstStart).toBe(false);
  });
});

describe('later starts of the embedded PostgreSQL', () => {
  it('a second start has the data of the first', async () => {
    const dataDir = freshDir();
    const first = await start(dataDir);
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    expect(isUp(dataDir)).toBe(false);

    const second = await start(dataDir);
    expect(second).toMatchObject({ firstStart: false, joined: false });
    expect(await query(second.url, 'select answer from kept')).toEqual({ answer: 42 });
  });

  it('a start creates the database if a killed one left only the cluster', async () => {
    const dataDir = usedDir();
    const first = await start(dataDir);
    await query(first.url.replace(/quiz$/, 'postgres'), 'drop database quiz');
    await first.stop();
    const second = await start(dataDir);
    expect(await query(second.url, 'select 1 as one')).toEqual({ one: 1 });
  });

  it('a password file that does not match the data directory is reported', async () => {
    const dataDir = usedDir();
    const first = await start(dataDir, { share: true });
    const passwordFile = join(dataDir, 'postgres-password');
    const password = readFileSync(passwordFile, 'utf8');
    writeFileSync(passwordFile, 'wrong');
    await expect(start(dataDir)).rejects.toThrow(/does .*postgres-password belong to/);
    await first.stop();
    await expect(start(dataDir)).rejects.toThrow(/does .*postgres-password belong to/);
    expect(isUp(dataDir)).toBe(false);
    writeFileSync(passwordFile, password);
    await start(dataDir);
  });
});

it('a start or stop whose lock cannot be written leaves no server behind', async () => {
  const dataDir = usedDir();
  const announce = jest.spyOn(DirectoryLock.prototype, 'announce');
  announce.mockRejectedValue(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
  try {
    await expect(start(dataDir, { share: true })).rejects.toThrow(/disk of .* is full/);
    expect(isUp(dataDir)).toBe(false);
    await (await start(dataDir)).stop();
    expect(isUp(dataDir)).toBe(false);
  } finally {
    announce.mockRestore();
  }
});

it('a start whose signal is aborted while the server recovers ends at once, and leaves no server behind', async () => {
  const dataDir = usedDir();
  recoverEndlessly(dataDir);
  const stopping = new AbortController();
  const starting = start(dataDir, { settings: ENDLESS, signal: stopping.signal });
  starting.catch(() => undefined);
  await untilItRecovers(dataDir);
  const begun = Date.now();
  stopping.abort();
  await expect(starting).rejects.toThrow('aborted');
  expect(Date.now() - begun).toBeLessThan(10_000);
  expect(isUp(dataDir)).toBe(false);
});

describe('several processes on one embedded PostgreSQL', () => {
  it('processes join the server that a service shares, and leave it running', async () => {
    const dataDir = usedDir();
    const service = await start(dataDir, { share: true });
    for (const action of ['keep', 'share'] as const) {
      const joined = await startProcess(dataDir, action).answer;
      expect(joined).toEqual({ url: service.url, firstStart: false, joined: true });
    }
    const { answer, exit } = startProcess(dataDir, 'stop');
    expect((await answer).joined).toBe(true);
    await exit;
    expect(await query(service.url, 'select 1 as one')).toEqual({ one: 1 });
    await service.stop();
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres-password', 'postgres.log']);
  });

  it('a process that starts while the service starts joins it as soon as it is ready', async () => {
    const dataDir = freshDir();
    const service = startProcess(dataDir, 'share');
    while (!existsSync(join(dataDir, 'postgres.lock'))) await sleep(1);
    const guest = await start(dataDir);
    expect(guest.joined).toBe(true);
    expect((await service.answer).url).toBe(guest.url);
    service.child.kill('SIGKILL');
    await service.exit;
    expect((await start(dataDir)).joined).toBe(false);
  });

  it('a second service on the same directory is refused with the process that uses it', async () => {
    const dataDir = usedDir();
    await start(dataDir, { supervise: UNWATCHED });
    await expect(start(dataDir, { supervise: UNWATCHED })).rejects.toThrow(
      `${dataDir} is used by another service (process ${process.pid}): stop it, or choose another DATA_DIR`,
    );
  });

  it('a second service waits for one that is about to stop', async () => {
    const dataDir = freshDir();
    const first = await start(dataDir, { supervise: UNWATCHED });
    await first.unshare();
    let second: Promise<EmbeddedPostgres> | undefined;
    const waiting = await new Promise((onWait) => {
      second = start(dataDir, { supervise: UNWATCHED, onWait });
    });
    expect(waiting).toBe(process.pid);
    await first.stop();
    expect(await second).toMatchObject({ firstStart: false, joined: false });
  });

  it('a start that waits for another process ends when its signal is aborted', async () => {
    const dataDir = usedDir();
    await start(dataDir);
    const stopping = new AbortController();
    const waiting = start(dataDir, {
      signal: stopping.signal,
      onWait: () => stopping.abort(),
    });
    await expect(waiting).rejects.toThrow('aborted');
  });

  it.each(['before it begins', 'while it begins', 'in its midst'])(
    'a start that makes the data directory ends when its signal is aborted %s, and leaves none',
    async (when) => {
      const dataDir = freshDir();
      const stopping = new AbortController();
      if (when === 'before it begins') stopping.abort();
      const starting = start(dataDir, { signal: stopping.signal });
      starting.catch(() => undefined);
      const log = join(dataDir, 'postgres.log');
      const has = (text: string) => existsSync(log) && readFileSync(log, 'utf8').includes(text);
      // The log is opened just before initdb is run.
      if (when === 'while it begins') while (!has('')) await nextTurn();
      if (when === 'in its midst') while (!has('bootstrap')) await sleep(5);
      stopping.abort();
      await expect(starting).rejects.toThrow('aborted');
      expect(readdirSync(dataDir).filter((name) => name !== 'postgres.log')).toEqual([]);
    },
  );

  it('processes that start while the service stops wait for its end, and start a server themselves', async () => {
    const dataDir = usedDir();
    for (let round = 0; round < 3; round++) {
      const service = await start(dataDir, { share: true });
      const stopping = service.stop();
      const joining = Array.from({ length: 4 }, async (_, n) => {
        await sleep(8 * n);
        await (await start(dataDir)).stop();
      });
      await Promise.all([stopping, ...joining]);
      expect(isUp(dataDir)).toBe(false);
    }
  });

  it('six processes that start concurrently without a service take turns, after one initdb', async () => {
    const dataDir = freshDir();
    const processes = Array.from({ length: 6 }, () => startProcess(dataDir, 'stop'));
    const answers = await Promise.all(processes.map(({ answer }) => answer));
    expect(await Promise.all(processes.map(({ exit }) => exit))).toEqual(Array(6).fill([0, null]));
    expect(answers.filter((each) => each.firstStart)).toHaveLength(1);
    expect(answers.filter((each) => each.joined)).toHaveLength(0);
    const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8');
    expect(log.match(/running bootstrap script/g)).toHaveLength(1);
    expect(log.match(/starting PostgreSQL/g)).toHaveLength(6);
    expect(isUp(dataDir)).toBe(false);
  });

  it('a start says which process it waits for, and goes on when that one stops', async () => {
    const dataDir = usedDir();
    const first = await start(dataDir);
    let second!: Promise<EmbeddedPostgres>;
    const waitsFor = await new Promise<number>((resolve) => {
      second = start(dataDir, { onWait: resolve });
    });
    expect(waitsFor).toBe(process.pid);
    await first.stop();
    expect((await second).joined).toBe(false);
  });
});

describe('a supervised embedded PostgreSQL that is killed', () => {
  it('is started again on its port, with every commit', async () => {
    const dataDir = usedDir();
    let restarted = () => {};
    const again = new Promise<void>((resolve) => (restarted = resolve));
    const { url } = await start(dataDir, { supervise: { ...UNWATCHED, onRestart: restarted } });
    await query(url, 'create table kept as select 42 as answer');
    const killed = postmasterPid(dataDir);
    process.kill(killed, 'SIGKILL');
    await again;
    expect(postmasterPid(dataDir)).not.toBe(killed);
    expect(await query(url, 'select answer from kept')).toEqual({ answer: 42 });
    expect(await start(dataDir)).toMatchObject({ url, joined: true });
  });

  it('is stopped at once while it recovers, and is not left behind', async () => {
    const dataDir = usedDir();
    const server = await start(dataDir, { settings: ENDLESS, supervise: UNWATCHED });
    recoverEndlessly(dataDir);
    process.kill(postmasterPid(dataDir), 'SIGKILL');
    await untilItRecovers(dataDir);
    const begun = Date.now();
    await server.stop();
    expect(Date.now() - begun).toBeLessThan(10_000);
    expect(isUp(dataDir)).toBe(false);
  });

  it('is given up with the reason if it cannot be started three times', async () => {
    const dataDir = usedDir();
    let giveUp = (_: string) => {};
    const reason = new Promise<string>((resolve) => (giveUp = resolve));
    await start(dataDir, { supervise: { ...UNWATCHED, onGivenUp: giveUp } });
    const version = join(dataDir, 'postgres', 'PG_VERSION');
    writeFileSync(version, '9');
    process.kill(postmasterPid(dataDir), 'SIGKILL');
    expect(await reason).toMatch(
      /The embedded PostgreSQL cannot be used: the server ended at once/,
    );
  });
});

describe('the embedded PostgreSQL after kill -9', () => {
  it('a start after the server was killed recovers every commit, despite busy backends', async () => {
    const dataDir = usedDir();
    const owner = startProcess(dataDir, 'keep');
    const first = await owner.answer;
    await query(first.url, 'create table kept as select 42 as answer');
    const busy = await connect(first.url);
    const endless = busy.query('select count(*) from generate_series(1, 1e12)').catch(() => 'cut');
    const backends = `select count(*)::int as busy from pg_stat_activity where state = 'active' and pid <> pg_backend_pid()`;
    while ((await query(first.url, backends)).busy === 0) await sleep(5);
    process.kill(postmasterPid(dataDir), 'SIGKILL');
    owner.child.kill('SIGKILL');
    await owner.exit;

    const second = await start(dataDir);
    expect(second).toMatchObject({ firstStart: false, joined: false });
    expect(await query(second.url, 'select answer from kept')).toEqual({ answer: 42 });
    expect(await endless).toBe('cut');
  });

  it('a start after a kill during initdb runs initdb again', async () => {
    const dataDir = freshDir();
    const { child, exit } = startProcess(dataDir, 'keep');
    const log = join(dataDir, 'postgres.log');
    while (!existsSync(log) || !readFileSync(log, 'utf8').includes('bootstrap')) await sleep(5);
    child.kill('SIGKILL');
    await exit;
    expect(existsSync(join(dataDir, 'postgres.lock'))).toBe(true);
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);

    const server = await start(dataDir);
    expect(server.firstStart).toBe(true);
    expect(await query(server.url, 'select 1 as one')).toEqual({ one: 1 });
    await server.stop();

    // The killed start's initdb may go on for a while: the next start removes what it still wrote.
    const again = await start(dataDir);
    expect(again.firstStart).toBe(false);
    await again.stop();
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres-password', 'postgres.log']);
  });

  it.each(['keep', 'share'] as const)(
    'a start after the process of a server was killed (%s) ends that server and has its data',
    async (action) => {
      const dataDir = usedDir();
      const { child, answer, exit } = startProcess(dataDir, action);
      await query((await answer).url, 'create table kept as select 42 as answer');
      const orphan = postmasterPid(dataDir);
      child.kill('SIGKILL');
      await exit;
      const server = await start(dataDir);
      expect(server.joined).toBe(false);
      expect(postmasterPid(dataDir)).not.toBe(orphan);
      expect(await query(server.url, 'select answer from kept')).toEqual({ answer: 42 });
    },
  );

  it('a start ends the server of a process that was killed at any moment of its start', async () => {
    const dataDir = usedDir();
    for (const delay of [0, 5, 10, 20, 40, 80]) {
      const { child, exit } = startProcess(dataDir, 'keep');
      while (!existsSync(join(dataDir, 'postgres.lock'))) await sleep(1);
      await sleep(delay);
      child.kill('SIGKILL');
      await exit;
      const server = await start(dataDir);
      expect(await query(server.url, 'select 1 as one')).toEqual({ one: 1 });
      await server.stop();
    }
    expect(isUp(dataDir)).toBe(false);
  });
});

describe('a stale postmaster.pid of the embedded PostgreSQL', () => {
  let dataDir: string;
  let left: string;

  beforeAll(async () => {
    dataDir = usedDir();
    const server = await start(dataDir);
    left = readFileSync(postmasterFile(dataDir), 'utf8');
    await server.stop();
  });

  it('a postmaster.pid of an exited process does not prevent a start', async () => {
    leavePostmasterFile(dataDir, left, deadPid());
    expect(await query((await start(dataDir)).url, 'select 1 as one')).toEqual({ one: 1 });
  });

  it('a postmaster.pid whose process id was reused does not prevent a start', async () => {
    leavePostmasterFile(dataDir, left, process.pid);
    expect(await query((await start(dataDir)).url, 'select 1 as one')).toEqual({ one: 1 });
  });

  it('a postmaster.pid of a zombie does not prevent a start', async () => {
    const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 30']);
    children.push(parent);
    const [zombie] = await once(parent.stdout, 'data');
    leavePostmasterFile(dataDir, left, Number(String(zombie)));
    expect(await query((await start(dataDir)).url, 'select 1 as one')).toEqual({ one: 1 });
  });

  it('a postmaster.pid with a number that no process can have does not prevent a start', async () => {
    leavePostmasterFile(dataDir, left, 2 ** 32);
    expect(await query((await start(dataDir)).url, 'select 1 as one')).toEqual({ one: 1 });
  });

  it('an empty postmaster.pid does not prevent a start', async () => {
    writeFileSync(postmasterFile(dataDir), '');
    expect(await query((await start(dataDir)).url, 'select 1 as one')).toEqual({ one: 1 });
  });

  it('a postmaster.pid copied from another data directory does not end that server', async () => {
    const otherDir = usedDir();
    const other = await start(otherDir);
    copyFileSync(postmasterFile(otherDir), postmasterFile(dataDir));
    const server = await start(dataDir);
    expect(server.url).not.toBe(other.url);
    expect(await query(other.url, 'select 1 as one')).toEqual({ one: 1 });
  });
});

describe('a stale lock of the embedded PostgreSQL', () => {
  let dataDir: string;
  let lock: string;

  beforeAll(() => {
    dataDir = usedDir();
    lock = join(dataDir, 'postgres.lock');
  });

  it('a lock of an exited process is taken over', async () => {
    writeFileSync(lock, JSON.stringify({ pid: deadPid(), token: 'x' }));
    await start(dataDir);
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({ pid: process.pid });
  });

  it('a lock of an exited process that cannot be moved away fails the start', async () => {
    writeFileSync(lock, JSON.stringify({ pid: deadPid(), token: 'x' }));
    const readOnly = Object.assign(new Error('read-only file system'), { code: 'EROFS' });
    const rename = jest.spyOn(promises, 'rename').mockRejectedValue(readOnly);
    try {
      await expect(start(dataDir)).rejects.toThrow('read-only file system');
    } finally {
      rename.mockRestore();
    }
  });

  it('a lock with a number that no process can have is taken over', async () => {
    writeFileSync(lock, JSON.stringify({ pid: 2 ** 32, token: 'x' }));
    await start(dataDir);
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({ pid: process.pid });
  });

  it('a lock whose process id was reused is taken over', async () => {
    writeFileSync(lock, JSON.stringify({ pid: process.pid, startedAt: '1', token: 'x' }));
    await start(dataDir);
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({ pid: process.pid });
  });

  it('a start takes over an old empty lock file', async () => {
    writeFileSync(lock, '');
    utimesSync(lock, new Date(0), new Date(0));
    await start(dataDir);
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({ pid: process.pid });
  });
});
