import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull } from 'typeorm';
import {
  type AccountContent,
  type DeletedAccount,
  ROWS_AT_ONCE,
} from '../../access/administration/account-content';
import { AuditLog } from '../../access/audit/audit-log';
import { WebhookEndpoint } from '../endpoints/endpoint.entity';
import { lockEndpoints } from '../endpoints/endpoint.queries';
import { deleteDeliveriesTo, deleteEvents } from './account-deletion.queries';

/** The endpoints of a deleted account go with their secrets, deliveries and what receivers responded. */
@Injectable()
export class WebhooksOfDeletedAccounts implements AccountContent {
  constructor(private readonly audit: AuditLog) {}

  async deleteSome(
    tx: EntityManager,
    { id: accountId, deletedAt }: DeletedAccount,
  ): Promise<boolean> {
    const endpoints = tx.getRepository(WebhookEndpoint);
    const ids = (await endpoints.findBy({ accountId })).map(({ id }) => id);
    await lockEndpoints(tx, ids);
    // Nothing more is sent, while its deliveries are deleted.
    await endpoints.update({ accountId, deletedAt: IsNull() }, { deletedAt });
    const moreDeliveries = await deleteDeliveriesTo(tx, ids, ROWS_AT_ONCE);
    if (!moreDeliveries) {
      await this.audit.redact(tx, accountId, ids);
      await endpoints.delete({ id: In(ids) });
    }
    const moreEvents = await deleteEvents(tx, accountId, deletedAt, ROWS_AT_ONCE);
    return moreDeliveries || moreEvents;
  }
}
