import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ENDPOINT_EVENTS, type DisabledReason } from '../../events/event-map';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import type { AttemptOutcome } from '../deliveries/attempt-outcome';
import { Metrics } from '../../platform/observability/metrics';
import { disabledEvent, EndpointEvents, failedEvent } from '../endpoints/endpoint-events';
import { disableEndpoints, lockAccounts, type EndpointState } from '../endpoints/endpoint.queries';
import { decideNextState, type NextState } from '../deliveries/next-state';
import { Batcher } from './batcher';
import { DeliveryQueues, type DeliveryQueue, type ReadyDelivery } from '../worker/delivery-queues';
import { Leases, type LeasedDelivery } from './leases';
import { DISABLE_AFTER, SLOW_SHARE_OF_TIMEOUT } from './sending-limits';
import { Progress } from '../worker/progress';
import { chooseReady, queueReady } from '../worker/release.queries';

interface Ended {
  delivery: LeasedDelivery;
  outcome: AttemptOutcome | 'interrupted';
  /** Its sender would make another attempt at once. */
  goesOn: boolean;
}

type Settled = Ended & NextState;

/**
 * Writes down what attempts came to: the attempt, the decision, the endpoint's health, and who gets the
 * slots that became free, in one transaction. An outcome whose lease has passed to somebody else is void.
 */
@Injectable()
export class AttemptRecorder {
  private readonly attempts: ReturnType<Metrics['counter']>;
  private readonly latency: ReturnType<Metrics['histogram']>;
  private readonly batcher = new Batcher((ended: Ended[]) => this.writeAll(ended));

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly leases: Leases,
    private readonly queues: DeliveryQueues,
    private readonly progress: Progress,
    private readonly endpointEvents: EndpointEvents,
    metrics: Metrics,
  ) {
    this.attempts = metrics.counter('quiz_webhook_attempts_total', 'Attempts that have ended', [
      'outcome',
    ]);
    this.latency = metrics.histogram(
      'quiz_webhook_delivery_seconds',
      'Time from an event to the response that acknowledged it, by whether the first attempt did',
      ['attempt'],
      [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600],
    );
  }

  /**
   * @param goesOn the caller would make another attempt: a delivery that waited for the endpoint's slot is then
   *   leased to it at once, which under load saves a journey through the queue for each
   * @returns that delivery, if there is one
   * @throws when the database does not take it
   */
  write(
    delivery: LeasedDelivery,
    outcome: AttemptOutcome | 'interrupted',
    goesOn: boolean,
  ): Promise<LeasedDelivery | null> {
    const written = this.batcher.add({ delivery, outcome, goesOn });
    return this.progress.outcome(written).then((next) => this.leases.hold(next));
  }

  private async writeAll(ended: Ended[]): Promise<(LeasedDelivery | null)[]> {
    const endpointIds = [...new Set(ended.map(({ delivery }) => delivery.endpointId))];
    let settled: Settled[] = [];
    const { next, queued } = await this.database.transaction(async (tx) => {
      const now = this.clock.now();
      const endpoints = await lockAccounts(tx, endpointIds);
      settled = ended.map((it) => this.decideNextState(it, endpoints, now));
      const rows = JSON.stringify(settled.map((it) => row(it)));
      const written = await tx.query<{ delivery_id: string }[]>(WRITE, [rows, now]);
      const ids = new Set(written.map((it) => it.delivery_id));
      const failed = settled.filter((it) => ids.has(it.delivery.id) && hasFailed(it));
      const disabled = await this.noteHealth(tx, settled, endpoints, now);
      const ownerOf = (endpointId: string) => endpoints.get(endpointId)?.account_id ?? '';
      await this.endpointEvents.record(tx, [
        ...failed.map((it) => failedEvent(ownerOf(it.delivery.endpointId), it, now)),
        ...disabled.map(([id, reason]) => disabledEvent(ownerOf(id), id, reason, now)),
      ]);
      const { successors, queued } = matchSuccessors(ended, await chooseReady(tx, endpointIds));
      await queueReady(tx, queued, now);
      const leased = await this.leases.takeAll(tx, [...successors.values()], 'ready');
      const byId = new Map(leased.map((delivery) => [delivery.id, delivery]));
      return { next: ended.map((it) => byId.get(successors.get(it) ?? '') ?? null), queued };
    });
    for (const it of settled) {
      this.attempts.add({ outcome: outcomeName(it) });
      if (it.status === 'delivered' && it.delivery.status === 'pending' && !it.delivery.isTest)
        this.latency.observe(
          { attempt: it.delivery.number === 1 ? 'first' : 'later' },
          (this.clock.now().getTime() - it.delivery.happenedAt.getTime()) / 1_000,
        );
    }
    // Not waited for: the next batch of outcomes need not wait for the queue.
    void this.queues.add(queued);
    return next;
  }

  private decideNextState(ended: Ended, endpoints: Map<string, EndpointState>, now: Date): Settled {
    const { delivery, outcome } = ended;
    const endpoint = endpoints.get(delivery.endpointId);
    const settlement = decideNextState({
      ...delivery,
      outcome,
      endpoint: { disabled: !!endpoint?.disabled_at, deleted: !!endpoint?.deleted_at },
      now,
      retryDelaysMs: this.config.webhooks.retryDelays,
    });
    return { ...ended, ...settlement };
  }

  private async noteHealth(
    tx: EntityManager,
    settled: Settled[],
    endpoints: Map<string, EndpointState>,
    now: Date,
  ): Promise<[endpointId: string, reason: DisabledReason][]> {
    const those = (health: NextState['health']) => [
      ...new Set(settled.filter((it) => it.health === health).map((it) => it.delivery.endpointId)),
    ];
    const good = those('good').filter((id) => endpoints.get(id)?.failing_since);
    const failing = those('failing').filter((id) => !those('good').includes(id));
    const fresh = failing.filter((id) => !endpoints.get(id)?.failing_since);
    const tired = failing.filter((id) => {
      const since = endpoints.get(id)?.failing_since;
      return since && now.getTime() - since.getTime() >= DISABLE_AFTER;
    });
    const slowAfter = this.config.webhooks.timeout * SLOW_SHARE_OF_TIMEOUT;
    const slow = settled
      .filter((it) => it.health === 'good' && durationOf(it) >= slowAfter)
      .map((it) => it.delivery.endpointId);
    if (slow.length > 0) await tx.query(SLOW, [slow]);
    if (good.length > 0) await tx.query(FAILING_SINCE, [good, null]);
    if (fresh.length > 0) await tx.query(FAILING_SINCE, [fresh, now]);
    const disabled: [string, DisabledReason][] = [];
    for (const [ids, reason] of [
      [tired, 'failing'],
      [those('gone'), 'gone'],
    ] as const)
      if (ids.length > 0)
        for (const id of await disableEndpoints(tx, ids, REASONS[reason], now))
          disabled.push([id, reason]);
    return disabled;
  }
}

