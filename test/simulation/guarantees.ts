import { isAcknowledged } from '../../src/webhooks/deliveries/attempt-outcome';
import { verifySignature } from '../../src/webhooks/sending/signature';
import { RECEIVER_TEXT, RETRY_AFTER, type Sent } from './receivers';
import type { KnownEndpoint, Schedule } from './schedule';
import { RETRY_DELAYS } from './service';
import { BEGINNING } from './world';

/** The guarantees of docs/reliability.md, by number. */
export const GUARANTEES: Record<number, string> = {
  1: 'An event exists exactly when its change committed.',
  2: 'Every event reaches every endpoint subscribed at that time, or fails after 1 + 3 recorded attempts.',
  3: 'No attempt is earlier than the schedule says.',
  4: 'The id and the body are the same on all attempts, byte for byte.',
  5: "A crash of ours never spends the receiver's attempts.",
  6: 'Dead and slow endpoints do not delay those of other accounts.',
  7: 'Without workers or queue the API is neither slower nor wrong, and everything is delivered afterwards.',
  8: "A receiver's text never reaches the queue.",
  9: 'An endpoint that is disabled or deleted receives nothing more.',
};

/** The number of the guarantee, and what was seen. */
export type Violation = [guarantee: number, seen: string];

interface Attempt {
  number: number;
  kind: 'automatic' | 'manual' | 'interrupted';
  /** Virtual milliseconds. */
  started: number;
  status: number | null;
  error: string | null;
}

interface Delivery {
  id: string;
  event_id: string;
  url: string;
  body: string;
  status: 'pending' | 'delivered' | 'failed' | 'cancelled';
  state: string;
  attempts: number;
  automatic_attempts: number;
  log: Attempt[];
}

/** Milliseconds by which the clocks of processes differ: each measures the database's with a round trip. */
const TOLERANCE = 20;

/** Within this time, healthy endpoints get first attempts while only receivers of others have problems. */
const PROMPT = 2_500;

/** Compares what was committed, sent, received and recorded, once everything has had its time. */
export async function violationsOf(schedule: Schedule): Promise<Violation[]> {
  const { control } = schedule.database;
  const violations: Violation[] = [];
  const add = (guarantee: number, seen: string) => void violations.push([guarantee, seen]);

  const { rows: committed } = await control.query<{ id: string }>(`SELECT id FROM sim.changes`);
  const { rows: events } = await control.query<{ id: string; change: string }>(
    `SELECT id, body::json -> 'data' ->> 'quiz_id' AS change FROM outbox_events`,
  );
  const eventOf = new Map(events.map(({ id, change }) => [change, id]));
  for (const { id } of committed)
    if (!eventOf.delete(id)) add(1, `Change ${id} committed, and its event does not exist.`);
  for (const [change, id] of eventOf)
    add(1, `Event ${id} exists, and change ${change} did not commit.`);

  const { rows: deliveries } = await control.query<Delivery>(DELIVERIES, [BEGINNING]);
  for (const { id, change } of events) subscribed(schedule, id, change, deliveries, add);
  for (const delivery of deliveries) {
    const sent = schedule.receivers.sent.filter(({ lease }) => lease?.id === delivery.id);
    const endpoint = schedule.endpoints.find(({ url }) => url === delivery.url);
    if (!endpoint) continue;
    const say: Say = (guarantee, seen) =>
      add(
        guarantee,
        `The delivery ${delivery.id} of event ${delivery.event_id} to ${delivery.url} ${seen}.`,
      );
    ended(delivery, sent, endpoint, say);
    recorded(schedule, delivery, sent, say);
    onTime(delivery, sent, say);
    unchanged(delivery, sent, endpoint, say);
    stopped(delivery, endpoint, say);
  }
  if (JSON.stringify(schedule.queue.told).includes(RECEIVER_TEXT))
    add(8, 'A job or its result contains what a receiver has written.');
  return violations;
}

type Say = (guarantee: number, seen: string) => void;

/** Each event has one delivery for each endpoint that was subscribed when it happened, and none for others. */
function subscribed(
  { endpoints, changes, calm, receivers }: Schedule,
  eventId: string,
  changeId: string,
  deliveries: Delivery[],
  add: Say,
): void {
  const change = changes.find(({ id }) => id === changeId);
  if (!change) return;
  for (const { url, accountId, added, deleted, id, alwaysWell } of endpoints) {
    const found = deliveries.filter((it) => it.event_id === eventId && it.url === url).length;
    const isOwn = accountId === change.accountId;
    const wasThere = isOwn && id !== null && added.to < change.from;
    if (wasThere && deleted === null && found !== 1)
      add(2, `Event ${eventId} has ${found} deliveries to ${url}, which was subscribed before it.`);
    if ((!isOwn || (change.to !== null && added.from > change.to)) && found > 0)
      add(2, `Event ${eventId} has a delivery to ${url}, which was not subscribed to it.`);
    if (!calm || !alwaysWell || !wasThere || change.to === null || deleted !== null) continue;
    const arrivals = receivers.sent.filter((it) => it.eventId === eventId && it.url === url);
    const first = arrivals.find(({ arrivedAt }) => arrivedAt !== null)?.arrivedAt ?? Infinity;
    const isHeld = endpoints.some((it) => it.url === url && it.disabled.length > 0);
    if (first - change.to > PROMPT && !isHeld)
      add(
        6,
        `Event ${eventId} reached ${url}, which is healthy, ${first - change.to} ms after it.`,
      );
  }
}

