import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AttemptLimits } from '../../access/attempt-limits/attempt-limits.service';
import { OutboxEvent } from '../../events/outbox-event.entity';
import { Clock } from '../../platform/clock';
import { Conflict, NotFound } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { isId, newId } from '../../platform/text/ids';
import { lockEndpoints, wakeRelay } from '../endpoints/endpoint.queries';
import { accountOf, type Owner } from '../endpoints/endpoint.rules';
import { EndpointsService } from '../endpoints/endpoints.service';
import { SecretBox } from '../endpoints/secret-box';
import {
  type AttemptView,
  type DeliveryDetail,
  type DeliverySummary,
  ENDPOINT_DISABLED,
} from './deliveries.dto';
import {
  type AttemptRow,
  type DeliveryRow,
  failedSince,
  findDelivery,
  listDeliveries,
  requestRetries,
} from './deliveries.queries';
import { WebhookDelivery } from './delivery.entity';
import { type ShownStatus, TEST_EVENT } from './delivery.rules';
import { deliveryHeaders } from './signature';

export interface DeliveryFilter {
  endpointId?: string;
  status?: ShownStatus;
  event?: string;
  /** Those that were created at this time or later. */
  since?: Date;
  /** Default 50. */
  limit?: number;
  /** How many to skip. */
  offset?: number;
  /** The last id of the previous page. */
  before?: string;
}

const { retriesAtOnce } = LIMITS.webhooks;

