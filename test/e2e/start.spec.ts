import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The commands of the README as a newcomer gives them, in processes of their own. */

const root = join(__dirname, '../..');
const dataDir = mkdtempSync(join(tmpdir(), 'quiz-start-'));
const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', NODE_ENV: '', TEST_SERVER_URL: '' };
let service: ChildProcess | undefined;

afterAll(async () => {
  if (service?.exitCode === null && service.signalCode === null) await stop(service, 'SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

/** `npm start`, until it has said all that it has to say. */
function start(): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn('npm', ['start'], { cwd: root, env, detached: true });
  service = child;
  let said = '';
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (data: Buffer) => {
      said += String(data);
      if (said.includes('Ctrl-C stops it')) resolve({ child, said });
    });
    child.stderr.on('data', (data: Buffer) => (said += String(data)));
    child.once('exit', () => reject(new Error(`npm start ended:\n${said}`)));
  });
}

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

function paste(line: string): { success: boolean; data: unknown[]; meta: { total: number } } {
  const { stdout } = spawnSync('bash', ['-c', line], { encoding: 'utf8' });
  return JSON.parse(stdout);
}

function quizctl(...args: string[]): unknown {
  const run = spawnSync('npm', ['run', '-s', 'quizctl', '--', ...args, '--json'], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  return JSON.parse(run.stdout);
}

const untilGone = async () => {
  for (let tries = 0; tries < 100 && leftOver().length > 0; tries++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  return leftOver();
};

test('npm start fills an empty folder, prints a curl line that works and a link for the first administrator, and stops without a rest', async () => {
  const { child, said } = await start();
  expect(said).toMatch(/filled with \d+ quizzes and \d+ questions/);
  const answer = paste(curlLine(said));
  expect(answer.success).toBe(true);
  expect(answer.data).toHaveLength(3);
  expect(answer.meta.total).toBeGreaterThanOrEqual(24);
  expect(quizctl('accounts', 'list')).toContainEqual(
    expect.objectContaining({ email: 'demo@quiz.invalid', plan: 'pro' }),
  );

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
  const listed = quizctl('accounts', 'list') as { email: string; isAdmin: boolean }[];
  expect(listed).toContainEqual(
    expect.objectContaining({ email: 'root@example.com', isAdmin: true }),
  );
  expect(listed.map(({ email }) => email)).not.toContain('second@example.com');

  await stop(child, 'SIGINT');
  expect(await untilGone()).toEqual([]);
}, 90_000);

test('started again it keeps its data and its key; killed with -9 it starts again', async () => {
  const second = await start();
  expect(second.said).toContain('with the data of the last start');
  expect(second.said).not.toContain('/dashboard/set-up');
  const line = curlLine(second.said);
  const key = (text: string) => /svc_test_\w+/.exec(text)?.[0];
  await stop(second.child, 'SIGKILL');

  const third = await start();
  expect(key(curlLine(third.said))).toBe(key(line));
  expect(paste(curlLine(third.said)).meta.total).toBeGreaterThanOrEqual(24);
  await stop(third.child, 'SIGINT');
  expect(await untilGone()).toEqual([]);
}, 90_000);

test('quizctl works without a running service, and leaves none behind', async () => {
  const created = quizctl('accounts', 'create', '--email', 'ops@example.com', '--plan', 'starter');
  expect(created).toMatchObject({ email: 'ops@example.com', plan: 'starter', isAdmin: false });
  expect(await untilGone()).toEqual([]);
}, 60_000);
