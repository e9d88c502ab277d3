import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainEvents } from '../../events/domain-events';
import { ENDPOINT_EVENTS, type DomainEvent } from '../../events/event-map';
import { Config } from '../../platform/config/config';
import type { AttemptOutcome } from '../deliveries/attempt-outcome';
import type { NextState } from '../deliveries/next-state';
import {
  disableFor,
  REASONS,
  WANTED_EVENTS,
  type EndpointState,
} from '../endpoints/endpoint.queries';
import type { LeasedDelivery } from './leases';
import { DISABLE_AFTER, SLOW_SHARE_OF_TIMEOUT } from './sending-limits';

/** An attempt, and the next state of its delivery. */
export interface RecordedAttempt extends NextState {
  delivery: LeasedDelivery;
  outcome: AttemptOutcome | 'interrupted';
}

/** Updates the health of endpoints after attempts, and notifies the other endpoints of an account. */
@Injectable()
export class EndpointHealth {
  constructor(
    private readonly domainEvents: DomainEvents,
    private readonly config: Config,
  ) {}

  /**
   * Records which endpoints fail, succeed again or are slow, disables those that have failed for too long or respond
   * 410, and records the resulting events.
   * @param tx the transaction that records the attempts
   * @param endpoints locked in it
   */
  async note(
    tx: EntityManager,
    attempts: readonly RecordedAttempt[],
    endpoints: ReadonlyMap<string, EndpointState>,
    now: Date,
  ): Promise<void> {
    const endpointsWith = (is: (attempt: RecordedAttempt) => boolean) => [
      ...new Set(attempts.filter(is).map(({ delivery }) => delivery.endpointId)),
    ];
    const failingSince = (id: string) => endpoints.get(id)?.failing_since ?? null;
    const good = endpointsWith(({ health }) => health === 'good');
    const failing = endpointsWith(({ health }) => health === 'failing').filter(
      (id) => !good.includes(id),
    );
    const slowAfter = this.config.webhooks.timeout * SLOW_SHARE_OF_TIMEOUT;
    const slow = endpointsWith((it) => it.health === 'good' && durationOf(it) >= slowAfter);
    const recovered = good.filter(failingSince);
    const begun = failing.filter((id) => !failingSince(id));
    if (slow.length > 0) await tx.query(SLOW, [slow]);
    if (recovered.length > 0) await tx.query(FAILING_SINCE, [recovered, null]);
    if (begun.length > 0) await tx.query(FAILING_SINCE, [begun, now]);

    const events = attempts
      .filter(failsForGood)
      .map((it) => failedEvent(it, endpoints.get(it.delivery.endpointId)?.account_id ?? '', now));
    const failedForLong = failing.filter(
      (id) => now.getTime() - (failingSince(id) ?? now).getTime() >= DISABLE_AFTER,
    );
    const gone = endpointsWith(({ health }) => health === 'gone');
    events.push(...(await disableFor(tx, 'failing', failedForLong, now)));
    events.push(...(await disableFor(tx, 'gone', gone, now)));
    if (events.length === 0) return;
    await this.notify(tx, events);
    await this.record(tx, events);
  }

  /** One event for an endpoint, however many deliveries to it fail. */
  private async notify(tx: EntityManager, events: EndpointEvent[]): Promise<void> {
    const byEndpoint = new Map(events.map((event) => [event.data.endpoint_id, event]));
    const endpoints = await tx.query<{ id: string; url: string }[]>(
      `SELECT id, url FROM webhook_endpoints WHERE id = ANY($1::uuid[]) AND deleted_at IS NULL`,
      [[...byEndpoint.keys()]],
    );
    for (const { id, url } of endpoints) {
      const { accountId, name, data } = byEndpoint.get(id)!;
      await this.domainEvents.emit(tx, 'endpoint.unhealthy', accountId, {
        endpointId: id,
        host: new URL(url).host,
        disabledBecause: name === 'endpoint.disabled' ? REASONS[data.reason] : null,
      });
    }
  }

  /**
   * Nothing is stored for the many events that no endpoint subscribes to: an endpoint that is down may fail a hundred
   * thousand deliveries.
   */
  private async record(tx: EntityManager, events: EndpointEvent[]): Promise<void> {
    const wanted = await tx.query<{ place: number }[]>(WANTED_EVENTS, [
      events.map(({ accountId }) => accountId),
      events.map(({ data }) => data.endpoint_id),
      events.map(({ name }) => name),
    ]);
    const places = new Set(wanted.map(({ place }) => place - 1));
    if (places.size === 0) return;
    await this.domainEvents.emitAll(
      tx,
      events.filter((_, place) => places.has(place)),
    );
  }
}

type EndpointEvent = DomainEvent<'delivery.failed' | 'endpoint.disabled'>;

const durationOf = ({ outcome }: RecordedAttempt) =>
  outcome === 'interrupted' ? 0 : outcome.durationMs;

/** Its last attempt was made. The failed delivery of an event about endpoints causes no further event. */
function failsForGood({ delivery, status }: RecordedAttempt): boolean {
  return (
    status === 'failed' &&
    delivery.status === 'pending' &&
    !delivery.isTest &&
    !ENDPOINT_EVENTS.includes(delivery.event)
  );
}

function failedEvent(
  { delivery, outcome }: RecordedAttempt,
  accountId: string,
  now: Date,
): EndpointEvent {
  const known = outcome === 'interrupted' ? null : outcome;
  return {
    name: 'delivery.failed',
    accountId,
    data: {
      delivery_id: delivery.id,
      event_id: delivery.eventId,
      event: delivery.event,
      endpoint_id: delivery.endpointId,
      attempts: delivery.number,
      http_status: known?.status ?? null,
      error: known?.error ?? null,
      failed_at: now.toISOString(),
    },
  };
}

/** Not written again for a while: all outcomes lock this row. */
const SLOW = `
UPDATE webhook_endpoints SET slow_until = now() + interval '5 minutes'
WHERE id = ANY($1::uuid[]) AND coalesce(slow_until < now() + interval '4 minutes', true)`;

const FAILING_SINCE = `UPDATE webhook_endpoints SET failing_since = $2 WHERE id = ANY($1::uuid[])`;
