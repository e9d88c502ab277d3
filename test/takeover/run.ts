import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { atTheEnd, endEverything, isEnding } from '../faults/harness/cleanup';
import { Receiver } from '../faults/harness/receiver';
import { ROOT, ServiceProcess } from '../faults/harness/service-process';
import { hold, until } from '../faults/harness/until';
import { ensureBuilt } from '../support/ensure-built';
import { missingPrograms, PostgresCluster, RedisGroup } from './clusters';

/**
 * `npm run test:takeover`: kills the primary of PostgreSQL (under Patroni) and of Redis (under Sentinel) while clients
 * write and read, and then accounts for every acknowledged write and every event. The configuration is that of
 * ops/takeover, which docs/scaling.md explains.
 */

/** Milliseconds within which reads and writes must be back. */
const BACK_WITHIN = 30_000;
const WRITERS = 4;

interface Load {
  /** Ids of the quizzes whose creation was acknowledged. */
  readonly acknowledged: string[];
  /** Waits until reads and writes are back. @returns how long each was away, in milliseconds */
  watch(): Promise<{ writes: number; reads: number }>;
  stop(): Promise<void>;
}

async function main(): Promise<number> {
  const missing = missingPrograms();
  if (missing.length > 0) {
    process.stdout.write(`skipped: not installed here: ${missing.join(', ')}\n`);
    process.stdout.write('0 passed, 0 failed, 3 skipped\n');
    return 0;
  }
  ensureBuilt();
  const folder = mkdtempSync(join(tmpdir(), 'quiz-takeover-'));
  const keepFolder = atTheEnd(() => rmSync(folder, { recursive: true, force: true }));
  const keepLogs = () => {
    keepFolder();
    say(`logs: ${folder}`);
  };
  const { passed, failed } = await takeOver(folder).catch((error: unknown) => {
    // Whoever interrupts the run wants no logs.
    if (!isEnding()) keepLogs();
    throw error;
  });
  if (failed > 0) keepLogs();
  await endEverything();
  say(`${passed} passed, ${failed} failed`);
  return failed;
}

const say = (text: string) => process.stdout.write(`${text}\n`);

/** @param folder for data and logs */
async function takeOver(folder: string): Promise<{ passed: number; failed: number }> {
  say('starting PostgreSQL under Patroni, and Redis under Sentinel');
  const [postgres, redis] = [await PostgresCluster.start(folder), await RedisGroup.start(folder)];
  const env = {
    DATABASE_URL: postgres.url,
    ...redis.settings,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW_INSECURE: 'true',
    WEBHOOK_RETRY_DELAYS: '1s,2s,4s',
    RATE_LIMIT_PER_MINUTE: '1000000',
    PORT: '0',
  };
  const api = await ServiceProcess.start('api.js', env, join(folder, 'api.log'));
  const worker = await ServiceProcess.start('worker.js', env, join(folder, 'worker.log'));
  const receiver = await Receiver.start();
  const key = setUpAccount(env, receiver);
  const load = startLoad(`http://127.0.0.1:${api.port}/api/v1`, key);
  const results: boolean[] = [];
  const check = async (
    name: string,
    kill: () => Promise<string> | number,
    interrupts: 'writes' | 'nothing',
  ) => {
    await sleep(5_000);
    const before = load.acknowledged.length;
    const killed = await kill();
    const { writes, reads } = await load.watch();
    await sleep(5_000);
    // Writes that go on without the primary show that another one was killed.
    const isInterrupted = interrupts === 'nothing' || writes > 0;
    const good = isInterrupted && Math.max(writes, reads) <= BACK_WITHIN && api.runs && worker.runs;
    say(
      `${good ? 'ok    ' : 'FAILED'} ${name} (${String(killed)}): writes back after ${seconds(writes)}, reads after ` +
        `${seconds(reads)}; ${load.acknowledged.length - before} writes acknowledged meanwhile`,
    );
    results.push(good);
  };
  await check('the primary of PostgreSQL is killed', () => postgres.killPrimary(), 'writes');
  await check('the primary of Redis is killed', () => redis.killPrimary(), 'nothing');
  await load.stop();
  results.push(await accountFor(load, postgres, receiver));
  const passed = results.filter(Boolean).length;
  return { passed, failed: results.length - passed };
}

