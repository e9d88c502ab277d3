import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { DisabledReason, EventMap } from '../../events/event-map';
import { Outbox } from '../../events/outbox';
import type { AttemptOutcome } from '../deliveries/attempt-outcome';
import { WANTED_EVENTS } from './endpoint.queries';

/** What happened to an endpoint of an account. */
export type EndpointEvent = { accountId: string } & {
  [Name in 'delivery.failed' | 'endpoint.disabled']: { name: Name; data: EventMap[Name] };
}['delivery.failed' | 'endpoint.disabled'];

/**
 * Tells the other endpoints of an account what happened to one, by events that they subscribe to. Nothing is stored
 * for the many that do not: an endpoint that is down may fail a hundred thousand deliveries.
 */
@Injectable()
export class EndpointEvents {
  constructor(private readonly outbox: Outbox) {}

  /** @param tx the transaction of the change */
  async record(tx: EntityManager, events: readonly EndpointEvent[]): Promise<void> {
    if (events.length === 0) return;
    const wanted = await tx.query<{ place: number }[]>(WANTED_EVENTS, [
      events.map(({ accountId }) => accountId),
      events.map(({ data }) => data.endpoint_id),
      events.map(({ name }) => name),
    ]);
    for (const { place } of wanted) {
      const event = events[place - 1];
      if (event) await this.outbox.record(tx, event.name, event.accountId, event.data);
    }
  }
}

/** A delivery that has failed after its last attempt, `number`. */
export function failedEvent(
  accountId: string,
  ended: {
    delivery: { id: string; eventId: string; event: string; endpointId: string; number: number };
    outcome: AttemptOutcome | 'interrupted';
  },
  now: Date,
): EndpointEvent {
  const { delivery } = ended;
  const outcome = ended.outcome === 'interrupted' ? null : ended.outcome;
  return {
    name: 'delivery.failed',
    accountId,
    data: {
      delivery_id: delivery.id,
      event_id: delivery.eventId,
      event: delivery.event,
      endpoint_id: delivery.endpointId,
      attempts: delivery.number,
      http_status: outcome?.status ?? null,
      error: outcome?.error ?? null,
      failed_at: now.toISOString(),
    },
  };
}

export function disabledEvent(
  accountId: string,
  endpointId: string,
  reason: DisabledReason,
  now: Date,
): EndpointEvent {
  const data = { endpoint_id: endpointId, reason, disabled_at: now.toISOString() };
  return { name: 'endpoint.disabled', accountId, data };
}
