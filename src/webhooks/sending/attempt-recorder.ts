import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { queryPrepared } from '../../platform/database/data-source';
import { Metrics } from '../../platform/observability/metrics';
import type { AttemptOutcome } from '../deliveries/attempt-outcome';
import { decideNextState, type NextState } from '../deliveries/next-state';
import { lockAccounts, type EndpointState } from '../endpoints/endpoint.queries';
import { DeliveryQueues, type ReadyDelivery } from '../worker/delivery-queues';
import { Progress } from '../worker/liveness';
import { chooseReady, queueReady } from '../worker/release.queries';
import { Batcher } from './batcher';
import { EndpointHealth } from './endpoint-health';
import { Leases, type Lease, type LeasedDelivery } from './leases';

/** An attempt that has ended. */
interface Ended<Delivery extends Lease = LeasedDelivery> {
  delivery: Delivery;
  outcome: AttemptOutcome | 'interrupted';
}

interface EndedHere extends Ended {
  /** Its sender can make another attempt at once. */
  goesOn: boolean;
}

/**
 * Records attempts: the attempt, the decision, the endpoint's health, and who gets the free slots, in one
 * transaction. An outcome whose lease has passed to another worker is ignored.
 */
@Injectable()
export class AttemptRecorder {
  private readonly attempts: ReturnType<Metrics['counter']>;
  private readonly latency: ReturnType<Metrics['histogram']>;
  private readonly batcher = new Batcher((ended: EndedHere[]) => this.writeAll(ended));

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly leases: Leases,
    private readonly queues: DeliveryQueues,
    private readonly progress: Progress,
    private readonly health: EndpointHealth,
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
   * @param goesOn the caller can make another attempt: a delivery that waited for the endpoint's slot is then leased
   *   to it at once, which under load saves a round trip through the queue
   * @returns that delivery, if there is one
   * @throws if the database does not accept it
   */
  write(
    delivery: LeasedDelivery,
    outcome: AttemptOutcome | 'interrupted',
    goesOn: boolean,
  ): Promise<LeasedDelivery | null> {
    const written = this.batcher.add({ delivery, outcome, goesOn });
    return this.progress.outcome(written).then((next) => this.leases.hold(next));
  }

  /**
   * Decides what follows attempts and records them.
   * @param endpoints theirs, locked in this transaction
   * @returns those whose lease was still held
   */
  async record<One extends Ended<Lease>>(
    tx: EntityManager,
    ended: readonly One[],
    endpoints: ReadonlyMap<string, EndpointState>,
    now: Date,
  ): Promise<(One & NextState)[]> {
    if (ended.length === 0) return [];
    const decided = ended.map((it) => {
      const endpoint = endpoints.get(it.delivery.endpointId);
      const next = decideNextState({
        ...it.delivery,
        outcome: it.outcome,
        endpoint: { disabled: !!endpoint?.disabled_at, deleted: !!endpoint?.deleted_at },
        now,
        retryDelaysMs: this.config.webhooks.retryDelays,
      });
      return { ...it, ...next };
    });
    const rows = JSON.stringify(decided.map(row));
    const written = await queryPrepared<{ delivery_id: string }[]>(tx, WRITE, [rows, now]);
    const ids = new Set(written.map(({ delivery_id }) => delivery_id));
    return decided.filter(({ delivery }) => ids.has(delivery.id));
  }

  private async writeAll(ended: EndedHere[]): Promise<(LeasedDelivery | null)[]> {
    const endpointIds = [...new Set(ended.map(({ delivery }) => delivery.endpointId))];
    const { recorded, next, queued } = await this.database.transaction(async (tx) => {
      const now = this.clock.now();
      const endpoints = await lockAccounts(tx, endpointIds);
      const recorded = await this.record(tx, ended, endpoints, now);
      await this.health.note(tx, recorded, endpoints, now);
      const { successors, queued } = matchSuccessors(ended, await chooseReady(tx, endpointIds));
      await queueReady(tx, queued, now);
      const leased = await this.leases.takeAll(tx, [...successors.values()], 'ready');
      const byId = new Map(leased.map((delivery) => [delivery.id, delivery]));
      const next = ended.map((it) => byId.get(successors.get(it) ?? '') ?? null);
      return { recorded, next, queued };
    });
    for (const it of recorded) this.count(it);
    // Not awaited: the next batch of outcomes need not wait for the queue.
    void this.queues.add(queued);
    return next;
  }

  /** By outcome: `delivered`, `failed` (given up), `retried`, `interrupted`, `cancelled`. */
  private count({ delivery, kind, status }: Ended & NextState): void {
    const outcome =
      kind === 'interrupted' ? kind : status === 'pending' ? ('retried' as const) : status;
    this.attempts.inc({ outcome });
    if (status !== 'delivered' || delivery.status !== 'pending' || delivery.isTest) return;
    this.latency.observe(
      { attempt: delivery.number === 1 ? 'first' : 'later' },
      (this.clock.now().getTime() - delivery.happenedAt.getTime()) / 1_000,
    );
  }
}

/** For each attempt that has ended, a delivery of the same endpoint and queue; the queue gets the others. */
function matchSuccessors(ended: EndedHere[], chosen: ReadyDelivery[]) {
  const queued = [...chosen];
  const successors = new Map<Ended, string>();
  for (const it of ended.filter(({ goesOn }) => goesOn)) {
    const { endpointId, queue } = it.delivery;
    const place = queued.findIndex((one) => one.endpointId === endpointId && one.queue === queue);
    const [next] = place < 0 ? [] : queued.splice(place, 1);
    if (next) successors.set(it, next.id);
  }
  return { successors, queued };
}

function row({ delivery, outcome, ...next }: Ended<Lease> & NextState): object {
  const known = outcome === 'interrupted' ? null : outcome;
  return {
    id: delivery.id,
    token: delivery.token,
    number: delivery.number,
    kind: next.kind,
    started_at: delivery.leasedAt,
    duration_ms: known?.durationMs ?? null,
    http_status: known?.status ?? null,
    error: known?.error ?? null,
    response: known?.responseSnippet ?? null,
    status: next.status,
    state: next.state,
    automatic_attempts: next.automaticAttempts,
    next_attempt_at: next.nextAttemptAt,
    is_manual: next.isManual,
  };
}

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
