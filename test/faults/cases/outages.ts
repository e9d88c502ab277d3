import { setTimeout as sleep } from 'node:timers/promises';
import { withRedis } from '../../support/redis-server';
import { audit } from '../harness/audit';
import type { Suite } from '../harness/case';
import { failTogether } from '../harness/fail-together';
import { EVENTS_OF_A_QUIZ, type Fixture, type Subscriber } from '../harness/fixture';
import { accept, keepOpen } from '../harness/receiver';
import { seconds } from '../harness/seconds';
import { hold, until } from '../harness/until';

const PENDING = 100;
const UNDER_WAY = '320 deliveries, 256 of them under way';

async function pendingRetries(fixture: Fixture): Promise<Subscriber[]> {
  const subscribers = await fixture.subscribers(10);
  await failTogether(fixture, subscribers, PENDING / 10);
  return subscribers;
}

/** Row `PostgreSQL immediate stop and start`. */
export const postgres: Suite = {
  queues: 'both',
  ownServer: true,
  settings: { WEBHOOK_TIMEOUT: '30s', WEBHOOK_RETRY_DELAYS: '4s,600ms,1s' },
  async prepare(fixture) {
    await fixture.worker();
    await fixture.api();
  },
  cases: [
    {
      broken: 'PostgreSQL stopped at once, started again',
      when: 'idle',
      async run(fixture) {
        const it = await fixture.subscriber();
        const [api, worker] = [await fixture.api(), await fixture.worker()];
        hold((await fixture.createQuiz(api, it)) === 201, 'the API does not serve');
        await fixture.settled([it]);
        await fixture.server.stopAtOnce();
        const times: number[] = [];
        for (let request = 0; request < 5; request++) {
          const asked = Date.now();
          const status = await fixture.createQuiz(api, it);
          times.push(Date.now() - asked);
          hold(status >= 500, `the API responds ${status} without a database`);
        }
        const slowest = Math.max(...times);
        hold(slowest < 2_000, `the API took ${slowest} ms to say so`);
        await fixture.server.startAgain();
        const back = Date.now();
        await until('the API', async () => (await fixture.createQuiz(api, it)) === 201, 10_000);
        await fixture.settled([it]);
        const note = `5xx within ${slowest} ms meanwhile; delivers ${seconds(back)} after the start`;
        hold(api.runs && worker.runs, 'a process of ours has ended');
        const count = await audit(fixture, [it]);
        hold(count.events === 2 * EVENTS_OF_A_QUIZ, `${count.events} events of two quizzes`);
        return { ...count, note };
      },
    },
    {
      broken: 'PostgreSQL stopped at once, started again',
      when: 'mid-POST, response while it is away',
      async run(fixture) {
        const it = await fixture.subscriber();
        const worker = await fixture.worker();
        fixture.receiver.behave(it.path, keepOpen);
        await fixture.emit(it, 16);
        const held = await fixture.receiver.until(it.path, 16);
        await fixture.server.stopAtOnce();
        for (const arrival of held) arrival.answer(204);
        // Longer than a worker may be silent: nobody takes another for dead when all were.
        await sleep(9_000);
        await fixture.server.startAgain();
        await fixture.settled([it]);
        hold(worker.runs, 'the worker has ended');
        return audit(fixture, [it]);
      },
    },
    {
      broken: 'PostgreSQL stopped at once, started again',
      when: `${PENDING} retries pending`,
      async run(fixture) {
        const worker = await fixture.worker();
        const all = await pendingRetries(fixture);
        await fixture.server.stopAtOnce();
        await sleep(1_000);
        await fixture.server.startAgain();
        await fixture.settled(all);
        hold(worker.runs, 'the worker has ended');
        return audit(fixture, all);
      },
    },
  ],
};

// Slowness alone must not end an attempt: emptying a busy queue in PostgreSQL can take seconds.
const RETRIES = { WEBHOOK_TIMEOUT: '30s', WEBHOOK_RETRY_DELAYS: '3s,600ms,1s' };