function ended(
  { status, state, log }: Delivery,
  sent: Sent[],
  { deleted }: KnownEndpoint,
  say: Say,
) {
  const automatic = log.filter(({ kind }) => kind === 'automatic');
  if (state !== 'idle') say(2, `is still ${state} long after everything works again`);
  if (status === 'cancelled' && deleted === null)
    say(2, 'is cancelled, and its endpoint was not deleted');
  const isReceived = sent.some(
    (it) => it.arrivedAt !== null && it.outcome && isAcknowledged(it.outcome),
  );
  if (status === 'delivered' && !isReceived)
    say(2, 'counts as delivered, and no receiver has acknowledged it');
  if (status === 'delivered' && !log.some(isSuccess))
    say(2, 'is delivered without a successful attempt');
  if (status === 'failed' && automatic.length !== 4 && !log.some((it) => it.status === 410))
    say(2, `failed after ${automatic.length} attempts instead of 4`);
  if (status === 'failed' && log.some(isSuccess))
    say(2, 'failed, and its receiver has acknowledged it');
  if (automatic.length > 4) say(2, `was attempted ${automatic.length} times instead of 4`);
}

const isSuccess = ({ kind, status, error }: Attempt) =>
  kind !== 'interrupted' && isAcknowledged({ status, error: error as null });

/** The recorded attempts are those that were made, and only a crash explains one that was interrupted. */
function recorded(
  { calm, retriedByHand }: Schedule,
  delivery: Delivery,
  sent: Sent[],
  say: Say,
): void {
  const { log, attempts, automatic_attempts: spent, status } = delivery;
  if (log.length !== attempts || log.some(({ number }, place) => number !== place + 1))
    say(5, `has the attempts ${log.map(({ number }) => number).join(', ')} and counts ${attempts}`);
  const automatic = log.filter(({ kind }) => kind === 'automatic');
  if (spent !== automatic.length && status !== 'cancelled')
    say(5, `has spent ${spent} attempts, of which ${automatic.length} have an outcome`);
  for (const attempt of log) {
    const made = sent.filter(({ lease }) => lease?.number === attempt.number);
    if (made.length > 1) say(5, `had attempt ${attempt.number} sent ${made.length} times`);
    const { outcome } = made[0] ?? {};
    if (attempt.kind === 'interrupted') {
      if (calm) say(5, `had attempt ${attempt.number} interrupted, and no process has failed`);
    } else if (!outcome || outcome.status !== attempt.status || outcome.error !== attempt.error)
      say(5, `has an outcome recorded for attempt ${attempt.number} that it did not have`);
  }
  const successes = log.filter(isSuccess);
  if (successes.length > 1 && !retriedByHand.has(delivery.id))
    say(5, `was delivered ${successes.length} times, each recorded as a success`);
}

function onTime({ log }: Delivery, sent: Sent[], say: Say): void {
  const failures = log.filter((it) => it.kind === 'automatic' && !isSuccess(it));
  for (const { lease, at } of sent) {
    if (!lease || lease.isManual) continue;
    const before = failures.filter(({ number }) => number < lease.number);
    const last = sent.find((it) => it.lease?.number === before.at(-1)?.number);
    if (!last || last.endedAt === null) continue;
    const busy = last.outcome?.status === 503 ? RETRY_AFTER * 1_000 : 0;
    const due = Math.max(RETRY_DELAYS[before.length - 1] ?? Infinity, busy);
    if (at - last.endedAt < due - TOLERANCE)
      say(
        3,
        `was sent ${at - last.endedAt} ms after failure ${before.length} instead of ${due} ms`,
      );
  }
}

function unchanged(
  { body, event_id }: Delivery,
  sent: Sent[],
  { secret }: KnownEndpoint,
  say: Say,
): void {
  for (const post of sent) {
    if (post.body !== body) say(4, `was sent with other bytes than the stored ones: ${post.body}`);
    if (post.eventId !== event_id) say(4, `was sent with another id, ${post.eventId}`);
    if (secret && !verifySignature(post.body, post.signature, secret))
      say(4, 'was sent with a signature that does not verify');
  }
}

function stopped({ log }: Delivery, { disabled, deleted }: KnownEndpoint, say: Say): void {
  const periods = deleted === null ? disabled : [...disabled, { from: deleted, to: Infinity }];
  for (const { number, started } of log)
    if (periods.some(({ from, to }) => started > from + TOLERANCE && started < to - TOLERANCE))
      say(
        9,
        `was attempted (number ${number}) at ${started} ms, when its endpoint was disabled or deleted`,
      );
}

const DELIVERIES = `
SELECT d.id, d.event_id, e.url, o.body, d.status, d.state, d.attempts, d.automatic_attempts, coalesce(a.log, '[]') AS log
FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id JOIN outbox_events o ON o.id = d.event_id
LEFT JOIN (
  SELECT delivery_id, json_agg(json_build_object('number', number, 'kind', kind, 'status', status, 'error', error,
    'started', round(extract(epoch FROM started_at) * 1000) - $1) ORDER BY number) AS log
  FROM webhook_attempts GROUP BY delivery_id
) a ON a.delivery_id = d.id ORDER BY d.id`;
