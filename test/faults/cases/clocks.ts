import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#embedded-postgres';
import { audit } from '../harness/audit';
import type { FaultCase, Suite } from '../harness/case';
import type { Fixture } from '../harness/fixture';
import { accept, refuse } from '../harness/receiver';
import type { Script, ServiceProcess } from '../harness/service-process';
import { hold } from '../harness/until';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The pruning runs once a minute. */
const PRUNED_WITHIN = 62_000;
const EVENTS = 20;
const SKEWED = ['--require', join(__dirname, '../harness/skewed-clock.cjs')];

/** An API and two workers whose clocks differ by a little, and then step: one worker's in the other direction. */
async function skewed(fixture: Fixture, step: number) {
  const begin = async (script: Script, ahead: number, by: number): Promise<Skewed> => {
    const port = await freePort();
    const env = { CLOCK_AHEAD_MS: String(ahead), CLOCK_STEP_MS: String(by) };
    const started = await fixture.start(script, { ...env, METRICS_PORT: String(port) }, SKEWED);
    return { process: started, port, ahead, by };
  };
  return Promise.all([
    begin('api.js', -3_000, step),
    begin('worker.js', 3_000, step),
    begin('worker.js', -3_000, -step),
  ]);
}

interface Skewed {
  process: ServiceProcess;
  /** Of its metrics. */
  port: number;
  /** Milliseconds that its clock is ahead, and that it steps by. */
  ahead: number;
  by: number;
}

/** The metric shows how far the clock of each process is off. */
async function metricShows(all: Skewed[], isOff: (it: Skewed) => number): Promise<void> {
  for (const it of all) {
    const text = await (await fetch(`http://127.0.0.1:${it.port}/metrics`)).text();
    const shown = Number(/^quiz_clock_skew_seconds (\S+)/m.exec(text)?.[1]);
    const wrong = Math.abs(shown - isOff(it) / 1_000);
    hold(wrong < 1, `the metric says ${shown} s, and the clock is off by ${isOff(it)} ms`);
  }
}

/** Deliveries of an endpoint that is added and used at once, and of one that fails once, beside a finished one. */
function steps(name: string, step: number): FaultCase {
  return {
    broken: `clocks of API and worker step ${name}, another worker's in the other direction`,
    when: 'in use, with retries pending',
    async run(fixture) {
      const all = await skewed(fixture, step);
      try {
        return await inUse(fixture, all, step);
      } finally {
        // No other row may meet them.
        await Promise.all(all.map((it) => it.process.kill()));
      }
    },
  };
}

async function inUse(fixture: Fixture, all: Awaited<ReturnType<typeof skewed>>, step: number) {
  const [{ process: api }] = all;
  await metricShows(all, ({ ahead }) => ahead);
  const old = await fixture.subscriber();
  await fixture.emit(old, EVENTS);
  await fixture.settled([old]);
  const failing = await fixture.subscriber();
  fixture.receiver.behave(failing.path, refuse(500));
  await fixture.emit(failing, EVENTS);
  await fixture.receiver.until(failing.path, EVENTS);
  for (const it of all) it.process.stepClock();
  fixture.receiver.behave(failing.path, accept);
  const added = await fixture.subscriber();
  for (let count = 0; count < 5; count++)
    hold((await fixture.createQuiz(api, added)) === 201, 'the API does not serve');
  await fixture.settled([old, failing, added]);
  // What has finished would be old enough to be deleted.
  if (step > 30 * DAY) {
    await sleep(PRUNED_WITHIN);
    await metricShows(all, ({ ahead, by }) => ahead + by);
  }
  const [row] = await fixture.query<{ disabled: number }>(
    'SELECT count(*)::int AS disabled FROM webhook_endpoints WHERE disabled_at IS NOT NULL',
  );
  hold(row?.disabled === 0, 'an endpoint was disabled');
  // History: what was delivered before the step is still there.
  const counts = await audit(fixture, [old, failing, added]);
  return { ...counts, note: 'nothing lost, early, twice or erased' };
}

function refusedStart(name: string, ahead: number): FaultCase {
  return {
    broken: `clock ${name} at the start`,
    when: 'API and worker',
    async run(fixture) {
      const side = ahead > 0 ? 'ahead of' : 'behind';
      const reason = `clock is ${Math.abs(ahead) / 1_000} seconds ${side} the database's`;
      for (const script of ['api.js', 'worker.js'] as const) {
        const started = fixture.start(script, { CLOCK_AHEAD_MS: String(ahead) }, SKEWED);
        const ended = await started.then(
          (it) => it.kill().then(() => false),
          () => true,
        );
        hold(ended, `${script} started`);
        // It could also end because of something else.
        const log = readFileSync(fixture.logOf(script), 'utf8');
        hold(log.includes(reason), `${script} does not say that the ${reason}`);
      }
      return { note: 'neither starts' };
    },
  };
}

/** Rows `clocks`: the database's time decides, whatever those of the processes do. */
export const clocks: Suite = {
  queues: 'both',
  nightly: true,
  // Long enough that a retry which follows a step of the clock at once is early.
  settings: { WEBHOOK_RETRY_DELAYS: '5s,5s,5s' },
  cases: [
    steps('10 minutes ahead', 10 * MINUTE),
    steps('10 minutes back', -10 * MINUTE),
    steps('31 days ahead', 31 * DAY),
    steps('3 hours back', -180 * MINUTE),
  ],
};

export const clocksAtStart: Suite = {
  queues: 'once',
  nightly: true,
  cases: [
    refusedStart('10 minutes ahead', 10 * MINUTE),
    refusedStart('10 minutes behind', -10 * MINUTE),
  ],
};