/** Breaks the queue while the 256 places of the worker are taken. @param breaks returns what to note of it */
async function whileUnderWay(fixture: Fixture, breaks: () => Promise<string>) {
  await fixture.worker();
  const subscribers = await fixture.subscribers(20);
  for (const it of subscribers) fixture.receiver.behave(it.path, keepOpen);
  for (const it of subscribers) await fixture.emit(it, 16);
  const open = () => subscribers.flatMap((it) => fixture.receiver.at(it.path));
  await until('256 POSTs', () => open().length === 256);
  const broken = await breaks();
  for (const it of subscribers) fixture.receiver.behave(it.path, accept);
  for (const arrival of open()) arrival.answer(204);
  const begun = Date.now();
  await fixture.settled(subscribers, 60_000);
  const note = `${broken}all delivered ${seconds(begun)} later`;
  return { ...(await audit(fixture, subscribers)), note };
}

/** Row `Redis killed or flushed`, and the same of a queue in PostgreSQL. */
export const queueEmptied: Suite = {
  queues: 'both',
  settings: RETRIES,
  cases: [
    {
      broken: 'queue emptied',
      when: `${PENDING} retries pending`,
      async run(fixture) {
        await fixture.worker();
        const all = await pendingRetries(fixture);
        await fixture.emptyQueue();
        const emptied = Date.now();
        await fixture.settled(all, 60_000);
        return { ...(await audit(fixture, all)), note: `all delivered ${seconds(emptied)} later` };
      },
    },
    {
      broken: 'queue emptied',
      when: UNDER_WAY,
      run: (fixture) =>
        whileUnderWay(fixture, async () => {
          await fixture.emptyQueue();
          return '';
        }),
    },
  ],
};

export const redis: Suite = {
  queues: 'redis',
  settings: RETRIES,
  cases: [
    {
      broken: 'Redis killed, started again empty',
      when: `${PENDING} retries pending, the API in use`,
      async run(fixture) {
        const worker = await fixture.worker();
        const api = await fixture.api();
        const all = await pendingRetries(fixture);
        await fixture.redis.kill();
        const times: number[] = [];
        for (let request = 0; request < 10; request++) {
          const asked = Date.now();
          hold(
            (await fixture.createQuiz(api, all[request]!)) === 201,
            'the API does not serve without Redis',
          );
          times.push(Date.now() - asked);
        }
        // Past the time of the retries: the worker has tried to enqueue them.
        await sleep(4_000);
        await fixture.redis.start();
        const back = Date.now();
        await fixture.settled(all, 60_000);
        hold(worker.runs, 'the worker has ended');
        const slowest = Math.max(...times);
        hold(slowest < 2_000, `the API took ${slowest} ms without Redis`);
        const count = await audit(fixture, all);
        const events = PENDING + times.length * EVENTS_OF_A_QUIZ;
        hold(count.events === events, `${count.events} events instead of ${events}`);
        const note = `the API takes ${slowest} ms at most meanwhile; all delivered ${seconds(back)} after the start`;
        return { ...count, note };
      },
    },
    {
      broken: 'Redis killed, started again empty',
      when: 'mid-POST',
      async run(fixture) {
        const worker = await fixture.worker();
        const it = await fixture.subscriber();
        fixture.receiver.behave(it.path, keepOpen);
        await fixture.emit(it, 30);
        const held = await fixture.receiver.until(it.path, 16);
        await fixture.redis.kill();
        fixture.receiver.behave(it.path, accept);
        for (const arrival of held) arrival.answer(204);
        await sleep(1_000);
        await fixture.redis.start();
        const back = Date.now();
        await fixture.settled([it], 60_000);
        hold(worker.runs, 'the worker has ended');
        return {
          ...(await audit(fixture, [it])),
          note: `all delivered ${seconds(back)} after the start`,
        };
      },
    },
    {
      broken: 'Redis loses the waiting jobs',
      when: UNDER_WAY,
      run: (fixture) =>
        whileUnderWay(fixture, async () => `${await loseWaiting(fixture)} jobs lost; `),
    },
  ],
};

/** The jobs stay, and no list names them. @returns how many */
async function loseWaiting(fixture: Fixture): Promise<number> {
  const queue = 'quiz:webhook-deliveries';
  const lists = [`${queue}:wait`, `${queue}:prioritized`] as const;
  const lost = await withRedis(fixture.redis.url, async (redis) => {
    const count = (await redis.llen(lists[0])) + (await redis.zcard(lists[1]));
    await redis.del(...lists);
    return count;
  });
  hold(lost > 0, 'no job was waiting');
  return lost;
}
