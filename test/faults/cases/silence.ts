import { FreezingProxy } from '../../support/freezing-proxy';
import { audit } from '../harness/audit';
import type { FaultCase, Suite } from '../harness/case';
import type { Subscriber } from '../harness/fixture';
import { accept, keepOpen } from '../harness/receiver';
import { seconds } from '../harness/seconds';
import { hold, until } from '../harness/until';

/** The kernel's own limit is 16 minutes. */
const WITHIN = 60_000;
const EVENTS = 100;
/** The share of an endpoint: so many of the events are under way at once. */
const UNDER_WAY = 16;

type Server = 'DATABASE_URL' | 'REDIS_URL';

/**
 * The connections of the only worker go silent while the receiver has its POSTs and has not responded: no outcome can
 * be recorded through them.
 */
function silentWorker(server: Server, name: string): FaultCase {
  return {
    broken: `${name} connections of a worker go silent`,
    when: 'POSTs sent, responses afterwards; another worker beside it, then without',
    async run(fixture) {
      const proxy = await FreezingProxy.start(fixture.env[server] ?? '');
      try {
        const sick = await fixture.start('worker.js', { [server]: proxy.url });
        const other = await fixture.start('worker.js');
        const [first, second] = [await fixture.subscriber(), await fixture.subscriber()];
        const silence = async (it: Subscriber) => {
          fixture.receiver.behave(it.path, keepOpen);
          await fixture.emit(it, EVENTS);
          const arrivals = await fixture.receiver.until(it.path, UNDER_WAY);
          hold(proxy.freeze() > 0, 'no connection was frozen');
          if (other.runs) other.thaw();
          const responded = Date.now();
          fixture.receiver.behave(it.path, accept);
          for (const arrival of arrivals) arrival.answer(204);
          await fixture.emit(it, EVENTS);
          await fixture.settled([it], WITHIN);
          return seconds(responded);
        };
        // All POSTs are the sick one's. A start may take longer than the timeout of a POST.
        other.freeze();
        const beside = await silence(first);
        await other.kill();
        const alone = await silence(second);
        hold(sick.runs, 'the worker has ended');
        // Alone it keeps the outcomes until it can record them. Another worker may have taken over before.
        await audit(fixture, [second]);
        const count = await audit(fixture, [first, second], { duplicates: { atMost: UNDER_WAY } });
        await sick.kill();
        return {
          ...count,
          note: `all delivered ${beside} after the responses beside another worker, ${alone} alone`,
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
