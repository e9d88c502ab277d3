import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { OnDomainEvent } from '../../events/domain-events';
import type { DomainEvent } from '../../events/event-map';
import { Import } from './import.entity';

/** Imports per transaction: each may have 64 MiB. */
const BATCH = 5;

/** The imports of a deleted account, with their files and reports. One that is running ends with an error. */
@Injectable()
export class ImportsOfDeletedAccounts {
  @OnDomainEvent('account.deleted')
  async accountDeleted(
    { accountId, data: { more } }: DomainEvent<'account.deleted'>,
    tx: EntityManager,
  ): Promise<void> {
    const imports = tx.getRepository(Import);
    const ids = (
      await imports.find({ select: { id: true }, where: { accountId }, take: BATCH })
    ).map(({ id }) => id);
    await imports.delete({ id: In(ids) });
    if (ids.length === BATCH) more();
  }
}
