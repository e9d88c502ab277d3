import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { lockAccounts, type EndpointState } from '../endpoints/endpoint.queries';
import { queryPrepared } from '../../platform/database/data-source';
import { DeliveryQueues, type ReadyDelivery } from './delivery-queues';
import { AttemptRecorder } from '../sending/attempt-recorder';
import { Leases } from '../sending/leases';
import { JOB_LOST_AFTER, JOB_LOST_AFTER_AT_MOST, SWEEP_BATCH } from '../sending/sending-limits';
import { chooseReady, QUEUE_OF, queueReady } from './release.queries';

/**
 * Finds what no job will wake: due deliveries, jobs that the queue has lost, and attempts of dead workers. There are
 * no delayed jobs: only the rows hold the schedule, so a flushed queue or a restart changes nothing.
 */
@Injectable()
export class Sweep {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly queues: DeliveryQueues,
    private readonly leases: Leases,
    private readonly recorder: AttemptRecorder,
  ) {}

  /** Sweeps a batch. @returns whether more is likely to wait */
  async sweep(): Promise<boolean> {
    await this.leases.expireOrphans();
    const now = this.clock.now();
    const found = await queryPrepared<{ id: string; endpoint_id: string }[]>(
      this.database.manager,
      `SELECT id, endpoint_id FROM webhook_deliveries WHERE next_check_at <= $1 ORDER BY next_check_at LIMIT ${SWEEP_BATCH}`,
      [now],
    );
    const ids = found.map(({ id }) => id);
    await this.release(found, async (tx, endpoints) => {
      // Another worker may have been faster: every statement checks again, under the endpoints' locks.
      const dead = await this.leases.ended(tx, ids, now);
      const interrupted = dead.map((delivery) => ({ delivery, outcome: 'interrupted' as const }));
      await this.recorder.record(tx, interrupted, endpoints, now);
      await tx.query(TIME_HAS_COME, [ids, now]);
      const [lost] = await tx.query<[ReadyDelivery[], number]>(JOB_IS_LOST, [
        ids,
        now,
        JOB_LOST_AFTER,
        JOB_LOST_AFTER_AT_MOST,
      ]);
      return lost;
    });
    return found.length === SWEEP_BATCH;
  }

  /**
   * Gives slots to endpoints whose ready deliveries nobody releases. A slot that becomes free is passed on at once;
   * but the share of an account also grows when a worker starts, or when another of its endpoints is deleted.
   */
  async releaseForgotten(): Promise<void> {
    await this.release(await this.database.query(FORGOTTEN, [SWEEP_BATCH]));
  }

  /** Gives the free slots of endpoints to their ready deliveries, after some work under the endpoints' locks. */
  private async release(
    found: { endpoint_id: string }[],
    work?: (tx: EntityManager, endpoints: Map<string, EndpointState>) => Promise<ReadyDelivery[]>,
  ): Promise<void> {
    if (found.length === 0) return;
    const ids = [...new Set(found.map(({ endpoint_id }) => endpoint_id))];
    const jobs = await this.database.transaction(async (tx) => {
      const endpoints = await lockAccounts(tx, ids);
      const others = work ? await work(tx, endpoints) : [];
      const chosen = await chooseReady(tx, ids);
      await queueReady(tx, chosen, this.clock.now());
      return [...others, ...chosen];
    });
    await this.queues.add(jobs);
  }
}

const TIME_HAS_COME = `
UPDATE webhook_deliveries SET state = 'ready', next_check_at = NULL
WHERE id = ANY($1::uuid[]) AND state = 'waiting' AND next_check_at <= $2`;

const JOB_IS_LOST = `
WITH lost AS (
  SELECT id FROM webhook_deliveries
  WHERE id = ANY($1::uuid[]) AND state = 'queued' AND next_check_at <= $2 ORDER BY id FOR UPDATE
)
UPDATE webhook_deliveries d
SET requeued = d.requeued + 1,
    next_check_at = $2::timestamptz + least($4::int, $3::int * 2 ^ least(d.requeued + 1, 10)) * interval '1 millisecond'
FROM lost, webhook_endpoints e WHERE d.id = lost.id AND e.id = d.endpoint_id
RETURNING d.id, d.endpoint_id AS "endpointId", d.attempts, d.requeued, coalesce(d.queue, ${QUEUE_OF}) AS queue`;

/** Endpoints with ready deliveries and none in progress, by one index step per endpoint. */
const FORGOTTEN = `
WITH RECURSIVE ready AS (
  (SELECT endpoint_id FROM webhook_deliveries WHERE state = 'ready' ORDER BY endpoint_id LIMIT 1)
  UNION ALL
  SELECT (SELECT d.endpoint_id FROM webhook_deliveries d
          WHERE d.state = 'ready' AND d.endpoint_id > r.endpoint_id ORDER BY d.endpoint_id LIMIT 1)
  FROM ready r WHERE r.endpoint_id IS NOT NULL
)
SELECT endpoint_id FROM ready r
WHERE endpoint_id IS NOT NULL AND NOT EXISTS (
  SELECT FROM webhook_deliveries d WHERE d.endpoint_id = r.endpoint_id AND d.state IN ('queued', 'leased'))
LIMIT $1`;
