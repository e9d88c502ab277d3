import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OnDomainEvent } from '../../events/domain-events';
import type { DomainEvent } from '../../events/event-map';
import { ReviewService } from './review.service';

@Injectable()
export class ReviewListener {
  constructor(private readonly review: ReviewService) {}

  /** Quizzes that were approved while their owner's account was disabled become public when it is enabled. */
  @OnDomainEvent('account.enabled')
  async accountEnabled({ accountId }: DomainEvent<'account.enabled'>, tx: EntityManager) {
    const quizzes = await tx.query<{ id: string }[]>(
      `SELECT id FROM quizzes WHERE owner_id = $1 AND is_public AND first_public_at IS NULL ORDER BY id`,
      [accountId],
    );
    for (const { id } of quizzes) await this.review.announceIfFirstPublic(tx, id);
  }
}
