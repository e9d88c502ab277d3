import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { EndpointsService } from '../../src/webhooks/endpoints/endpoints.service';
import { version } from '../../package.json';
import { startCollector, type Collector } from '../support/collector';
import { startReceiver, type Receiver } from '../support/receiver';
import { quizBody } from '../support/samples';
import {
  startService,
  TEST_ENCRYPTION_KEY,
  type TestAccount,
  type Service,
} from '../support/service';

/** What leaves as traces when the service's processes are started with OpenTelemetry's variables. */

const root = join(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'quiz-tracing-'));
const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
let service: Service;
let account: TestAccount;
let receiver: Receiver;
let collector: Collector;
const children: ChildProcess[] = [];

beforeAll(async () => {
  spawnSync('node', ['scripts/ensure-built.mjs'], { cwd: root });
  service = await startService({ WEBHOOK_ALLOW_INSECURE: 'true' });
  account = await service.account();
  receiver = await startReceiver();
  collector = await startCollector();
}, 120_000);
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  collector.close();
  await receiver.close();
  await service.close();
  rmSync(folder, { recursive: true });
});

/** A process of the service as it runs in production, on the database of the test. */
async function start(script: string, env: Record<string, string> = {}) {
  const loaded = join(folder, `${script}-${children.length}`);
  const child = fork(join(root, 'dist/bin', script), {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATABASE_URL: service.databaseUrl,
      ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
      WEBHOOK_ALLOW_INSECURE: 'true',
      LOADED_MODULES: loaded,
      ...env,
    },
    execArgv: ['--require', join(root, 'test/support/loaded-modules.cjs')],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  children.push(child);
  let log = '';
  child.stdout?.on('data', (text) => (log += text));
  const [{ port }] = (await once(child, 'message')) as [{ port?: number }];
  return {
    url: `http://127.0.0.1:${port}`,
    /** The lines of its log. */
    log: () =>
      log
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    /** Ends it as a deployment does. Which modules it had loaded. */
    async stop(): Promise<string[]> {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      return readFileSync(loaded, 'utf8').split('\n');
    },
  };
}

const traced = () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
/** The API package has no more than types and empty functions; prom-client loads it in every process. */
const ofTracing = (modules: string[]) =>
  modules.filter((path) => /@opentelemetry\/(?!api\/)|open-telemetry|in-the-middle/.test(path));

async function until(true_: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200 && !true_(); tries++)
    await new Promise((resolve) => setTimeout(resolve, 50));
  expect(true_()).toBe(true);
}

it("a request is a span with route and status in its caller's trace, with its queries as children", async () => {
  const api = await start('api.js', { ...traced(), OTEL_RESOURCE_ATTRIBUTES: 'team=quiz' });
  const response = await fetch(`${api.url}/api/v1/quizzes?limit=5&api_key=${account.key}`, {
    headers: { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` },
  });
  expect(response.status).toBe(200);
  await fetch(`${api.url}/api/v1/quizzes/${account.key}?apiKey=${account.key}`);
  await fetch(`${api.url}/${'long'.repeat(600)}?api_key=${account.key}`);
  await fetch(`${api.url}/health/ready`);
  await api.stop();

  const [span, ...more] = collector.spans.filter(({ traceId }) => traceId === CALLER.traceId);
  const server = [span, ...more].find((it) => it?.kind === 2);
  expect(server).toMatchObject({
    name: 'GET /api/v1/quizzes',
    parentId: CALLER.spanId,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/api/v1/quizzes',
      'http.response.status_code': 200,
      'url.path': '/api/v1/quizzes',
      'url.query': 'limit=5&api_key=[redacted]',
    },
    resource: { 'service.name': 'quiz-api', team: 'quiz' },
  });
  const queries = [span, ...more].filter((it) => it?.kind === 3);
  expect(queries.length).toBeGreaterThan(0);
  for (const query of queries) expect(query?.parentId).toBe(server?.id);

  const missed = collector.spans.find((it) => it.name === 'GET /api/v1/quizzes/:id');
  expect(missed?.attributes['http.response.status_code']).toBe(404);
  expect(missed?.attributes['url.path']).toBe('/api/v1/quizzes/[redacted]');
  const long = collector.spans.find((it) => String(it.attributes['url.path']).startsWith('/long'));
  expect(long?.attributes).not.toHaveProperty(['url.query']);
  expect(collector.spans.map(({ name }) => name).join()).not.toContain('health');
  expect(collector.raw()).not.toContain(account.key.slice(9));
}, 60_000);

it('a log entry has process, pid, host, version and the trace of its request', async () => {
  const api = await start('api.js', traced());
  await fetch(`${api.url}/api/v1/metadata`, {
    headers: { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` },
  });
  await api.stop();
  const ofProcess = { process: 'api', pid: expect.any(Number), host: hostname(), version };
  const lines = api.log();
  for (const line of lines) expect(line).toMatchObject(ofProcess);
  expect(lines.find(({ msg }) => msg === 'request')).toMatchObject({ traceId: CALLER.traceId });
}, 60_000);

it("a webhook delivery is a span that names only the receiver's host and sends it no trace headers", async () => {
  const endpoints = service.app.get(EndpointsService, { strict: false });
  const { secret } = await endpoints.add(account.accountId, {
    url: receiver.url('/hooks/path-secret?token=query-secret'),
    events: ['quiz.created'],
  });
  const worker = await start('worker.js', { ...traced(), OTEL_SERVICE_NAME: 'hooks' });
  await account.post('/quizzes', quizBody()).expect(201);
  await until(() => receiver.received.length > 0);
  await worker.stop();

  const delivery = collector.spans.find(({ name }) => name === 'webhook delivery');
  expect(delivery).toMatchObject({
    kind: 1,
    attributes: { 'webhook.event.type': 'quiz.created', 'webhook.attempt': 1 },
    resource: { 'service.name': 'hooks' },
  });
  const post = collector.spans.find(
    ({ parentId, kind }) => parentId === delivery?.id && kind === 3,
  );
  expect(post).toMatchObject({
    name: 'POST',
    attributes: { 'server.address': '127.0.0.1', 'http.response.status_code': 204 },
  });
  const [received] = receiver.received;
  expect(Object.keys(received?.headers ?? {})).not.toContain('traceparent');
  for (const hidden of [secret, 'path-secret', 'query-secret'])
    expect(collector.raw()).not.toContain(hidden);
}, 60_000);

it('OpenTelemetry is not loaded without its variables or with OTEL_SDK_DISABLED', async () => {
  const before = collector.spans.length;
  const plain = await start('api.js');
  const disabled = await start('worker.js', { ...traced(), OTEL_SDK_DISABLED: 'true' });
  await fetch(`${plain.url}/api/v1/metadata`);
  const loaded = [await plain.stop(), await disabled.stop()];
  for (const modules of loaded) expect(modules.length).toBeGreaterThan(100);
  expect(loaded.flatMap(ofTracing)).toEqual([]);
  expect(collector.spans).toHaveLength(before);
}, 60_000);

it('an unreachable trace collector fails no request and delays no stop', async () => {
  const api = await start('api.js', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  expect((await fetch(`${api.url}/api/v1/metadata`)).status).toBe(200);
  const begun = Date.now();
  await api.stop();
  expect(Date.now() - begun).toBeLessThan(10_000);
}, 60_000);
