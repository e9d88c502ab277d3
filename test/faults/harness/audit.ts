import { verifySignature } from '../../../src/webhooks/deliveries/signature';
import type { Fixture, Subscriber } from './fixture';
import type { Arrival } from './receiver';

/** What a case may find that is not the plain course of things. */
export interface Expectation {
  /** What deliveries end as; `delivered` when not said. */
  status?: 'delivered' | 'failed' | 'cancelled' | 'pending';
  /** Second arrivals of what the receiver had dealt with: exactly so many, or at most. None when not said. */
  duplicates?: number | { atMost: number };
  /** Successful attempts of a delivery; 1 when not said and it is delivered. */
  successes?: number | 'any';
  /** Nobody is there who could see an arrival: only rows are judged. */
  unseen?: boolean;
  /** Retries by hand are beside the schedule. */
  manual?: boolean;
}

/** What was counted. */
export interface Count {
  events: number;
  posts: number;
  duplicates: number;
  interrupted: number;
}

interface AttemptRow {
  number: number;
  kind: 'automatic' | 'manual' | 'test' | 'interrupted';
  started: number;
  duration_ms: number | null;
  status: number | null;
  error: string | null;
}

interface DeliveryRow {
  id: string;
  event_id: string;
  endpoint_id: string;
  status: string;
  unfinished: boolean;
  attempts: number;
  automatic_attempts: number;
  log: AttemptRow[];
}

/** Compares what was committed, what has arrived and what was written down. @throws Error with every fault */
export async function audit(
  fixture: Fixture,
  subscribers: readonly Subscriber[],
  expected: Expectation = {},
): Promise<Count> {
  const counts: Count = { events: 0, posts: 0, duplicates: 0, interrupted: 0 };
  const faults: string[] = [];
  for (const subscriber of subscribers) {
    const ledger = await read(fixture, subscriber);
    judge(ledger, expected, fixture.retryDelays, faults, counts);
    for (const path of pathsOf(subscriber))
      fixture.audited.set(path, fixture.receiver.at(path).length);
  }
  const { duplicates = 0 } = expected;
  const asExpected =
    typeof duplicates === 'number'
      ? counts.duplicates === duplicates
      : counts.duplicates <= duplicates.atMost;
  if (!asExpected)
    faults.push(`${counts.duplicates} duplicates instead of ${JSON.stringify(duplicates)}`);
  // Only a process that died in the midst of an attempt explains one.
  if (counts.duplicates > counts.interrupted && !expected.manual)
    faults.push(`${counts.duplicates} duplicates, but ${counts.interrupted} interrupted attempts`);
  if (faults.length > 0)
    throw new Error(
      `${faults.slice(0, 6).join('; ')}${faults.length > 6 ? `; and ${faults.length - 6} more` : ''}`,
    );
  return counts;
}

interface Ledger {
  subscriber: Subscriber;
  /** Bodies by event. */
  committed: Map<string, string>;
  /** By event. */
  deliveries: Map<string, DeliveryRow[]>;
  arrivals: Map<string, Arrival[]>;
}

async function read(fixture: Fixture, subscriber: Subscriber): Promise<Ledger> {
  const events = await fixture.query<{ id: string; body: string }>(
    `SELECT id, body FROM outbox_events WHERE account_id = $1`,
    [subscriber.accountId],
  );
  const deliveries = await fixture.query<DeliveryRow>(
    `SELECT d.id, d.event_id, d.endpoint_id, d.status, d.attempts, d.automatic_attempts,
            d.status IN ('pending', 'paused') OR d.is_manual OR d.attempt_job IS NOT NULL AS unfinished, coalesce(a.log, '[]') AS log
     FROM webhook_deliveries d LEFT JOIN (
       SELECT delivery_id, json_agg(json_build_object('number', number, 'kind', kind,
           'started', extract(epoch FROM started_at) * 1000, 'duration_ms', duration_ms,
           'status', status, 'error', error) ORDER BY number) AS log
       FROM webhook_attempts GROUP BY delivery_id
     ) a ON a.delivery_id = d.id
     WHERE d.endpoint_id = $1`,
    [subscriber.endpointId],
  );
  const arrivals = pathsOf(subscriber).flatMap((path) => fixture.receiver.at(path));
  return {
    subscriber,
    committed: new Map(events.map(({ id, body }) => [id, body])),
    deliveries: grouped(deliveries, (it) => it.event_id),
    arrivals: grouped(arrivals, (it) => it.id),
  };
}

const pathsOf = ({ path, newPath }: Subscriber): string[] => (newPath ? [path, newPath] : [path]);

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

