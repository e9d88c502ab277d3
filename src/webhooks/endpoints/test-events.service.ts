import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AttemptLimits } from '../../access/sessions/attempt-limits';
import { Clock } from '../../platform/clock';
import { newId } from '../../platform/text/ids';
import { lockEndpoints } from './endpoint.queries';
import { EndpointsService } from './endpoints.service';
import type { Owner } from './owner';

const TESTS = 'test events';

/** Sends a harmless event to one endpoint, so that its owner can see that all is well. */
@Injectable()
export class TestEventsService {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly endpoints: EndpointsService,
    private readonly limits: AttemptLimits,
  ) {}

  /**
   * Sends `webhook.test` by the way of every other event: same worker, guard, signature and log of attempts.
   * It is tried once, and goes to a disabled endpoint too.
   * @returns the id of the delivery, which a worker makes within about a second
   * @throws NotFound; TooManyAttempts, by endpoint and by account
   */
  async send(owner: Owner, endpointId: string): Promise<string> {
    const endpoint = await this.endpoints.get(owner, endpointId);
    await this.limits.take('testByEndpoint', { device: endpoint.id }, TESTS);
    await this.limits.take('testByAccount', { account: endpoint.accountId }, TESTS);
    const now = this.clock.now();
    const eventId = newId();
    const deliveryId = newId();
    const envelope = {
      id: eventId,
      event: 'webhook.test',
      created_at: now.toISOString(),
      data: { endpoint_id: endpoint.id, message: 'This is a test: your endpoint works.' },
    };
    await this.database.transaction(async (tx) => {
      await lockEndpoints(tx, [endpoint.id]);
      // Relayed already: it is for this endpoint and no other.
      await tx.query(
        `INSERT INTO outbox_events (id, name, account_id, body, created_at, relayed_at)
         VALUES ($1, 'webhook.test', $2, $3, $4, $4)`,
        [eventId, endpoint.accountId, JSON.stringify(envelope), now],
      );
      await tx.query(
        `INSERT INTO webhook_deliveries
           (id, event_id, endpoint_id, event, is_test, state, next_check_at, next_attempt_at, created_at)
         VALUES ($1, $2, $3, 'webhook.test', true, 'waiting', $4, $4, $4)`,
        [deliveryId, eventId, endpoint.id, now],
      );
    });
    return deliveryId;
  }
}
