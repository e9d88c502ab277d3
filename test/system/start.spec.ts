import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { freePort, startEmbeddedPostgres } from '#embedded-postgres';
import { migrate, readMigrations } from '../../src/platform/database/migrate';
import { newId } from '../../src/platform/text/ids';
import { readStarterCatalogue } from '../../src/seed/seed.service';
import { eventually } from '../support/clock';
import { ensureBuilt } from '../support/ensure-built';
import { quizctlIn } from '../support/quizctl';

/** The commands of the README as a newcomer gives them, in processes of their own. */

const root = join(__dirname, '../..');
const dataDir = mkdtempSync(join(tmpdir(), 'quiz-start-'));
const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', NODE_ENV: '', TEST_SERVER_URL: '' };
let service: ChildProcess | undefined;

beforeAll(() => ensureBuilt(), 180_000);
afterAll(async () => {
  if (service?.exitCode === null && service.signalCode === null) await stop(service, 'SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

/** `npm start`, until it has said all that it has to say. Each costs 14 s of CPU time, a third less without the worker. */
function start(
  settings: Record<string, string> = {},
  ...options: string[]
): Promise<{ child: ChildProcess; said: string }> {
  // Through one pipe, so that what is logged before the last sentence is read before it.
  const child = spawn('sh', ['-c', 'exec npm start "$@" 2>&1', 'sh', ...options], {
    cwd: root,
    env: { ...env, ...settings },
    detached: true,
  });
  service = child;
  let said = '';
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (data: Buffer) => {
      said += String(data);
      if (said.includes('Ctrl-C stops it')) resolve({ child, said });
    });
    // Not `exit`: the last words may come after the end.
    child.once('close', () => reject(new Error(`npm start ended:\n${said}`)));
  });
}

/** As docker-compose.yml starts it. */
const NO_WORKER = ['--', '--no-worker'];

/** As a terminal does it: the signal goes to the whole process group. */
function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    process.kill(-(child.pid ?? 0), signal);
  });
}

/** Processes that still have anything to do with the data folder. */
function leftOver(): string[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes(dataDir));
}

const curlLine = (said: string) => /^curl .*$/m.exec(said)?.[0] ?? '';

function paste(line: string): {
  success: boolean;
  data: { title: string }[];
  meta: { total: number };
} {
  const { stdout } = spawnSync('bash', ['-c', line], { encoding: 'utf8' });
  return JSON.parse(stdout);
}

const quizctl = async (folder: string, ...args: string[]): Promise<unknown> =>
  (await quizctlIn({ DATA_DIR: folder, NODE_ENV: '' }, ...args, '--json')).json;

