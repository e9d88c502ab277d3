import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OnDomainEvent } from '../../events/domain-events';
import type { DomainEvent } from '../../events/event-map';
import { findUnannounced } from './review.queries';
import { ReviewService } from './review.service';

@Injectable()
export class ReviewListener {
  constructor(private readonly review: ReviewService) {}

  /** Quizzes that were approved while their owner's account was disabled become public when it is enabled. */
  @OnDomainEvent('account.enabled')
  async accountEnabled({ accountId }: DomainEvent<'account.enabled'>, tx: EntityManager) {
    for (const id of await findUnannounced(tx, accountId))
      await this.review.announceIfFirstPublic(tx, id);
  }
}
