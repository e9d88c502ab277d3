import { setTimeout as sleep } from 'node:timers/promises';
import { EndpointsService } from '../../../src/webhooks/endpoints/endpoints.service';
import { ENDPOINT_SHARE, SLOTS } from '../../../src/webhooks/sending/sending-limits';
import { audit } from '../harness/audit';
import type { Suite } from '../harness/case';
import type { Fixture, Subscriber } from '../harness/fixture';
import { accept, keepOpen } from '../harness/receiver';
import { seconds } from '../harness/seconds';
import { hold, until } from '../harness/until';

const DEAD_EVENTS = 5_000;
const HEALTHY = 5;

/** Emits some events a second to each, and says how long they took from the commit to the receiver. */
async function latency(
  fixture: Fixture,
  healthy: Subscriber[],
  milliseconds: number,
): Promise<number[]> {
  const before = new Set(healthy.flatMap((it) => fixture.receiver.at(it.path)));
  const end = Date.now() + milliseconds;
  while (Date.now() < end) {
    for (const it of healthy) await fixture.emit(it, 2);
    await sleep(100);
  }
  await fixture.settled(healthy);
  return healthy
    .flatMap((it) => fixture.receiver.at(it.path))
    .filter((arrival) => !before.has(arrival))
    .map((arrival) => arrival.at - createdAt(arrival.body))
    .sort((a, b) => a - b);
}

function createdAt(body: Buffer): number {
  return Date.parse((JSON.parse(body.toString()) as { created_at: string }).created_at);
}

const quantile = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;

/** Milliseconds that the trouble of one account may add to the first attempts of others, in 99 of 100 cases. */
const ADDED = 500;

function holdIsolated(alone: number[], beside: number[], when: string): void {
  const added = quantile(beside, 0.99) - quantile(alone, 0.99);
  hold(
    added < ADDED,
    `${when} the others wait ${inWords(beside)} instead of ${inWords(alone)} (median / p99)`,
  );
}

const inWords = (sorted: number[]) => `${quantile(sorted, 0.5)} / ${quantile(sorted, 0.99)} ms`;

/** Row `one endpoint hanging under 5,000 events`, for longer than the row takes: no attempt ends by its timeout. */
export const isolation: Suite = {
  queues: 'both',
  nightly: true,
  alone: true,
  settings: { WEBHOOK_TIMEOUT: '90s', WEBHOOK_RETRY_DELAYS: '1m,10m,1h' },
  cases: [
    {
      broken: 'endpoint hangs',
      when: `under ${DEAD_EVENTS} events, ${HEALTHY} others healthy`,
      async run(fixture) {
        const worker = await fixture.worker();
        const dead = await fixture.subscriber();
        const healthy = await fixture.subscribers(HEALTHY);
        await latency(fixture, healthy, 1_000);
        const alone = await latency(fixture, healthy, 4_000);

        fixture.receiver.behave(dead.path, keepOpen);
        await fixture.emit(dead, DEAD_EVENTS);
        const beside = await latency(fixture, healthy, 8_000);
        holdIsolated(alone, beside, 'beside it');
        hold(
          fixture.receiver.mostOpen(dead.path) <= ENDPOINT_SHARE,
          'more requests than its share',
        );

        await until('all of its events relayed', async () => {
          const [row] = await fixture.query<{ count: number }>(
            `SELECT count(*)::int FROM outbox_events WHERE account_id = $1 AND relayed_at IS NULL`,
            [dead.accountId],
          );
          return row?.count === 0;
        });
        // Each of its jobs first waits once in the worker for a place, about a second, before it is delayed. What is
        // measured is the worker after that.
        const isAtRest = async () => {
          const before = worker.cpu();
          await sleep(1_000);
          return worker.cpu() - before < 40;
        };
        const within = (1_500 * DEAD_EVENTS) / SLOTS;
        await until('a worker at rest', isAtRest, within).catch(() => undefined);
        const used = worker.cpu();
        await sleep(5_000);
        const share = (worker.cpu() - used) / 50;
        hold(share < 15, `the worker uses ${share.toFixed(1)} % of a processor while it waits`);

        fixture.receiver.behave(dead.path, accept);
        for (const arrival of fixture.receiver.at(dead.path)) arrival.answer(204);
        const revived = Date.now();
        // Its jobs are delayed by at most a minute.
        await fixture.settled([dead], 90_000);
        const count = await audit(fixture, [dead, ...healthy]);
        const note =
          `the others’ first attempts (median / p99): ${inWords(alone)} without it, ${inWords(beside)} beside it; ` +
          `worker’s CPU while waiting ${share.toFixed(1)} %; all ${DEAD_EVENTS} delivered ${seconds(revived)} after it responds`;
        return { ...count, note };
      },
    },
  ],
};

const FLOOD = 10_000;