const untilGone = async () => {
  for (let tries = 0; tries < 100 && leftOver().length > 0; tries++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  return leftOver();
};

/** Ctrl-C: it prints where the data is, and leaves no process. */
async function interrupt(child: ChildProcess, folder = dataDir): Promise<void> {
  let last = '';
  child.stdout?.on('data', (data: Buffer) => (last += String(data)));
  await stop(child, 'SIGINT');
  // The last words may come after the end.
  await eventually(() => expect(last).toContain(`Stopped. The data is in ${folder}.`));
  expect(await untilGone()).toEqual([]);
}

/** What the start that filled the folder has said. */
let filled = '';
const keyOf = (said: string) => /svc_test_\w+/.exec(curlLine(said))?.[0];
const quizzesIn = (said: string) =>
  Number(/filled with (\d+) quizzes and \d+ questions/.exec(said)?.[1]);

test.each([
  // As a terminal does it, and as Docker does: PostgreSQL's initdb gets no signal.
  ['Ctrl-C', 'SIGINT', 'the process group'],
  ['SIGTERM', 'SIGTERM', 'the process'],
] as const)(
  '%s during initdb prints one sentence and leaves no database',
  async (_, signal, to) => {
    const child = spawn('node', ['dist/bin/dev.js'], { cwd: root, env, detached: true });
    let said = '';
    child.stdout.on('data', (data: Buffer) => (said += String(data)));
    child.stderr.on('data', (data: Buffer) => (said += String(data)));
    await eventually(() => expect(readdirSync(dataDir).join()).toContain('postgres-init-'), 20_000);
    const ended = once(child, 'exit');
    process.kill(to === 'the process' ? child.pid! : -child.pid!, signal);
    await ended;
    expect(child.exitCode).toBe(0);
    // The last words may come after the end.
    await eventually(() => expect(said).toContain('again.'));
    const text = said.split('\n').filter((line) => !line.startsWith('{') && line !== '');
    expect(text).toEqual(['service: stopped before it was ready. It can be started again.']);
    expect(readdirSync(dataDir).filter((name) => /^postgres(-init-|$)/.test(name))).toEqual([]);
  },
  60_000,
);

test('npm start after Ctrl-C during initdb fills the folder, and prints a working curl command and set-up link', async () => {
  const { child, said } = await start();
  try {
    filled = said;
    const docs = /Docs +(http\S+\/docs)$/m.exec(said)?.[1] ?? '';
    expect((await fetch(docs)).status).toBe(200);
    const answer = paste(curlLine(said));
    expect(answer.success).toBe(true);
    // The first quiz of each of the first three topics.
    const topics = readStarterCatalogue().slice(0, 3);
    expect(answer.data.map(({ title }) => title)).toEqual(
      topics.map(({ quizzes }) => quizzes[0]?.title),
    );
    expect(answer.meta.total).toBe(quizzesIn(said));
    expect(await quizctl(dataDir, 'accounts', 'list')).toContainEqual(
      expect.objectContaining({ email: 'demo@quiz.invalid', plan: 'pro' }),
    );
    expect(said).toContain(', who takes over the demo account; its key is then revoked:');
  } finally {
    await stop(child, 'SIGKILL');
  }
}, 90_000);

describe('npm start after kill -9, with an unreachable Redis and a misspelled setting', () => {
  let child: ChildProcess;
  let said: string;
  let after = '';
  beforeAll(async () => {
    if (!filled) {
      // A test is run alone.
      const first = await start();
      filled = first.said;
      await stop(first.child, 'SIGKILL');
    }
    ({ child, said } = await start({
      REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
      WEBHOOK_TIMEOUTS: '5s',
    }));
    child.stdout?.on('data', (data: Buffer) => (after += String(data)));
  }, 120_000);

  test('npm start after kill -9 has the same data and demo key', () => {
    expect(said).toContain('with the data that it has');
    expect(said).toContain('/dashboard/set-up');
    expect(keyOf(said)).toBe(keyOf(filled));
    expect(paste(curlLine(said)).meta.total).toBe(quizzesIn(filled));
  });

  test('npm start with an unreachable Redis and a misspelled setting runs and logs each once per process', () => {
    const lines = said.split('\n');
    const warnings = lines.filter((line) => line.includes('ECONNREFUSED'));
    expect(warnings).toEqual([
      expect.stringMatching(/"level":40.*does not respond \(connect ECONNREFUSED/),
      expect.stringMatching(/"level":40.*does not respond \(connect ECONNREFUSED/),
    ]);
    expect(lines.filter((line) => line.includes('did you mean WEBHOOK_TIMEOUT?'))).toHaveLength(1);
    expect(said).not.toMatch(/"level":50|^Error: /m);
    // The rate limit asks each second and the queue each two: what failed again was not said again.
    expect(paste(curlLine(said)).success).toBe(true);
    expect(after).not.toContain('ECONNREFUSED');
  });

  test('npm start restarts a killed embedded PostgreSQL, and requests succeed again', async () => {
    const postmaster = () => {
      const file = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8');
      return Number(file.split('\n')[0]);
    };
    const killed = postmaster();
    process.kill(killed, 'SIGKILL');
    await eventually(() => expect(after).toContain('was started again'), 20_000);
    await eventually(
      () => expect(paste(curlLine(said)).meta?.total).toBe(quizzesIn(filled)),
      10_000,
    );
    expect(postmaster()).not.toBe(killed);
    expect(after.match(/was started again/g)).toHaveLength(1);
  }, 60_000);

  test('npm start on the port of a running service says so before it starts anything', () => {
    const [, port = ''] = /^ {2}API +http:\/\/localhost:(\d+)/m.exec(said) ?? [];
    for (const command of ['dev', 'api']) {
      const folder = join(dataDir, `second-${command}`);
      const second = spawnSync('node', [`dist/bin/${command}.js`], {
        cwd: root,
        env: { ...env, PORT: port, DATA_DIR: folder },
        encoding: 'utf8',
      });
      expect(second).toMatchObject({
        status: 1,
        stdout: '',
        stderr: `Port ${port} is in use, perhaps by this service. Stop what uses it, or choose another port with PORT=${Number(port) + 1}.\n`,
      });
      expect(existsSync(folder)).toBe(false);
    }
  }, 60_000);

  test('after the set-up, the link and the demo key no longer work, and the npm start after Ctrl-C prints no new ones', async () => {
    const link = /^http\S+\/dashboard\/set-up\?token=\S+$/m.exec(said)?.[0] ?? '';
    const { origin, pathname, searchParams } = new URL(link);
    const become = (email: string) =>
      fetch(origin + pathname, {
        method: 'POST',
        headers: { 'Sec-Fetch-Site': 'same-origin' },
        body: new URLSearchParams({
          token: searchParams.get('token') ?? '',
          email,
          password: 'correct horse battery',
        }),
        redirect: 'manual',
      });
    expect((await fetch(link)).status).toBe(200);
    expect((await become('root@example.com')).status).toBe(303);
    expect((await become('second@example.com')).status).toBe(403);
    expect((await fetch(link)).status).toBe(403);
    const list = async () =>
      (await quizctl(dataDir, 'accounts', 'list')) as { email: string; isAdmin: boolean }[];
    const listed = await list();
    expect(listed).toContainEqual(
      expect.objectContaining({ email: 'root@example.com', isAdmin: true }),
    );
    expect(listed.map(({ email }) => email)).not.toContain('second@example.com');
    expect(listed.map(({ email }) => email)).not.toContain('demo@quiz.invalid');
    expect(paste(curlLine(said))).toMatchObject({ success: false });
    await interrupt(child);

    const again = await start({}, ...NO_WORKER);
    expect(again.said).not.toMatch(/svc_test_|set-up/);
    expect(again.said).toMatch(/API keys +http\S+\/dashboard\/keys$/m);
    expect(await list()).toHaveLength(listed.length);
    await interrupt(again.child);
  }, 120_000);
});

test.each([
  // No system lets a folder be made in /proc; Node 20's own mkdir never returns there.
  ['dev', '/proc/nope/data'],
  ['api', '/proc/nope'],
  ['worker', '/proc/nope'],
  ['dev', __filename],
])(
  '%s with DATA_DIR=%s ends with one sentence',
  (name, folder) =>
    expect(
      spawnSync('node', [`dist/bin/${name}.js`], {
        cwd: root,
        env: { ...env, DATA_DIR: folder },
        encoding: 'utf8',
        timeout: 60_000,
        killSignal: 'SIGKILL',
      }),
    ).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^(.+nothing was started:\n {2})?DATA_DIR=.+ cannot be used \(E.+\)\W [Cc]hoose a folder .+\n$/,
      ),
    }),
  90_000,
);

