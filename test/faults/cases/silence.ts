import { FreezingProxy } from '../../support/freezing-proxy';
import { audit } from '../harness/audit';
import type { FaultCase, Suite } from '../harness/case';
import { seconds } from '../harness/seconds';
import { hold, until } from '../harness/until';

/** The kernel's own limit is 16 minutes. */
const WITHIN = 60_000;
const EVENTS = 100;

type Server = 'DATABASE_URL' | 'REDIS_URL';

/** One worker whose connections go silent, beside one that is well, and alone. */
function silentWorker(server: Server, name: string): FaultCase {
  return {
    broken: `${name} connections of a worker go silent`,
    when: 'under load, another worker beside it, then without',
    async run(fixture) {
      const proxy = await FreezingProxy.start(fixture.env[server] ?? '');
      try {
        const sick = await fixture.start('worker.js', { [server]: proxy.url });
        const other = await fixture.start('worker.js');
        const it = await fixture.subscriber();
        await fixture.emit(it, EVENTS);
        await fixture.settled([it]);
        hold(proxy.freeze() > 0, 'no connection was frozen');
        const frozen = Date.now();
        await fixture.emit(it, EVENTS);
        await fixture.settled([it], WITHIN);
        const beside = seconds(frozen);
        await other.kill();
        await fixture.emit(it, EVENTS);
        await fixture.settled([it], WITHIN);
        hold(proxy.freeze() > 0, 'no connection of the worker alone was frozen');
        const again = Date.now();
        await fixture.emit(it, EVENTS);
        await fixture.settled([it], WITHIN);
        hold(sick.runs, 'the worker has ended');
        const count = await audit(fixture, [it], { duplicates: { atMost: 32 } });
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
    async run(fixture) {
      const proxy = await FreezingProxy.start(fixture.env[server] ?? '');
      try {
        const api = await fixture.start('api.js', { [server]: proxy.url });
        await fixture.worker();
        const it = await fixture.subscriber();
        const create = () => fixture.createQuiz(api, it);
        hold((await create()) === 201, 'the API does not serve');
        await Promise.all([create(), create(), create()]);
        hold(proxy.freeze() > 0, 'no connection was frozen');
        const frozen = Date.now();
        await until('the API', async () => (await create()) === 201, within);
        const back = seconds(frozen);
        // A request that hung is an answer to `until`, however late it is.
        hold(Date.now() - frozen <= within, `the API serves again only ${back} later`);
        await fixture.settled([it], WITHIN);
        return { ...(await audit(fixture, [it])), note: `serves again ${back} later` };
      } finally {
        await proxy.close();
      }
    },
  };
}

/** Rows `connections go silent`: they stay open, and nothing passes. */
export const silentPostgres: Suite = {
  queues: 'both',
  nightly: true,
  settings: { WEBHOOK_TIMEOUT: '30s' },
  cases: [
    silentWorker('DATABASE_URL', 'PostgreSQL'),
    silentApi('DATABASE_URL', 'PostgreSQL', 30_000),
  ],
};

export const silentRedis: Suite = {
  queues: 'redis',
  nightly: true,
  settings: { WEBHOOK_TIMEOUT: '30s' },
  cases: [silentWorker('REDIS_URL', 'Redis'), silentApi('REDIS_URL', 'Redis', 5_000)],
};
