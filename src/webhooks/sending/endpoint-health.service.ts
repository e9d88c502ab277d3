import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainEvents } from '../../events/domain-events';
import { type DomainEvent, ENDPOINT_EVENTS } from '../../events/event-map';
import type { AttemptOutcome } from '../deliveries/attempt-outcome';
import type { NextState } from '../deliveries/delivery.rules';
import { WebhookEndpoint } from '../endpoints/endpoint.entity';
import {
  disableFor,
  type LockedEndpoint,
  REASONS,
  wantedEvents,
} from '../endpoints/endpoint.queries';
import type { ClaimedDelivery } from './delivery-attempt.queries';
import { DISABLE_AFTER } from './sending-limits';

/** An attempt that has failed, with what follows. */
export interface FailedAttempt {
  delivery: ClaimedDelivery;
  outcome: AttemptOutcome;
  next: NextState;
  /** Its endpoint, locked. */
  endpoint: LockedEndpoint;
}

/** Updates the health of endpoints after failed attempts, and notifies the other endpoints of an account. */
@Injectable()
export class EndpointHealthService {
  constructor(private readonly domainEvents: DomainEvents) {}

  /**
   * Records that the endpoint fails, disables it when it has failed for too long or responds 410, and records the
   * resulting events.
   * @param tx the transaction that records the attempt
   */
  async noteFailure(tx: EntityManager, attempt: FailedAttempt, now: Date): Promise<void> {
    const { next, endpoint } = attempt;
    // The endpoint was deleted during the attempt: its owner needs no further notices about it.
    if (endpoint.deletedAt) return;
    const { id, failingSince } = endpoint;
    // What an earlier URL comes to says nothing about the present one.
    const health = endpoint.url === attempt.delivery.url ? next.health : 'unknown';
    const events: EndpointEvent[] = [];
    if (failsForGood(attempt)) events.push(failedEvent(attempt, now));
    if (health === 'failing') {
      if (!failingSince) await tx.update(WebhookEndpoint, { id }, { failingSince: now });
      else if (now.getTime() - failingSince.getTime() >= DISABLE_AFTER)
        events.push(...(await disableFor(tx, 'failing', [id], now)));
    }
    if (health === 'gone') events.push(...(await disableFor(tx, 'gone', [id], now)));
    if (events.length === 0) return;
    // One event for an attempt, even if it has failed for good and disabled the endpoint.
    const disabled = events.find((event) => event.name === 'endpoint.disabled');
    await this.domainEvents.emit(tx, 'endpoint.unhealthy', endpoint.accountId, {
      endpointId: id,
      host: new URL(attempt.delivery.url).host,
      disabledBecause: disabled ? REASONS[disabled.data.reason] : null,
    });
    // Nothing is stored for the many events that no endpoint subscribes to: an endpoint that is down may fail a hundred
    // thousand deliveries.
    await this.domainEvents.emitAll(tx, await wantedEvents(tx, events));
  }
}

type EndpointEvent = DomainEvent<'delivery.failed' | 'endpoint.disabled'>;

/** Whether this was the last attempt. The failed delivery of an event about endpoints causes no further event. */
function failsForGood({ delivery, next }: FailedAttempt): boolean {
  return (
    next.status === 'failed' &&
    delivery.status === 'pending' &&
    !delivery.isTest &&
    !ENDPOINT_EVENTS.includes(delivery.event)
  );
}

function failedEvent({ delivery, outcome, endpoint }: FailedAttempt, now: Date): EndpointEvent {
  return {
    name: 'delivery.failed',
    accountId: endpoint.accountId,
    data: {
      delivery_id: delivery.id,
      event_id: delivery.eventId,
      event: delivery.event,
      endpoint_id: delivery.endpointId,
      attempts: delivery.number,
      http_status: outcome.status,
      error: outcome.error,
      failed_at: now.toISOString(),
    },
  };
}