/** Its last attempt was made. A failed delivery of an event about endpoints makes no further event. */
function hasFailed({ delivery, status }: Settled): boolean {
  return (
    status === 'failed' &&
    delivery.status === 'pending' &&
    !delivery.isTest &&
    !ENDPOINT_EVENTS.includes(delivery.event)
  );
}

/** What Prometheus counts: `delivered`, `failed` (given up), `retried`, `interrupted`, `cancelled`. */
function outcomeName({ kind, status }: Settled): string {
  if (kind === 'interrupted') return kind;
  return status === 'pending' ? 'retried' : status;
}

/** For each attempt that has ended a delivery of the same endpoint and queue; the queue gets the others. */
function matchSuccessors(ended: Ended[], chosen: ReadyDelivery[]) {
  const waiting = new Map<string, ReadyDelivery[]>();
  const key = (endpointId: string, queue: DeliveryQueue) => `${endpointId} ${queue}`;
  for (const it of chosen) {
    const place = key(it.endpointId, it.queue);
    waiting.set(place, [...(waiting.get(place) ?? []), it]);
  }
  const successors = new Map<Ended, string>();
  for (const it of ended.filter(({ goesOn }) => goesOn)) {
    const next = waiting.get(key(it.delivery.endpointId, it.delivery.queue))?.shift();
    if (next) successors.set(it, next.id);
  }
  return { successors, queued: [...waiting.values()].flat() };
}

const REASONS: Record<DisabledReason, string> = {
  failing:
    'Every attempt has failed for five days. Events are kept: enable the endpoint once it answers again.',
  gone: 'It answered 410 Gone, which asks for no more events. Enable the endpoint if that was a mistake.',
};

function row({ delivery, outcome, ...settled }: Settled): object {
  const known = outcome === 'interrupted' ? null : outcome;
  return {
    id: delivery.id,
    token: delivery.token,
    endpoint_id: delivery.endpointId,
    number: delivery.number,
    kind: settled.kind,
    started_at: delivery.leasedAt,
    duration_ms: known?.durationMs ?? null,
    http_status: known?.status ?? null,
    error: known?.error ?? null,
    response: known?.responseSnippet ?? null,
    status: settled.status,
    state: settled.state,
    automatic_attempts: settled.automaticAttempts,
    next_attempt_at: settled.nextAttemptAt,
    is_manual: settled.isManual,
  };
}

const durationOf = ({ outcome }: Settled) => (outcome === 'interrupted' ? 0 : outcome.durationMs);

/** Written again only after a while: the row is one that all outcomes lock. */
const SLOW = `
UPDATE webhook_endpoints SET slow_until = now() + interval '5 minutes'
WHERE id = ANY($1::uuid[]) AND coalesce(slow_until < now() + interval '4 minutes', true)`;

const FAILING_SINCE = `UPDATE webhook_endpoints SET failing_since = $2 WHERE id = ANY($1::uuid[])`;

const WRITE = `
WITH ended AS (
  SELECT * FROM json_to_recordset($1::json) AS r (
    id uuid, token uuid, number integer, kind text, started_at timestamptz, duration_ms integer,
    http_status integer, error text, response text, status text, state text, automatic_attempts integer,
    next_attempt_at timestamptz, is_manual boolean)
), written AS (
  UPDATE webhook_deliveries d
  SET status = r.status, state = r.state, automatic_attempts = r.automatic_attempts, next_attempt_at = r.next_attempt_at,
      is_manual = r.is_manual, lease_token = NULL, leased_at = NULL, leased_by = NULL,
      next_check_at = CASE WHEN r.state = 'waiting' THEN r.next_attempt_at END,
      finished_at = CASE WHEN r.state = 'idle' THEN $2::timestamptz ELSE d.finished_at END
  FROM ended r WHERE d.id = r.id AND d.lease_token = r.token
  RETURNING d.id
)
INSERT INTO webhook_attempts (delivery_id, number, kind, started_at, duration_ms, status, error, response)
SELECT r.id, r.number, r.kind, r.started_at, r.duration_ms, r.http_status, r.error, r.response
FROM ended r JOIN written USING (id)
RETURNING delivery_id`;
