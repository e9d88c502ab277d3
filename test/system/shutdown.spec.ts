import { type ChildProcess, fork, spawn, spawnSync, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#embedded-postgres';
import { LIMITS } from '../../src/platform/limits/limits';
import { ensureBuilt } from '../support/ensure-built';
import { quizBody } from '../support/samples';
import {
  type Service,
  startService,
  TEST_ENCRYPTION_KEY,
  type TestAccount,
} from '../support/service';

/** What SIGTERM does to an API that is a process of its own. */

const root = join(__dirname, '../..');
let service: Service;
let account: TestAccount;
let started: ChildProcess | undefined;
let port: number;
/** What the API has written. */
let log = '';

beforeAll(async () => {
  ensureBuilt();
  service = await startService();
  account = await service.account();
}, 120_000);
afterAll(() => service.close());

async function startApi(stdout: 'pipe' | number = 'pipe'): Promise<ChildProcess> {
  log = '';
  const api = fork(join(root, 'dist/bin/api.js'), {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATABASE_URL: service.databaseUrl,
      ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
    },
    stdio: ['ignore', stdout, 'inherit', 'ipc'],
  });
  started = api;
  api.stdout?.on('data', (bytes) => (log += String(bytes)));
  [{ port }] = (await once(api, 'message')) as [{ port: number }];
  return api;
}
// Nothing is left unless a test has failed.
afterEach(() => void started?.kill('SIGKILL'));

const open = async (): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket.setEncoding('utf8');
};

