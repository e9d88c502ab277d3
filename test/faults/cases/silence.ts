import { Redis } from 'ioredis';
import { FreezingProxy } from '../../support/freezing-proxy';
import { audit } from '../harness/audit';
import type { FaultCase, Suite } from '../harness/case';
import { accept, keepOpen } from '../harness/receiver';
import type { Stage } from '../harness/stage';
import { hold, until } from '../harness/until';
import { seconds } from './relay';

/** The kernel's own limit is 16 minutes. */
const WITHIN = 60_000;
const EVENTS = 100;

type Server = 'DATABASE_URL' | 'REDIS_URL';

/** One worker whose connections go silent, beside one that is well, and alone. */
function silentWorker(server: Server, name: string): FaultCase {
  return {
    broken: `${name} connections of a worker go silent`,
    when: 'under load, another worker beside it, then without',
    async run(stage) {
      const proxy = await FreezingProxy.start(stage.env[server] ?? '');
      try {
        const sick = await stage.start('worker.js', { [server]: proxy.url });
        const other = await stage.start('worker.js');
        const it = await stage.subscriber();
        await stage.emit(it, EVENTS);
        await stage.settled([it]);
        hold(proxy.freeze() > 0, 'no connection was frozen');
        const frozen = Date.now();
        await stage.emit(it, EVENTS);
        await stage.settled([it], WITHIN);
        const beside = seconds(frozen);
        await other.kill();
        await stage.emit(it, EVENTS);
        await stage.settled([it], WITHIN);
        proxy.freeze();
        const again = Date.now();
        await stage.emit(it, EVENTS);
        await stage.settled([it], WITHIN);
        hold(sick.runs, 'the worker has ended');
        const count = await audit(stage, [it], { duplicates: { atMost: 32 } });
        await sick.kill();
        return {
          ...count,
          note: `all delivered ${beside} later beside another worker, ${seconds(again)} alone`,
        };
      } finally {
        await proxy.close();
      }
    },
  };
}

function silentApi(server: Server, name: string, within: number): FaultCase {
  return {
    broken: `${name} connections of the API go silent`,
    when: 'in use',
    async run(stage) {
      const proxy = await FreezingProxy.start(stage.env[server] ?? '');
      try {
        const api = await stage.start('api.js', { [server]: proxy.url });
        await stage.worker();
        const it = await stage.subscriber();
        const create = () => stage.createQuiz(api, it);
        hold((await create()) === 201, 'the API does not serve');
        await Promise.all([create(), create(), create()]);
        hold(proxy.freeze() > 0, 'no connection was frozen');
        const frozen = Date.now();
        await until('the API', async () => (await create()) === 201, within);
        const back = seconds(frozen);
        await stage.settled([it], WITHIN);
        return { ...(await audit(stage, [it])), note: `serves again ${back} later` };
      } finally {
        await proxy.close();
      }
    },
  };
}

/** Rows `connections go silent`: they stay open, and nothing passes. */
export const silentPostgres: Suite = {
  queues: 'both',
  settings: { WEBHOOK_TIMEOUT: '30s' },
  cases: [
    silentWorker('DATABASE_URL', 'PostgreSQL'),
    silentApi('DATABASE_URL', 'PostgreSQL', 30_000),
  ],
};

export const silentRedis: Suite = {
  queues: 'redis',
  settings: { WEBHOOK_TIMEOUT: '30s' },
  cases: [
    silentWorker('REDIS_URL', 'Redis'),
    silentApi('REDIS_URL', 'Redis', 5_000),
    {
      broken: 'Redis loses one list',
      when: '160 jobs in the queue, 128 of them under way',
      async run(stage) {
        await stage.worker();
        const subscribers = await stage.subscribers(10);
        for (const it of subscribers) stage.receiver.behave(it.path, keepOpen);
        for (const it of subscribers) await stage.emit(it, 16);
        const open = () => subscribers.flatMap((it) => stage.receiver.at(it.path));
        await until('128 POSTs', () => open().length === 128);
        const lost = await loseList(stage);
        for (const it of subscribers) stage.receiver.behave(it.path, accept);
        for (const arrival of open()) arrival.answer(204);
        const begun = Date.now();
        await stage.settled(subscribers, WITHIN);
        const note = `${lost} jobs lost; all delivered ${seconds(begun)} later`;
        return { ...(await audit(stage, subscribers)), note };
      },
    },
  ],
};

/** The jobs stay, and no list names them. @returns how many */
async function loseList(stage: Stage): Promise<number> {
  const redis = new Redis(stage.redis.url);
  const lists = await redis.keys('quiz:*:wait');
  let lost = 0;
  for (const list of lists) lost += await redis.llen(list);
  await redis.del(...lists);
  redis.disconnect();
  hold(lost > 0, 'no job was waiting');
  return lost;
}
