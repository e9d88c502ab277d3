import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull, Not } from 'typeorm';
import { OnDomainEvent } from '../events/domain-events';
import type { DomainEvent } from '../events/event-map';
import { Medium } from './media.entity';

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
    const media = tx.getRepository(Medium);
    const unused = quizzes === 'keep' ? { unusedSince: Not(IsNull()) } : {};
    const where = { accountId, ...unused };
    const ids = (await media.find({ select: { id: true }, where, take: BATCH })).map(
      ({ id }) => id,
    );
    await media.delete({ id: In(ids) });
    if (ids.length === BATCH) more();
  }
}
