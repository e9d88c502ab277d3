import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_ACCOUNT } from '../../src/access/accounts/built-in-accounts';
import { EndpointsService } from '../../src/webhooks/endpoints/endpoints.service';
import { emptyDatabase } from '../support/database';
import { ensureBuilt } from '../support/ensure-built';
import { quizctlIn } from '../support/quizctl';
import {
  type Service,
  startService,
  TEST_ENCRYPTION_KEY,
  type TestAccount,
} from '../support/service';
import { startWorkerBeside } from '../support/worker-beside';
import { createQuiz } from '../support/writing';

/** `quizctl webhooks listen` as a process beside a running service, its endpoint and its end. */

const folder = mkdtempSync(join(tmpdir(), 'quizctl-listen-'));
const root = join(__dirname, '../..');
const running = new Set<ChildProcess>();
let service: Service;
let worker: { close(): Promise<void> } | undefined;
let demo: TestAccount;
beforeAll(async () => {
  service = await startService();
  worker = await startWorkerBeside(service);
  demo = await service.account('pro', { email: DEMO_ACCOUNT });
  await service.account();
  ensureBuilt();
}, 180_000);
afterAll(async () => {
  // Nothing is left unless a test has failed.
  for (const child of running) process.kill(-(child.pid ?? 0), 'SIGKILL');
  await worker?.close();
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const endpoints = () => service.app.get(EndpointsService).list('operator');

function listen(args: string[] = [], env: Record<string, string> = {}) {
  const child = spawn('node', ['dist/bin/quizctl.js', 'webhooks', 'listen', ...args], {
    cwd: root,
    env: {
      ...process.env,
      NODE_ENV: '',
      DATABASE_URL: service.databaseUrl,
      DATA_DIR: folder,
      ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
      ...env,
    },
    detached: true,
  });
  running.add(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (said += String(data)));
  const end = once(child, 'close').then(([code]) => {
    running.delete(child);
    return { code: code as number | null, said };
  });
  const until = async (text: string) => {
    const deadline = Date.now() + 60_000;
    while (!said.includes(text)) {
      if (Date.now() > deadline || !running.has(child))
        throw new Error(`no “${text}” in:\n${said}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const signal = (name: NodeJS.Signals) => process.kill(-(child.pid ?? 0), name);
  return { end, until, signal };
}

test('webhooks listen adds an endpoint, prints a test event and those that follow as verified, and removes it at Ctrl-C', async () => {
  const listener = listen();
  await listener.until('webhook.test  ✓ signature verified');
  const [endpoint] = await endpoints();
  expect(endpoint).toMatchObject({ accountId: demo.accountId });
  expect(endpoint?.url).toMatch(/^http:\/\/localhost:\d+\/quizctl-listen$/);
  const quiz = await createQuiz(demo);
  await listener.until('quiz.created  ✓ signature verified');
  await listener.until(quiz);
  // A delivery that nobody signed.
  await fetch(endpoint!.url, { method: 'POST', headers: { 'X-Service-Event': 'forged' } });
  await listener.until('forged  ✗ no signature');
  listener.signal('SIGINT');
  const { code, said } = await listener.end;
  expect(said).toContain('Listening for the events of demo@quiz.invalid. Press Ctrl-C to stop.');
  expect(said).toContain('Removed. 3 received, 2 with a valid signature.');
  expect(said).not.toContain('whsec_');
  expect(code).toBe(0);
  expect(await endpoints()).toEqual([]);
}, 120_000);

test('the endpoint of a killed run is recognised and removed by the next, and that of one still running is not', async () => {
  const killed = listen();
  await killed.until('webhook.test');
  killed.signal('SIGKILL');
  await killed.end;
  expect(await endpoints()).toHaveLength(1);
  // Somebody's own endpoint on this machine is none of these.
  const own = createServer((_request, response) => response.end('mine')).listen(0, '127.0.0.1');
  await once(own, 'listening');
  const { accountId } = await service.account();
  const { port } = own.address() as { port: number };
  const url = `http://localhost:${port}/hook`;
  const { endpoint } = await service.app
    .get(EndpointsService)
    .add(accountId, { url, events: ['quiz.created'] });

  const first = listen();
  await first.until('Removed 1 temporary endpoint');
  await first.until('webhook.test');
  const second = listen();
  await second.until('webhook.test');
  expect(await endpoints()).toHaveLength(3);
  for (const it of [first, second]) {
    it.signal('SIGTERM');
    expect((await it.end).said).toContain('Removed. ');
  }
  expect((await endpoints()).map((it) => it.url)).toEqual([url]);
  await service.app.get(EndpointsService).remove('operator', endpoint.id);
  own.close();
}, 180_000);

/** In this process, since a process takes 4 s of CPU time to start: what cannot work ends by itself. */
async function refused(args: string[] = [], env: Record<string, string> = {}) {
  const before = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map(
    (signal) => [signal, process.listeners(signal)] as const,
  );
  const run = await quizctlIn(
    {
      NODE_ENV: '',
      DATABASE_URL: service.databaseUrl,
      DATA_DIR: folder,
      ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
      ...env,
    },
    ...['webhooks', 'listen', ...args],
  );
  // The command leaves its handlers, as its process ends.
  for (const [signal, others] of before)
    for (const it of process.listeners(signal)) if (!others.includes(it)) process.off(signal, it);
  return run;
}

test('webhooks listen explains why it cannot work', async () => {
  const production = await refused([], {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://quiz.example.com',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  });
  expect(production.code).toBe(1);
  expect(production.err).toContain('The URL must start with https://.');
  const unknown = await refused(['--account', 'nobody@example.com']);
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('not found')]);
  const blocked = createServer().listen(0, '127.0.0.1');
  await once(blocked, 'listening');
  const { port } = blocked.address() as { port: number };
  const taken = await refused(['--port', String(port)]);
  blocked.close();
  expect([taken.code, taken.err]).toEqual([
    1,
    `Port ${port} is taken: choose another with --port, or leave it out to get a free one.\n`,
  ]);
}, 120_000);

test('webhooks listen without a webhook worker adds the endpoint and says that events wait', async () => {
  const empty = await emptyDatabase();
  try {
    const none = await refused([], { DATABASE_URL: empty.url });
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('There is no account yet')]);
    await worker?.close();
    worker = undefined;
    await service.database.query(`DELETE FROM webhook_workers`);
    const listener = listen();
    await listener.until('No worker is running, so events wait.');
    expect(await endpoints()).toMatchObject([{ accountId: demo.accountId }]);
    listener.signal('SIGINT');
    expect((await listener.end).code).toBe(0);
    expect(await endpoints()).toEqual([]);
  } finally {
    await empty.drop();
  }
}, 120_000);
