import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OnDomainEvent } from '../events/domain-events';
import type { DomainEvent } from '../events/event-map';
import { deletePicturesOf } from './media.queries';

/** Pictures per transaction: each may have a MiB. */
const BATCH = 50;

/** The pictures of a deleted account; those that kept quizzes show stay. */
@Injectable()
export class PicturesOfDeletedAccounts {
  @OnDomainEvent('account.deleted')
  async accountDeleted(
    { accountId, data: { quizzes, more } }: DomainEvent<'account.deleted'>,
    tx: EntityManager,
  ): Promise<void> {
    const deleted = await deletePicturesOf(tx, accountId, quizzes, BATCH);
    if (deleted === BATCH) more();
  }
}