function judge(
  { subscriber, committed, deliveries, arrivals }: Ledger,
  expected: Expectation,
  delays: readonly number[],
  faults: string[],
  counts: Count,
): void {
  for (const id of arrivals.keys())
    if (!committed.has(id)) faults.push(`event ${id} has arrived, but was never committed`);
  for (const [id, body] of committed) {
    counts.events++;
    const came = arrivals.get(id) ?? [];
    counts.posts += came.length;
    const dealtWith = came.filter((it) => !it.refused).length;
    counts.duplicates += Math.max(0, dealtWith - 1);
    const [delivery, second] = deliveries.get(id) ?? [];
    const say = (fault: string) => void faults.push(`event ${id} ${fault}`);
    if (!delivery) say('is LOST: it has no delivery');
    if (second) say('has two deliveries');
    if (!delivery) continue;
    counts.interrupted += delivery.log.filter((it) => it.kind === 'interrupted').length;
    judgeDelivery(delivery, expected, delays, say);
    if (expected.unseen) continue;
    if (came.length === 0 && delivery.status === 'delivered') say('is LOST: it never arrived');
    for (const arrival of came) {
      if (!arrival.body.equals(Buffer.from(body))) say('arrived with other bytes');
      const signature = String(arrival.headers['x-service-signature']);
      if (!subscriber.secrets.some((secret) => verifySignature(arrival.body, signature, secret)))
        say('arrived with a signature that does not verify');
    }
    judgeArrivals(came, delivery, expected, delays, say);
  }
}

const isSuccess = ({ status, error }: AttemptRow) =>
  error === null && status !== null && status >= 200 && status <= 299;

type Say = (fault: string) => void;

/** The rows among themselves. */
function judgeDelivery(
  delivery: DeliveryRow,
  expected: Expectation,
  delays: readonly number[],
  say: Say,
): void {
  const { log, automatic_attempts: spent } = delivery;
  const { status = 'delivered' } = expected;
  if (delivery.status !== status) say(`is ${delivery.status} instead of ${status}`);
  if (delivery.unfinished && status !== 'pending') say('is not finished');
  if (log.some((it, place) => it.number !== place + 1) || log.length !== delivery.attempts)
    say(`has attempts ${log.map((it) => it.number).join()} and counts ${delivery.attempts}`);
  const automatic = log.filter((it) => it.kind === 'automatic');
  if (spent !== automatic.length) say(`spent ${spent}, but ${automatic.length} automatic attempts`);
  if (spent > delays.length + 1) say(`spent ${spent} attempts`);
  const gone = log.some((it) => it.status === 410);
  if (delivery.status === 'failed' && spent !== delays.length + 1 && !gone)
    say(`failed after ${spent} attempts`);
  const successes = log.filter(isSuccess);
  const wanted = expected.successes ?? (delivery.status === 'delivered' ? 1 : 0);
  if (wanted !== 'any' && successes.length !== wanted) say(`has ${successes.length} success rows`);
  automatic.forEach((it, place) => {
    const before = automatic[place - 1];
    if (!before || expected.manual) return;
    const waited = it.started - before.started - (before.duration_ms ?? 0);
    // A millisecond for the rounding of the duration.
    if (waited < (delays[place - 1] ?? 0) - 1)
      say(`was retried ${waited} ms after failure ${place}`);
  });
}

/** The rows against what the receiver saw. */
function judgeArrivals(
  came: readonly Arrival[],
  { log }: DeliveryRow,
  expected: Expectation,
  delays: readonly number[],
  say: Say,
): void {
  const known = log.filter((it) => it.kind !== 'interrupted');
  const reached = known.filter((it) => it.status !== null || it.error === 'timeout');
  if (came.length < reached.length || came.length > log.length)
    say(`arrived ${came.length} times, but ${log.length} attempts are recorded`);
  // In order: the known outcomes are among what the receiver did.
  let place = 0;
  for (const { status } of known) {
    // One without a response may not have arrived; how many have, the counts show.
    if (status === null) continue;
    while (place < came.length && came[place]?.status !== status) place++;
    if (place++ >= came.length) say(`has a recorded ${status} that nobody sent`);
  }
  // An interrupted attempt is repeated at once; the rows show that known failures were not.
  const isInterrupted = log.some((it) => it.kind === 'interrupted');
  // The row of an arrival is the one in its place, or later by as many as have not arrived.
  const absent = Math.max(0, log.length - came.length);
  came.forEach((failure, place) => {
    const next = came[place + 1];
    if (!failure.refused || failure.answeredAt === null || !next) return;
    if (expected.manual || isInterrupted) return;
    const waited = next.at - failure.answeredAt;
    if (waited < Math.min(...delays.slice(place, place + absent + 1)))
      say(`came again ${waited} ms after arrival ${place + 1}`);
  });
}