/** Row `flood of one account`: its endpoint is healthy, so its deliveries use all that it may have. */
export const flood: Suite = {
  queues: 'both',
  nightly: true,
  alone: true,
  settings: { WEBHOOK_TIMEOUT: '30s' },
  cases: [
    {
      broken: 'one account floods',
      when: `${FLOOD} events to its endpoint, ${HEALTHY} others healthy`,
      async run(fixture) {
        await fixture.worker();
        const flooded = await fixture.subscriber();
        const healthy = await fixture.subscribers(HEALTHY);
        await latency(fixture, healthy, 1_000);
        const alone = await latency(fixture, healthy, 4_000);
        await fixture.emit(flooded, FLOOD);
        const started = Date.now();
        const beside = await latency(fixture, healthy, 4_000);
        const came = fixture.receiver.at(flooded.path).length;
        hold(came < FLOOD, 'the flood was over before the others were measured');
        holdIsolated(alone, beside, 'beside it');
        await fixture.settled([flooded], 120_000);
        const count = await audit(fixture, [flooded, ...healthy]);
        const note =
          `the others’ first attempts (median / p99): ${inWords(alone)} without it, ${inWords(beside)} beside it; ` +
          `all ${FLOOD} delivered after ${seconds(started)}`;
        return { ...count, note };
      },
    },
  ],
};

const SLOW_ENDPOINTS = 18;
const SLOW_EVENTS = 40;
const SLOW_MS = 8_000;

/** Row `slow endpoints of one account`: each attempt succeeds, and takes most of its time-out. */
export const slowEndpoints: Suite = {
  queues: 'both',
  nightly: true,
  alone: true,
  settings: { WEBHOOK_TIMEOUT: '12s' },
  cases: [
    {
      broken: `${SLOW_ENDPOINTS} endpoints of one account respond after ${SLOW_MS / 1_000} s`,
      when: `under ${SLOW_EVENTS} events, ${HEALTHY} others healthy`,
      async run(fixture) {
        await fixture.worker();
        const healthy = await fixture.subscribers(HEALTHY);
        await latency(fixture, healthy, 1_000);
        const alone = await latency(fixture, healthy, 4_000);
        const slow = await fixture.subscriber();
        const endpoints = fixture.services.get(EndpointsService);
        const all = [slow];
        while (all.length < SLOW_ENDPOINTS) {
          const path = `${slow.path}-${all.length}`;
          const { endpoint, secret } = await endpoints.add(slow.accountId, {
            url: fixture.receiver.origin + path,
            events: ['quiz.created'],
          });
          all.push({ ...slow, endpointId: endpoint.id, path, secrets: [secret] });
        }
        for (const { path } of all)
          fixture.receiver.behave(
            path,
            (arrival) => void setTimeout(() => arrival.answer(204), SLOW_MS),
          );
        await fixture.emit(slow, SLOW_EVENTS);
        await sleep(1_000);
        const first = await latency(fixture, healthy, 4_000);
        // By now they are known to be slow.
        await sleep(SLOW_MS);
        const later = await latency(fixture, healthy, 4_000);
        holdIsolated(alone, first, 'at first');
        holdIsolated(alone, later, 'later');
        for (const { path } of all) {
          fixture.receiver.behave(path, accept);
          for (const arrival of fixture.receiver.at(path)) arrival.answer(204);
        }
        await fixture.settled(all, 120_000);
        const count = await audit(fixture, [...all, ...healthy]);
        const note =
          `the others’ first attempts (median / p99): ${inWords(alone)} without them, ` +
          `${inWords(first)} at first, ${inWords(later)} once they are known to be slow`;
        return { ...count, note };
      },
    },
  ],
};

const BURST = 10_000;
const ENDPOINTS = 10;
const TRANSACTION = 250;

/** Commits the burst while the workers run, endpoint after endpoint in small transactions. */
async function burst(fixture: Fixture, subscribers: Subscriber[]): Promise<void> {
  const each = BURST / subscribers.length;
  for (let done = 0; done < each; done += TRANSACTION)
    for (const it of subscribers) await fixture.emit(it, TRANSACTION);
}

/** Row `two workers, two relays`. */
export const twoWorkers: Suite = {
  queues: 'both',
  nightly: true,
  alone: true,
  // Slowness alone must not end an attempt: with 1.5 s a busy machine sends again without a kill.
  settings: { WEBHOOK_TIMEOUT: '30s' },
  cases: [
    {
      broken: 'two workers, two relays',
      when: `burst of ${BURST} events to ${ENDPOINTS} endpoints`,
      async run(fixture) {
        await fixture.twoWorkers();
        const subscribers = await fixture.subscribers(ENDPOINTS);
        const started = Date.now();
        await burst(fixture, subscribers);
        await fixture.settled(subscribers, 120_000);
        const rate = BURST / ((Date.now() - started) / 1_000);
        const count = await audit(fixture, subscribers);
        return { ...count, note: `${rate.toFixed(0)} deliveries a second` };
      },
    },
    {
      broken: 'two workers, one killed',
      when: `in the midst of a burst of ${BURST}`,
      async run(fixture) {
        const [victim] = await fixture.twoWorkers();
        const subscribers = await fixture.subscribers(ENDPOINTS);
        await burst(fixture, subscribers);
        const came = () =>
          subscribers.reduce((sum, it) => sum + fixture.receiver.at(it.path).length, 0);
        await until('a third of them', () => came() > BURST / 3, 60_000);
        await victim.kill();
        const killed = Date.now();
        hold(came() < BURST, 'all were delivered before the kill');
        await fixture.settled(subscribers, 180_000);
        // What the killed one had under way: at most the shares of all endpoints.
        const count = await audit(fixture, subscribers, {
          duplicates: { atMost: ENDPOINT_SHARE * ENDPOINTS },
        });
        const note = `${count.interrupted} attempts interrupted; all delivered ${seconds(killed)} after the kill`;
        return { ...count, note };
      },
    },
  ],
};
