import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import { freePort } from '#embedded-postgres';
import { eventually } from '../support/clock';
import { cloneDatabase, type TestDatabase } from '../support/database';
import { ensureBuilt } from '../support/ensure-built';
import { RedisServer } from '../support/redis-server';
import { TEST_ENCRYPTION_KEY } from '../support/service';

/** Two API processes on one port, `API_PROCESSES=2`. */

const root = join(__dirname, '../..');
const LIMIT = 40;
/** A round of requests that both processes take part in: connections go to them in turn. */
const CONNECTIONS = 8;

let redis: RedisServer;
let database: TestDatabase;
let api: ChildProcess;
let url: string;
let metricsPort: number;
/** What they write, an object a line. */
const log: { pid: number; msg: string; url?: string }[] = [];

const describeIf = RedisServer.installed ? describe : describe.skip;
describeIf('API_PROCESSES=2 (needs redis-server)', () => {
  beforeAll(async () => {
    ensureBuilt();
    [redis, database, metricsPort] = await Promise.all([
      RedisServer.start(),
      cloneDatabase(),
      freePort(),
    ]);
    api = supervise();
    const serves = once(api, 'message');
    // While the second process starts.
    await eventually(() => expect(listening()).not.toEqual([]), 90_000);
    api.kill('SIGUSR2');
    const [{ port }] = (await serves) as [{ port: number }];
    url = `http://127.0.0.1:${port}`;
    await said('all API processes were restarted', 0);
  }, 240_000);
  afterAll(async () => {
    // Not the global one: test files that follow in this process fetch through it.
    await connections.close();
    // Nothing is left unless a test has failed.
    api.kill('SIGKILL');
    await database.drop();
    await redis.kill();
  });

  it('SIGUSR2 while the second process starts restarts both once it serves', () => {
    const place = (message: string) => log.findIndex(({ msg }) => msg.startsWith(message));
    expect(place('the API processes serve')).toBeGreaterThan(-1);
    expect(place('restarting the API processes one by one')).toBeGreaterThan(
      place('the API processes serve'),
    );
    const pids = listening().map(({ pid }) => pid);
    expect(new Set(pids).size).toBe(4);
    for (const pid of pids.slice(0, 2)) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('both processes serve the port, share one rate limit, and have metrics of their own', async () => {
    const counts = () => Promise.all([metricsPort, metricsPort + 1].map(requestsAt));
    const before = await counts();
    const statuses = await burst('192.0.2.1', 60, '/api/v1/metadata');
    expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT);
    expect(statuses.filter((status) => status === 429)).toHaveLength(60 - LIMIT);
    // A request is counted after its response was sent.
    await eventually(async () => {
      const [one, other] = (await counts()).map((count, at) => count - before[at]!);
      expect(one! + other!).toBe(60);
      expect(Math.min(one!, other!)).toBeGreaterThan(0);
    });
    expect(await servers()).toHaveLength(2);
  });

  it('SIGUSR2 replaces both processes under load, and no request fails', async () => {
    const before = await servers();
    let isDone = false;
    const failed: unknown[] = [];
    let served = 0;
    // Few, so that the new processes find time to start on a busy machine.
    const clients = Array.from({ length: 3 }, async (_, client) => {
      // Every tenth request opens a connection.
      for (let turn = 0; !isDone; turn++) {
        const dispatcher = new Agent({ connections: 1 });
        for (let n = 0; n < 10 && !isDone; n++)
          await get(`198.51.${client}.${turn % 250}`, '/api/v1/categories', dispatcher).then(
            (status) => (status === 200 ? served++ : failed.push(status)),
            (error: unknown) => failed.push(error),
          );
        await dispatcher.close();
      }
    });
    const restarted = said('all API processes were restarted');
    api.kill('SIGUSR2');
    await restarted.finally(() => (isDone = true));
    await Promise.all(clients);
    expect(failed).toEqual([]);
    expect(served).toBeGreaterThan(100);
    const after = await servers();
    expect(after).toHaveLength(2);
    expect(before.filter((pid) => after.includes(pid))).toEqual([]);
  }, 120_000);

  it('a killed process is replaced, and the other one serves meanwhile', async () => {
    const [killed, other] = (await servers()) as [number, number];
    const ended = said('api ended (SIGKILL). It restarts in 1000 ms.');
    process.kill(killed, 'SIGKILL');
    await ended;
    expect(await servers()).toEqual([other]);
    await eventually(async () => expect(await servers()).toHaveLength(2), 30_000);
    expect(await servers()).not.toContain(killed);
  }, 120_000);

  it('after SIGTERM all processes exit, and the exit code is 0', async () => {
    const pids = await servers();
    const ended = once(api, 'exit');
    api.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await expect(get('192.0.2.9', '/health/live')).rejects.toThrow('ECONNREFUSED');
  });
});

function supervise(): ChildProcess {
  const supervisor = fork(join(root, 'dist/bin/api.js'), {
    env: {
      PATH: process.env.PATH,
      API_PROCESSES: '2',
      PORT: '0',
      METRICS_PORT: String(metricsPort),
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
      RATE_LIMIT_PER_MINUTE: String(LIMIT),
      // Each test has a client address of its own, and so a rate limit.
      TRUST_PROXY: '1',
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  if (supervisor.stdout)
    createInterface(supervisor.stdout).on('line', (line) =>
      log.push(JSON.parse(line) as (typeof log)[number]),
    );
  return supervisor;
}

/** The processes that have begun to listen. */
const listening = () => log.filter(({ msg }) => msg.startsWith('the API listens'));

const connections = new Agent();

async function get(address: string, path: string, dispatcher = connections): Promise<number> {
  const { statusCode, body } = await request(url + path, {
    headers: { 'x-forwarded-for': address },
    dispatcher,
  });
  await body.dump();
  return statusCode;
}

/** So many requests over eight connections. */
async function burst(address: string, count: number, path: string): Promise<number[]> {
  const dispatcher = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  const statuses = await Promise.all(
    Array.from({ length: count }, () => get(address, path, dispatcher)),
  );
  await dispatcher.close();
  return statuses;
}

let round = 0;
/** The processes that take new connections at present, by the access log. */
async function servers(): Promise<number[]> {
  const path = `/api/v1/metadata?round=${round++}`;
  await burst(`203.0.113.${round}`, CONNECTIONS, path);
  const lines = () => log.filter((line) => line.url === path);
  await eventually(() => expect(lines()).toHaveLength(CONNECTIONS));
  return [...new Set(lines().map(({ pid }) => pid))].sort((a, b) => a - b);
}

async function requestsAt(port: number): Promise<number> {
  const { body } = await request(`http://127.0.0.1:${port}/metrics`);
  const counts = (await body.text()).matchAll(/^quiz_http_requests_total\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** @param message the whole line of the log, or its beginning */
async function said(message: string, from = log.length): Promise<void> {
  await eventually(
    () => expect(log.slice(from).some(({ msg }) => msg.startsWith(message))).toBe(true),
    90_000,
  );
}
