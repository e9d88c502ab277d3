import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull } from 'typeorm';
import { AuditLog } from '../../access/audit/audit-log';
import { OnDomainEvent } from '../../events/domain-events';
import type { DomainEvent } from '../../events/event-map';
import { WebhookEndpoint } from '../endpoints/endpoint.entity';
import { lockEndpoints } from '../endpoints/endpoint.queries';
import { deleteDeliveriesTo, deleteEvents } from './account-deletion.queries';

/** The endpoints of a deleted account go with their secrets, deliveries and what receivers responded. */
@Injectable()
export class WebhooksOfDeletedAccounts {
  constructor(private readonly audit: AuditLog) {}

  @OnDomainEvent('account.deleted')
  async accountDeleted(
    { accountId, data: { at, limit, more } }: DomainEvent<'account.deleted'>,
    tx: EntityManager,
  ): Promise<void> {
    const endpoints = tx.getRepository(WebhookEndpoint);
    const ids = (await endpoints.findBy({ accountId })).map(({ id }) => id);
    await lockEndpoints(tx, ids);
    // Nothing more is sent, while its deliveries are deleted.
    await endpoints.update({ accountId, deletedAt: IsNull() }, { deletedAt: at });
    const moreDeliveries = await deleteDeliveriesTo(tx, ids, limit);
    if (!moreDeliveries) {
      await this.audit.redact(tx, accountId, ids);
      await endpoints.delete({ id: In(ids) });
    }
    const moreEvents = await deleteEvents(tx, accountId, at, limit);
    if (moreDeliveries || moreEvents) more();
  }
}
