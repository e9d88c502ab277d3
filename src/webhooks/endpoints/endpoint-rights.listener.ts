import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull } from 'typeorm';
import { DomainEvents, OnDomainEvent } from '../../events/domain-events';
import type { DomainEvent } from '../../events/event-map';
import { WebhookEndpoint } from './endpoint.entity';
import {
  cancelDeliveries,
  disableEndpoints,
  disableFor,
  lockEndpoints,
  OF_OTHER_ACCOUNTS,
  wakeHeldDeliveries,
  wantedEvents,
} from './endpoint.queries';

/** Endpoints change with their account's rights, in the same transaction. */
@Injectable()
export class EndpointRightsListener {
  constructor(private readonly events: DomainEvents) {}

  @OnDomainEvent('account.demoted')
  async accountDemoted({ accountId, data }: DomainEvent<'account.demoted'>, tx: EntityManager) {
    await this.withdrawRightToAllAccounts(tx, accountId, await this.lock(tx, accountId), data.at);
  }

  @OnDomainEvent('account.disabled')
  async accountDisabled({ accountId, data }: DomainEvent<'account.disabled'>, tx: EntityManager) {
    const ids = await this.lock(tx, accountId);
    await this.withdrawRightToAllAccounts(tx, accountId, ids, data.at);
    await disableEndpoints(tx, ids, ACCOUNT_DISABLED, data.at);
  }

  @OnDomainEvent('account.enabled')
  async accountEnabled({ accountId, data }: DomainEvent<'account.enabled'>, tx: EntityManager) {
    await this.lock(tx, accountId);
    const endpoints = tx.getRepository(WebhookEndpoint);
    await endpoints.update(
      { ...endpointsOf(accountId), disabledReason: ACCOUNT_DISABLED },
      { disabledAt: null, disabledReason: null, failingSince: null },
    );
    const enabled = await endpoints.findBy({ ...endpointsOf(accountId), disabledAt: IsNull() });
    for (const { id } of enabled) await wakeHeldDeliveries(tx, id, data.at);
  }

  /** @returns the ids of the account's endpoints */
  private async lock(tx: EntityManager, accountId: string): Promise<string[]> {
    const endpoints = await tx.getRepository(WebhookEndpoint).findBy(endpointsOf(accountId));
    const ids = endpoints.map(({ id }) => id);
    await lockEndpoints(tx, ids);
    return ids;
  }

  /** @param ids the account's endpoints, locked */
  private async withdrawRightToAllAccounts(
    tx: EntityManager,
    accountId: string,
    ids: string[],
    now: Date,
  ): Promise<void> {
    const endpoints = tx.getRepository(WebhookEndpoint);
    const wide = await endpoints.findBy({ ...endpointsOf(accountId), allAccounts: true });
    const wideIds = wide.map(({ id }) => id);
    const disabled = await disableFor(tx, 'right_withdrawn', wideIds, now);
    await this.events.emitAll(tx, await wantedEvents(tx, disabled));
    await endpoints.update({ id: In(wideIds) }, { allAccounts: false });
    await cancelDeliveries(tx, OF_OTHER_ACCOUNTS, ids, now);
  }
}

const endpointsOf = (accountId: string) => ({ accountId, deletedAt: IsNull() });

/** Also used to find these endpoints again when the account is enabled. */
const ACCOUNT_DISABLED = 'Its account is disabled.';
