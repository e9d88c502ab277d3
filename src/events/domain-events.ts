import { Injectable } from '@nestjs/common';
import { EventEmitter2, OnEvent } from '@nestjs/event-emitter';
import type { EntityManager } from 'typeorm';
import {
  type DomainEvent,
  type DomainEventMap,
  type DomainEventName,
  isEventName,
} from './event-map';
import { type AccountEvent, Outbox } from './outbox';
import { type RenamedPlayer, renameInEvents } from './outbox.queries';

/** What `@OnDomainEvent` decorates. It works in the transaction of the change, which an error rolls back. */
export type DomainEventListener<Name extends DomainEventName> = (
  event: DomainEvent<Name>,
  tx: EntityManager,
) => Promise<void>;

/**
 * Calls a method of an `x.listener.ts` for every event of this name, in the transaction of the change. The method is
 * called in each process whose modules provide its class: that must be every process that emits the event
 * (test/api/domain-events.spec.ts).
 */
export function OnDomainEvent<Name extends DomainEventName>(name: Name) {
  return (
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<DomainEventListener<Name>>,
  ): void => {
    // Without the option the library would log a listener's error, and the change would be committed.
    OnEvent(name, { suppressErrors: false })(target, key, descriptor);
  };
}

/** Announces a change to the rest of the service: to listeners in its transaction, and by webhooks after the commit. */
@Injectable()
export class DomainEvents {
  constructor(
    private readonly outbox: Outbox,
    private readonly emitter: EventEmitter2,
  ) {}

  /**
   * Writes the outbox row of an event that is also a webhook, and waits for the listeners. At the commit, triggers
   * (`migrations/functions.sql`) wake the relay, and keep counters and caches.
   * @param tx the transaction of the change
   * @param accountId the account that owns what has changed
   */
  emit<Name extends DomainEventName>(
    tx: EntityManager,
    name: Name,
    accountId: string,
    data: DomainEventMap[Name],
  ): Promise<void> {
    return this.emitAll(tx, [{ name, accountId, data } as DomainEvent]);
  }

  /** The same for several events, in this order. Their outbox rows are written by one statement. */
  async emitAll(tx: EntityManager, events: readonly DomainEvent[]): Promise<void> {
    const webhooks = events.filter(isWebhook);
    if (webhooks.length > 0) await this.outbox.record(tx, webhooks);
    for (const event of events) await this.notify(tx, event);
  }

  /** Gives players other names in the events that accounts have received, or are about to receive. */
  renamePlayers(tx: EntityManager, renamed: readonly RenamedPlayer[]): Promise<void> {
    return renameInEvents(tx, renamed);
  }

  /**
   * One listener after the other: they share the transaction's connection. `emitAsync` starts all of them, and when one
   * fails it does not wait for the others, whose statements would then run after the rollback.
   */
  private async notify(tx: EntityManager, event: DomainEvent): Promise<void> {
    const listeners = this.emitter.listeners(event.name);
    if (listeners.length === 0 && !isWebhook(event))
      throw new Error(
        `Nothing in this process listens to ${event.name}: import the module that provides its listener.`,
      );
    for (const listener of listeners) await (listener as Listener)(event, tx);
  }
}

type Listener = (event: DomainEvent, tx: EntityManager) => Promise<void>;

const isWebhook = (event: DomainEvent): event is AccountEvent => isEventName(event.name);