it('after SIGTERM the API completes requests in flight, refuses new connections and exits with 0', async () => {
  const api = await startApi();
  const kept = await open();
  kept.write(GET_METADATA);
  const [before] = (await once(kept, 'data')) as [string];
  expect(before).toMatch(/^HTTP\/1\.1 200 [^]*\r\nConnection: keep-alive\r\n/);
  const idle = await open();
  idle.on('error', () => undefined);
  const socket = await open();
  const body = JSON.stringify(quizBody());
  socket.write(
    `POST /api/v1/quizzes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.key}\r\nExpect: 100-continue\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
  );
  // Past every guard: it now waits for the body.
  const [interim] = (await once(socket, 'data')) as [string];
  expect(interim).toContain('100 Continue');

  const ended = once(api, 'close');
  const begun = Date.now();
  api.kill('SIGTERM');
  await refused();
  kept.write(GET_METADATA);
  const [after] = (await once(kept, 'data')) as [string];
  expect(after).toMatch(/^HTTP\/1\.1 200 [^]*\r\nConnection: close\r\n/);
  socket.write(body);
  const [answer] = (await once(socket, 'data')) as [string];
  expect(answer).toMatch(/^HTTP\/1\.1 201 [^]*\r\nConnection: close\r\n/);
  expect(await ended).toEqual([0, null]);
  expect(Date.now() - begun).toBeLessThan(25_000);
  // Lines of requests are written together: those that still waited are not lost.
  expect(log.match(/"method":"(GET|POST)".*"msg":"request"/g)).toHaveLength(3);
  idle.destroy();
}, 120_000);

it('an API whose log nobody reads any more serves on, and SIGTERM ends it with 0', async () => {
  const api = await startApi();
  api.stdout?.destroy();
  await servesOn(api);
}, 120_000);

it('an API whose log is on a full disk serves on, and SIGTERM ends it with 0', async () => {
  const full = openSync('/dev/full', 'w');
  const api = await startApi(full);
  closeSync(full);
  await servesOn(api);
}, 120_000);

it('of a log whose disk is full 1 MiB waits, and is written when there is room', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quiz-log-'));
  const full = openSync('/dev/full', 'w');
  try {
    // The first free descriptor, that of the log, is the file's.
    const script = `
      const { closeSync, openSync } = require('node:fs');
      const output = require(process.argv[1]).logOutput();
      for (let line = 0; line < 3 * 1024; line++) output.write('x'.repeat(1023) + '\\n');
      closeSync(1);
      openSync(process.argv[2], 'w');`;
    const [logger, file] = [
      join(root, 'dist/platform/observability/logger.js'),
      join(folder, 'log'),
    ];
    const { status } = spawnSync(process.execPath, ['-e', script, logger, file], {
      stdio: ['ignore', full, 'inherit'],
    });
    const { size } = statSync(file);
    expect([status, size]).toEqual([0, LIMITS.storage.waitingLog.value]);
  } finally {
    closeSync(full);
    rmSync(folder, { recursive: true });
  }
});

async function servesOn(api: ChildProcess): Promise<void> {
  const socket = await open();
  // More lines than what waits to be written together.
  for (let sent = 0; sent < 40; sent++) {
    socket.write(GET_METADATA);
    const [response] = (await once(socket, 'data')) as [string];
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
  }
  const ended = once(api, 'exit');
  api.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  socket.destroy();
}

it.each(['api', 'worker'])(
  'SIGTERM ends the start of the %s while it waits for the database',
  async (name) => {
    // Nobody listens there.
    await endsWhileWaiting(name, { DATABASE_URL: 'postgres://quiz:quiz@127.0.0.1:9/quiz' });
  },
);

it.each(['api', 'worker'])(
  'SIGTERM ends the start of the %s while another process uses DATA_DIR alone',
  async (name) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'quiz-shutdown-'));
    const other = await startEmbeddedPostgres({ dataDir });
    try {
      await endsWhileWaiting(name, { DATA_DIR: dataDir });
    } finally {
      await other.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
  60_000,
);

it('a process that another one has started leaves it to that one to say that it was stopped', async () => {
  const env = { DATABASE_URL: 'postgres://quiz:quiz@127.0.0.1:9/quiz' };
  expect(await stopWhileWaiting('api', env, ['ignore', 'pipe', 'pipe', 'ipc'])).toBe('');
});

async function endsWhileWaiting(name: string, env: Record<string, string>): Promise<void> {
  const said = await stopWhileWaiting(name, env, ['ignore', 'pipe', 'pipe']);
  expect(said).toBe(`${name}: stopped before it was ready. It can be started again.\n`);
}

/** @returns what it has written to stderr */
async function stopWhileWaiting(
  name: string,
  env: Record<string, string>,
  stdio: StdioOptions,
): Promise<string> {
  const child = spawn(process.execPath, [join(root, `dist/bin/${name}.js`)], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
      ...env,
    },
    stdio,
  });
  let said = '';
  child.stderr?.on('data', (bytes) => (said += String(bytes)));
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  expect(String(line)).toContain('waiting for the database');
  const ended = once(child, 'close');
  const begun = Date.now();
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(Date.now() - begun).toBeLessThan(10_000);
  return said;
}

it('an API whose parent process exits during the start stops in order', async () => {
  const child = fork(join(root, 'dist/bin/api.js'), {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATABASE_URL: service.databaseUrl,
      ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  child.disconnect();
  expect(await ended).toEqual([0, null]);
});

/** As `npm run start:api` where the shell does not become the command. */
function startByShell(env: Record<string, string> = {}) {
  const script = 'node dist/bin/api.js; true';
  const shell = spawn('sh', ['-c', script], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      npm_lifecycle_event: 'start:api',
      npm_lifecycle_script: script,
      PORT: '0',
      DATABASE_URL: service.databaseUrl,
      ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let written = '';
  let logged: () => void = () => undefined;
  shell.stdout.on('data', (bytes) => {
    written += String(bytes);
    logged();
  });
  const until = async (what: RegExp) => {
    while (!what.test(written)) await new Promise<void>((resolve) => (logged = resolve));
    return written;
  };
  return { shell, until };
}

it('an API started by npm stops when npm is told to stop', async () => {
  const { shell, until } = startByShell();
  await until(/the API listens on/);
  // The API holds the other end of the pipe: it closes when that has ended, too.
  const ended = once(shell, 'close');
  shell.kill('SIGTERM');
  await until(/npm ended, stopping/);
  await ended;
});

it('an API started by npm goes on when reading /proc fails', async () => {
  // As with too many open files.
  const failing = `import fs from 'node:fs';
    const { readFileSync } = fs;
    let reads = 0;
    fs.readFileSync = (path, ...more) => {
      if (!String(path).endsWith('/cmdline')) return readFileSync(path, ...more);
      console.log('read ' + ++reads);
      if (reads % 2 === 1) throw new Error('EMFILE');
      return readFileSync(path, ...more);
    };`;
  const { shell, until } = startByShell({
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(failing)}`,
  });
  await until(/the API listens on/);
  const ended = once(shell, 'close');
  expect(await until(/read 6|npm ended/)).not.toContain('npm ended');
  shell.kill('SIGTERM');
  await until(/npm ended, stopping/);
  await ended;
});

const GET_METADATA = 'GET /api/v1/metadata HTTP/1.1\r\nHost: x\r\n\r\n';

/** Until nobody listens any more. */
async function refused(): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const socket = connect(port, '127.0.0.1');
    const result = await new Promise((resolve) => {
      socket.once('connect', () => resolve('open'));
      socket.once('error', () => resolve('refused'));
    });
    socket.destroy();
    if (result === 'refused') return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('new connections are still taken');
}
