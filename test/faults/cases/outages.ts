import { setTimeout as sleep } from 'node:timers/promises';
import { audit } from '../harness/audit';
import type { Suite } from '../harness/case';
import { failTogether } from '../harness/fail-together';
import { accept, keepOpen } from '../harness/receiver';
import type { Stage, Subscriber } from '../harness/stage';
import { hold, until } from '../harness/until';
import { seconds } from './relay';

const PENDING = 100;

async function pendingRetries(stage: Stage): Promise<Subscriber[]> {
  const subscribers = await stage.subscribers(10);
  await failTogether(stage, subscribers, PENDING / 10);
  return subscribers;
}

/** Row `PostgreSQL immediate stop and start`. */
export const postgres: Suite = {
  queues: 'both',
  ownServer: true,
  settings: { WEBHOOK_TIMEOUT: '30s', WEBHOOK_RETRY_DELAYS: '4s,600ms,1s' },
  async prepare(stage) {
    await stage.worker();
    await stage.api();
  },
  cases: [
    {
      broken: 'PostgreSQL stopped at once, started again',
      when: 'idle',
      async run(stage) {
        const it = await stage.subscriber();
        const [api, worker] = [await stage.api(), await stage.worker()];
        hold((await stage.createQuiz(api, it)) === 201, 'the API does not serve');
        await stage.settled([it]);
        await stage.server.stopAtOnce();
        const times: number[] = [];
        for (let request = 0; request < 5; request++) {
          const asked = Date.now();
          const status = await stage.createQuiz(api, it);
          times.push(Date.now() - asked);
          hold(status >= 500, `the API answers ${status} without a database`);
        }
        const slowest = Math.max(...times);
        hold(slowest < 2_000, `the API took ${slowest} ms to say so`);
        await stage.server.startAgain();
        const back = Date.now();
        await until('the API', async () => (await stage.createQuiz(api, it)) === 201, 10_000);
        await stage.settled([it]);
        const note = `5xx within ${slowest} ms meanwhile; delivers ${seconds(back)} after the start`;
        hold(api.runs && worker.runs, 'a process of ours has ended');
        return { ...(await audit(stage, [it])), note };
      },
    },
    {
      broken: 'PostgreSQL stopped at once, started again',
      when: 'mid-POST, answered while it is away',
      async run(stage) {
        const it = await stage.subscriber();
        const worker = await stage.worker();
        stage.receiver.behave(it.path, keepOpen);
        await stage.emit(it, 16);
        const held = await stage.receiver.until(it.path, 16);
        await stage.server.stopAtOnce();
        for (const arrival of held) arrival.answer(204);
        // Longer than a worker may be silent: nobody takes another for dead when all were.
        await sleep(9_000);
        await stage.server.startAgain();
        await stage.settled([it]);
        hold(worker.runs, 'the worker has ended');
        return audit(stage, [it]);
      },
    },
    {
      broken: 'PostgreSQL stopped at once, started again',
      when: `${PENDING} retries pending`,
      async run(stage) {
        const worker = await stage.worker();
        const all = await pendingRetries(stage);
        await stage.server.stopAtOnce();
        await sleep(1_000);
        await stage.server.startAgain();
        await stage.settled(all);
        hold(worker.runs, 'the worker has ended');
        return audit(stage, all);
      },
    },
  ],
};

const RETRIES = { WEBHOOK_TIMEOUT: '5s', WEBHOOK_RETRY_DELAYS: '3s,600ms,1s' };

/** Row `Redis killed or flushed`, and the same of a queue in PostgreSQL. */
export const queueEmptied: Suite = {
  queues: 'both',
  settings: RETRIES,
  cases: [
    {
      broken: 'queue emptied',
      when: `${PENDING} retries pending`,
      async run(stage) {
        await stage.worker();
        const all = await pendingRetries(stage);
        await stage.emptyQueue();
        await stage.settled(all);
        return audit(stage, all);
      },
    },
    {
      broken: 'queue emptied',
      when: '160 jobs in it, 128 of them under way',
      async run(stage) {
        await stage.worker();
        const subscribers = await stage.subscribers(10);
        for (const it of subscribers) stage.receiver.behave(it.path, keepOpen);
        for (const it of subscribers) await stage.emit(it, 16);
        const open = () => subscribers.flatMap((it) => stage.receiver.at(it.path));
        await until('128 POSTs', () => open().length === 128);
        await stage.emptyQueue();
        for (const it of subscribers) stage.receiver.behave(it.path, accept);
        for (const arrival of open()) arrival.answer(204);
        const emptied = Date.now();
        await stage.settled(subscribers, 60_000);
        const note = `all delivered ${seconds(emptied)} later`;
        return { ...(await audit(stage, subscribers)), note };
      },
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
      async run(stage) {
        const worker = await stage.worker();
        const api = await stage.api();
        const all = await pendingRetries(stage);
        await stage.redis.kill();
        const times: number[] = [];
        for (let request = 0; request < 10; request++) {
          const asked = Date.now();
          hold(
            (await stage.createQuiz(api, all[request]!)) === 201,
            'the API does not serve without Redis',
          );
          times.push(Date.now() - asked);
        }
        // Past the time of the retries: the worker has tried to enqueue them.
        await sleep(4_000);
        await stage.redis.startAgain();
        const back = Date.now();
        await stage.settled(all, 60_000);
        hold(worker.runs, 'the worker has ended');
        const note = `the API takes ${Math.max(...times)} ms at most meanwhile; all delivered ${seconds(back)} after the start`;
        return { ...(await audit(stage, all)), note };
      },
    },
    {
      broken: 'Redis killed, started again empty',
      when: 'mid-POST',
      async run(stage) {
        const worker = await stage.worker();
        const it = await stage.subscriber();
        stage.receiver.behave(it.path, keepOpen);
        await stage.emit(it, 30);
        const held = await stage.receiver.until(it.path, 16);
        await stage.redis.kill();
        stage.receiver.behave(it.path, accept);
        for (const arrival of held) arrival.answer(204);
        await sleep(1_000);
        await stage.redis.startAgain();
        const back = Date.now();
        await stage.settled([it], 60_000);
        hold(worker.runs, 'the worker has ended');
        return {
          ...(await audit(stage, [it])),
          note: `all delivered ${seconds(back)} after the start`,
        };
      },
    },
  ],
};
