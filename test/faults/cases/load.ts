import { setTimeout as sleep } from 'node:timers/promises';
import { EndpointsService } from '../../../src/webhooks/endpoints/endpoints.service';
import { audit } from '../harness/audit';
import type { Suite } from '../harness/case';
import { accept, keepOpen } from '../harness/receiver';
import type { Stage, Subscriber } from '../harness/stage';
import { hold, until } from '../harness/until';
import { seconds } from './relay';

const DEAD_EVENTS = 5_000;
const HEALTHY = 5;

/** Emits some events a second to each, and says how long they took from the commit to the receiver. */
async function latency(
  stage: Stage,
  healthy: Subscriber[],
  milliseconds: number,
): Promise<number[]> {
  const before = new Set(healthy.flatMap((it) => stage.receiver.at(it.path)));
  const end = Date.now() + milliseconds;
  while (Date.now() < end) {
    for (const it of healthy) await stage.emit(it, 2);
    await sleep(100);
  }
  await stage.settled(healthy);
  return healthy
    .flatMap((it) => stage.receiver.at(it.path))
    .filter((arrival) => !before.has(arrival))
    .map((arrival) => arrival.at - createdAt(arrival.body))
    .sort((a, b) => a - b);
}

function createdAt(body: Buffer): number {
  return Date.parse((JSON.parse(body.toString()) as { created_at: string }).created_at);
}

const quantile = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;

const inWords = (sorted: number[]) => `${quantile(sorted, 0.5)} / ${quantile(sorted, 0.99)} ms`;

/** Row `one endpoint hanging 30 s under 5,000 events`: the real time-out. */
export const isolation: Suite = {
  queues: 'both',
  alone: true,
  settings: { WEBHOOK_TIMEOUT: '30s', WEBHOOK_RETRY_DELAYS: '1m,10m,1h' },
  cases: [
    {
      broken: 'endpoint hangs',
      when: `under ${DEAD_EVENTS} events, ${HEALTHY} others healthy`,
      async run(stage) {
        const worker = await stage.worker();
        const dead = await stage.subscriber();
        const healthy = await stage.subscribers(HEALTHY);
        await latency(stage, healthy, 1_000);
        const alone = await latency(stage, healthy, 4_000);

        stage.receiver.behave(dead.path, keepOpen);
        await stage.emit(dead, DEAD_EVENTS);
        const beside = await latency(stage, healthy, 8_000);
        // A queue behind the dead one would be a wait of 30 s: five are time enough for the slowest machine.
        hold(quantile(beside, 0.99) < 5_000, `the others wait ${inWords(beside)} (median / p99)`);
        hold(stage.receiver.mostOpen(dead.path) <= 16, 'more requests than slots');

        await until('all of its events relayed', async () => {
          const [row] = await stage.query<{ count: number }>(
            `SELECT count(*)::int FROM outbox_events WHERE account_id = $1 AND relayed_at IS NULL`,
            [dead.accountId],
          );
          return row?.count === 0;
        });
        const used = worker.cpu();
        await sleep(5_000);
        const share = (worker.cpu() - used) / 50;
        hold(share < 15, `the worker uses ${share.toFixed(1)} % of a processor while it waits`);

        stage.receiver.behave(dead.path, accept);
        for (const arrival of stage.receiver.at(dead.path)) arrival.answer(204);
        const revived = Date.now();
        await stage.settled([dead], 60_000);
        const count = await audit(stage, [dead, ...healthy]);
        const note =
          `the others’ first attempts (median / p99): ${inWords(alone)} without it, ${inWords(beside)} beside it; ` +
          `worker’s CPU while waiting ${share.toFixed(1)} %; all ${DEAD_EVENTS} delivered ${seconds(revived)} after it answers`;
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
  alone: true,
  settings: { WEBHOOK_TIMEOUT: '12s' },
  cases: [
    {
      broken: `${SLOW_ENDPOINTS} endpoints of one account answer after ${SLOW_MS / 1_000} s`,
      when: `under ${SLOW_EVENTS} events, ${HEALTHY} others healthy`,
      async run(stage) {
        await stage.worker();
        const healthy = await stage.subscribers(HEALTHY);
        await latency(stage, healthy, 1_000);
        const alone = await latency(stage, healthy, 4_000);
        const slow = await stage.subscriber();
        const endpoints = stage.services.get(EndpointsService);
        const all = [slow];
        while (all.length < SLOW_ENDPOINTS) {
          const path = `${slow.path}-${all.length}`;
          const { endpoint, secret } = await endpoints.add(slow.accountId, {
            url: stage.receiver.origin + path,
            events: ['quiz.created'],
          });
          all.push({ ...slow, endpointId: endpoint.id, path, secrets: [secret] });
        }
        for (const { path } of all)
          stage.receiver.behave(
            path,
            (arrival) => void setTimeout(() => arrival.answer(204), SLOW_MS),
          );
        await stage.emit(slow, SLOW_EVENTS);
        await sleep(1_000);
        const first = await latency(stage, healthy, 4_000);
        // By now they are known to be slow.
        await sleep(SLOW_MS);
        const later = await latency(stage, healthy, 4_000);
        for (const [name, found] of Object.entries({ first, later }))
          hold(quantile(found, 0.99) < 4_000, `${name}: the others wait ${inWords(found)}`);
        for (const { path } of all) {
          stage.receiver.behave(path, accept);
          for (const arrival of stage.receiver.at(path)) arrival.answer(204);
        }
        await stage.settled(all, 120_000);
        const count = await audit(stage, [...all, ...healthy]);
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
async function burst(stage: Stage, subscribers: Subscriber[]): Promise<void> {
  const each = BURST / subscribers.length;
  for (let done = 0; done < each; done += TRANSACTION)
    for (const it of subscribers) await stage.emit(it, TRANSACTION);
}

/** Row `two workers, two relays`. */
export const twoWorkers: Suite = {
  queues: 'both',
  alone: true,
  cases: [
    {
      broken: 'two workers, two relays',
      when: `burst of ${BURST} events to ${ENDPOINTS} endpoints`,
      async run(stage) {
        await stage.twoWorkers();
        const subscribers = await stage.subscribers(ENDPOINTS);
        const started = Date.now();
        await burst(stage, subscribers);
        await stage.settled(subscribers, 120_000);
        const rate = BURST / ((Date.now() - started) / 1_000);
        const count = await audit(stage, subscribers);
        return { ...count, note: `${rate.toFixed(0)} deliveries a second` };
      },
    },
    {
      broken: 'two workers, one killed',
      when: `in the midst of a burst of ${BURST}`,
      async run(stage) {
        const [victim] = await stage.twoWorkers();
        const subscribers = await stage.subscribers(ENDPOINTS);
        await burst(stage, subscribers);
        const came = () =>
          subscribers.reduce((sum, it) => sum + stage.receiver.at(it.path).length, 0);
        await until('a third of them', () => came() > BURST / 3, 60_000);
        await victim.kill();
        const killed = Date.now();
        await stage.settled(subscribers, 180_000);
        const count = await audit(stage, subscribers, { duplicates: { atMost: 16 * ENDPOINTS } });
        const note = `${count.interrupted} attempts interrupted; all delivered ${seconds(killed)} after the kill`;
        return { ...count, note };
      },
    },
  ],
};