test('npm start stops when npm is killed, although its shell goes on', async () => {
  const { child } = await start({}, ...NO_WORKER);
  child.kill('SIGKILL');
  expect(await untilGone()).toEqual([]);
}, 90_000);

test('npm start on a taken port prints one sentence and no log entry', async () => {
  const other = createServer((socket) => socket.destroy()).listen(0);
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const failed = await start({ PORT: String(port) }).then(
    () => 'it started',
    (error: Error) => error.message,
  );
  other.close();
  expect(failed).toContain(`Port ${port} is in use, perhaps by this service.`);
  // Nothing was started before: no log line of any level.
  expect(failed).not.toContain('"level"');
  expect(failed).not.toContain('EADDRINUSE');
}, 60_000);

describe('an old Node.js', () => {
  const pretend = (version: string) =>
    `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`;
  const run = (version: string, script: string) =>
    spawnSync('node', ['--import', pretend(version), script], {
      cwd: root,
      env: { ...env, PORT: 'x' },
      encoding: 'utf8',
    });

  it.each(['api', 'worker', 'dev', 'quizctl'])('%s refuses Node 18 with one sentence', (name) =>
    expect(run('18.20.8', `dist/bin/${name}.js`)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^This service needs Node 20\.19 or newer; this is 18\.20\.8\. Install a newer one .+\n$/,
      ),
    }),
  );

  it.each([
    ['20.18.3', '20.19'],
    ['21.7.3', '22.12'],
    ['22.11.0', '22.12'],
  ])('npm scripts refuse Node %s and name %s', (version, needed) =>
    expect(run(version, 'scripts/ensure-built.mjs')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`needs Node ${needed} or newer; this is ${version}.`),
    }),
  );

  it.each(['20.19.0', '22.12.0', '23.0.0', '24.0.0', '26.1.0'])('Node %s is accepted', (version) =>
    expect(run(version, 'scripts/check-node.cjs')).toMatchObject({ status: 0, stderr: '' }),
  );
});