/** The deliveries of events, attempt by attempt; manual retries and test events. Needs no queue. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly endpoints: EndpointsService,
    private readonly limits: AttemptLimits,
    private readonly box: SecretBox,
  ) {}

  /** Newest first. A filter that matches nothing returns nothing. */
  async list(owner: Owner, filter: DeliveryFilter = {}): Promise<DeliverySummary[]> {
    const { endpointId = null, status = null, event = null, before = null } = filter;
    const { since = null, limit = 50, offset = 0 } = filter;
    if ((endpointId !== null && !isId(endpointId)) || (before !== null && !isId(before))) return [];
    const rows = await listDeliveries(
      this.database,
      { accountId: accountOf(owner), endpointId, status, event, before, since },
      { limit, offset },
    );
    return rows.map((row) => ({ ...row, lastAttempt: row.lastAttempt && dated(row.lastAttempt) }));
  }

  /** @throws NotFound, also for another account's delivery and for a deleted one */
  async get(owner: Owner, id: string): Promise<DeliveryDetail> {
    const row = isId(id) ? await findDelivery(this.database, id, accountOf(owner)) : undefined;
    if (!row) throw new NotFound('Delivery');
    const { secret, otherSecret, ...delivery } = row;
    const headersAt = (now: Date) => this.headers({ ...delivery, secret, otherSecret }, now);
    return {
      ...delivery,
      attemptLog: row.attemptLog.map(dated).map((attempt) => ({
        ...attempt,
        requestHeaders: headersAt(attempt.startedAt),
      })),
      headersNow: headersAt(this.clock.now()),
    };
  }

  /**
   * Computed again from the stored body, so that no signature is stored: with the endpoint's secrets as they are now,
   * which after a rotation are not those of earlier attempts.
   */
  private headers(
    delivery: Omit<DeliveryRow, 'attemptLog'>,
    now: Date,
  ): Record<string, string> | null {
    const { endpointId, secret, otherSecret } = delivery;
    const open = (sealed: Buffer) => this.box.tryKeys(sealed, endpointId)?.secret;
    const current = open(secret);
    if (current === undefined) return null;
    const other = otherSecret && open(otherSecret);
    return deliveryHeaders({ ...delivery, secret: current, otherSecret: other, now });
  }

  /**
   * Requests an attempt now, also at a finished delivery. It does not count as an automatic attempt. If it
   * succeeds, the event is delivered and no automatic attempt follows; if it fails, a finished delivery keeps its
   * status, and a pending automatic retry is delayed again, counted from this failure. Has no effect during an
   * attempt, even if that ends before this call does, before the first automatic one, while the delivery is paused, or
   * if a retry was already requested.
   * @throws NotFound; TooManyAttempts; Conflict if the endpoint is disabled or deleted
   */
  async retry(owner: Owner, id: string): Promise<DeliveryDetail> {
    const { endpointId, isTest, underWay, attempts } = await this.get(owner, id);
    await this.takeRetry(owner, 'retryByAccount');
    await this.database.transaction(async (tx) => {
      const endpoint = (await lockEndpoints(tx, [endpointId])).get(endpointId);
      if (!endpoint || endpoint.deletedAt)
        throw new Conflict('The endpoint of this delivery was deleted.', 'endpoint-disabled');
      if (endpoint.disabledAt && !isTest) throw endpointDisabled();
      // An attempt that has ended since the request came may have delivered the event.
      if (!underWay) await requestRetries(tx, [id], attempts);
      await wakeRelay(tx);
    });
    return this.get(owner, id);
  }

  /**
   * Requests an attempt for all deliveries but those of tests that failed since a time, at enabled endpoints.
   * @param endpointId only at this one
   * @returns how many
   * @throws NotFound; TooManyAttempts; Conflict if the endpoint is disabled
   */
  async retryFailed(owner: Owner, since: Date, endpointId: string | null = null): Promise<number> {
    if (endpointId !== null && (await this.endpoints.get(owner, endpointId)).disabledAt)
      throw endpointDisabled();
    await this.takeRetry(owner, 'bulkRetryByAccount');
    const failed = (among: readonly string[] | null, of: DataSource | EntityManager) =>
      failedSince(of, accountOf(owner), endpointId, since, among);
    const ids = (await failed(null, this.database)).map(({ id }) => id);
    let retried = 0;
    // Short transactions: what records a failed attempt waits for the lock of its endpoint.
    for (let from = 0; from < ids.length; from += retriesAtOnce.value)
      retried += await this.database.transaction(async (tx) => {
        const found = () => failed(ids.slice(from, from + retriesAtOnce.value), tx);
        const locked = await lockEndpoints(tx, [
          ...new Set((await found()).map((row) => row.endpointId)),
        ]);
        // Checked again under the locks: an endpoint may have been disabled meanwhile.
        const some = (await found()).flatMap((row) => (locked.has(row.endpointId) ? [row.id] : []));
        const count = await requestRetries(tx, some, null);
        await wakeRelay(tx);
        return count;
      });
    return retried;
  }

  /**
   * Sends `webhook.test` to an endpoint in the same way as other events: same worker, guard, signature and log of
   * attempts. It is attempted once, also at a disabled endpoint.
   * @returns the id of the delivery, which a worker makes at once
   * @throws NotFound; TooManyAttempts, by endpoint and by account
   */
  async sendTest(owner: Owner, endpointId: string): Promise<string> {
    const endpoint = await this.endpoints.get(owner, endpointId);
    await this.limits.take('testByEndpoint', { device: endpoint.id });
    await this.limits.take('testByAccount', { account: endpoint.accountId });
    const now = this.clock.now();
    const eventId = newId();
    const deliveryId = newId();
    const envelope = {
      id: eventId,
      event: TEST_EVENT,
      created_at: now.toISOString(),
      data: { endpoint_id: endpoint.id, message: 'This is a test: your endpoint works.' },
    };
    await this.database.transaction(async (tx) => {
      const locked = (await lockEndpoints(tx, [endpoint.id])).get(endpoint.id);
      if (!locked || locked.deletedAt) throw new NotFound('Webhook endpoint');
      await tx.insert(OutboxEvent, {
        id: eventId,
        name: TEST_EVENT,
        accountId: endpoint.accountId,
        body: JSON.stringify(envelope),
        createdAt: now,
        // For this endpoint only: the relay makes no deliveries of it.
        relayedAt: now,
      });
      await tx.insert(WebhookDelivery, {
        id: deliveryId,
        eventId,
        endpointId: endpoint.id,
        event: TEST_EVENT,
        isTest: true,
        status: 'pending',
        needsJob: true,
        nextAttemptAt: now,
        createdAt: now,
      });
      await wakeRelay(tx);
    });
    return deliveryId;
  }

  /** The operator has no limit. */
  private async takeRetry(owner: Owner, kind: 'retryByAccount' | 'bulkRetryByAccount') {
    const account = accountOf(owner);
    if (account !== null) await this.limits.take(kind, { account });
  }

  /**
   * Waits until a delivery has one more attempt than before, or none will follow: it is finished, or its endpoint was
   * disabled. For tools that show the result of a test or a retry.
   * @param attempts how many it had
   * @param patience milliseconds
   * @returns the delivery, also if the time runs out
   */
  async afterNextAttempt(
    owner: Owner,
    id: string,
    attempts: number,
    patience: number,
  ): Promise<DeliveryDetail> {
    const deadline = Date.now() + patience;
    for (;;) {
      const delivery = await this.get(owner, id);
      const { underWay, status, paused, attemptLog } = delivery;
      const isWaiting = underWay || (status === 'pending' && !paused);
      if (attemptLog.length > attempts || !isWaiting || Date.now() >= deadline) return delivery;
      await sleep(200);
    }
  }
}

const endpointDisabled = () => new Conflict(ENDPOINT_DISABLED.error, ENDPOINT_DISABLED.name);

/** Attempts are returned as JSON, so their date is text. */
function dated(attempt: AttemptRow): AttemptView {
  return { ...attempt, startedAt: new Date(attempt.startedAt) };
}