/** An account with a webhook endpoint. @returns its key */
function setUpAccount(env: Record<string, string>, receiver: Receiver): string {
  const quizctl = (...args: string[]) => {
    const done = spawnSync('node', ['dist/bin/quizctl.js', ...args, '--json'], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...env },
    });
    hold(done.status === 0, `quizctl ${args.join(' ')}: ${done.stderr}`);
    return JSON.parse(done.stdout) as Record<string, string>;
  };
  const account = ['--email', 'a@example.com', '--plan', 'pro', '--admin'];
  const { id = '' } = quizctl('accounts', 'create', ...account);
  const { key = '' } = quizctl('keys', 'issue', '--account', id, '--name', 'takeover');
  const hook = ['--url', `${receiver.origin}/hook`, '--events', 'quiz.created'];
  quizctl('webhooks', 'add', '--account', id, ...hook);
  return key;
}

/** Whether every acknowledged write is stored, and every event has arrived. */
async function accountFor(
  load: Load,
  postgres: PostgresCluster,
  receiver: Receiver,
): Promise<boolean> {
  const stored = await postgres.query<{ id: string }>('SELECT id FROM quizzes');
  const events = await postgres.query<{ id: string }>('SELECT id FROM outbox_events');
  const kept = new Set(stored.map((row) => row.id));
  const lost = load.acknowledged.filter((quiz) => !kept.has(quiz)).length;
  const undelivered = () => {
    const arrived = new Set(receiver.at('/hook').map((arrival) => arrival.id));
    return events.filter((event) => !arrived.has(event.id)).length;
  };
  await until('every event', () => undelivered() === 0, 60_000, 250).catch(() => undefined);
  const missing = undelivered();
  const arrivals = receiver.at('/hook');
  const twice = arrivals.length - new Set(arrivals.map((arrival) => arrival.id)).size;
  const good = lost === 0 && missing === 0 && stored.length === events.length;
  say(
    `${good ? 'ok    ' : 'FAILED'} accounting: ${load.acknowledged.length} acknowledged writes, ${lost} lost; ` +
      `${stored.length} quizzes, ${events.length} events, ${missing} not delivered, ${twice} arrived twice`,
  );
  return good;
}

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(1)} s`;

/** Writers that repeat a creation with its Idempotency-Key until it is acknowledged, and a reader. */
function startLoad(url: string, key: string): Load {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const acknowledged: string[] = [];
  let going = true;
  const last = { writes: Date.now(), reads: Date.now() };
  const write = async () => {
    const body = JSON.stringify({ title: `Quiz ${randomUUID()}`, difficulty: 'EASY' });
    const once = { ...headers, 'Idempotency-Key': randomUUID() };
    for (;;) {
      const response = await attempt(`${url}/quizzes`, { method: 'POST', headers: once, body });
      if (response?.status === 201) {
        const { data } = JSON.parse(response.text) as { data: { id: string } };
        acknowledged.push(data.id);
        last.writes = Date.now();
        return;
      }
      if (!going) return;
      await sleep(200);
    }
  };
  const read = async () => {
    const response = await attempt(`${url}/quizzes?limit=5`, { headers });
    if (response?.status === 200) last.reads = Date.now();
    await sleep(50);
  };
  const loops = [...Array.from({ length: WRITERS }, () => write), read].map(async (step) => {
    while (going) await step();
  });
  return {
    acknowledged,
    async watch() {
      const killed = Date.now();
      const away = { writes: 0, reads: 0 };
      // Responses that were under way may still arrive: both are back once they have gone on for three seconds.
      for (let steady = 0; steady < 30 && Date.now() - killed < 2 * BACK_WITHIN; steady++) {
        await sleep(100);
        for (const kind of ['writes', 'reads'] as const) {
          if (Date.now() - last[kind] < 1_000) continue;
          away[kind] = Date.now() - killed;
          steady = 0;
        }
      }
      return away;
    },
    async stop() {
      going = false;
      await Promise.all(loops);
    },
  };
}

/** Null where no whole response came within five seconds. */
async function attempt(
  url: string,
  options: RequestInit,
): Promise<{ status: number; text: string } | null> {
  try {
    const response = await fetch(url, { ...options, signal: AbortSignal.timeout(5_000) });
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void endEverything().then(() => process.exit(130)));

main().then(
  (code) => process.exit(code),
  async (error: unknown) => {
    process.stdout.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    await endEverything();
    process.exit(1);
  },
);