test('the supervisor of npm start loads neither TypeORM nor Nest, which would take 25 MiB', () => {
  const loaded = spawnSync(
    'node',
    [
      '-p',
      "require('./dist/app/child-process'); require('./dist/platform/database/open-database'); require('./dist/platform/process/process'); Object.keys(require.cache).join()",
    ],
    { cwd: root, encoding: 'utf8' },
  ).stdout;
  expect(loaded).toContain('node_modules/pg/');
  expect(loaded).not.toMatch(/typeorm|@nestjs/);
});

test('npm start with the data of an earlier version first writes everything of each account to DATA_DIR/backups', async () => {
  const folder = join(dataDir, 'earlier');
  const earlier = await startEmbeddedPostgres({ dataDir: folder });
  try {
    await migrate(earlier.url, { migrations: readMigrations().slice(0, 1) });
    const database = await new DataSource({ type: 'postgres', url: earlier.url }).initialize();
    await database.query(
      `WITH account AS (
         INSERT INTO accounts (id, email, email_key, plan, is_admin, created_at)
         VALUES (gen_random_uuid(), 'early@example.com', 'early@example.com', 'pro', true, now()) RETURNING id),
       quiz AS (
         INSERT INTO quizzes (id, owner_id, title, title_sort, category_key, difficulty, tags, tag_keys, slug, published, approval, is_public, featured, created_at, updated_at)
         SELECT gen_random_uuid(), id, 'Early', 'early', '', 'EASY', '{}', '{}', 'early', true, 'approved', true, false, now(), now() FROM account RETURNING id, owner_id)
       INSERT INTO questions (id, quiz_id, position, text, type, difficulty, answers, fingerprint, is_public, owner_id, category_key)
       SELECT gen_random_uuid(), id, 1, 'Is it early?', 'TRUE_FALSE', 'EASY', $1, gen_random_uuid(), true, owner_id, '' FROM quiz`,
      [
        JSON.stringify([
          { id: newId(), text: 'True', isCorrect: true },
          { id: newId(), text: 'False', isCorrect: false },
        ]),
      ],
    );
    await database.destroy();
  } finally {
    await earlier.stop();
  }
  const { child, said } = await start({ DATA_DIR: folder }, ...NO_WORKER);
  expect(said).toMatch(
    /changes the schema of the database: everything of 1 account was written to .*backups/,
  );
  const [name] = readdirSync(join(folder, 'backups'));
  const [file] = readdirSync(join(folder, 'backups', name!));
  expect(file).toMatch(/^early@example\.com-[\da-f]{12}\.zip$/);
  await interrupt(child, folder);

  // The next start changes nothing, and makes no other one.
  const again = await start({ DATA_DIR: folder }, ...NO_WORKER);
  expect(again.said).not.toContain('changes the schema');
  expect(readdirSync(join(folder, 'backups'))).toEqual([name]);
  await interrupt(again.child, folder);

  await quizctl(folder, 'accounts', 'create', '--email', 'later@example.com', '--plan', 'pro');
  const backup = join(folder, 'backups', name!, file!);
  expect(await quizctl(folder, 'import', backup, '--account', 'later@example.com')).toMatchObject({
    imported: 1,
    quizzes: 1,
    quizList: [{ title: 'Early', questions: 1 }],
  });
}, 180_000);

test('quizctl works without a running service and leaves no process', async () => {
  // Run alone, this test finds no data.
  if (!filled) await interrupt((await start()).child);
  expect(await untilGone()).toEqual([]);
  const args = ['accounts', 'create', '--email', 'ops@example.com', '--plan', 'starter', '--json'];
  const { stdout } = spawnSync('npm', ['run', '-s', 'quizctl', '--', ...args], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  const created: unknown = JSON.parse(stdout);
  expect(created).toMatchObject({ email: 'ops@example.com', plan: 'starter', isAdmin: false });
  expect(await untilGone()).toEqual([]);
}, 60_000);
