import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { AuditLog } from '../../access/audit/audit-log';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { DomainEvents, OnDomainEvent } from '../../events/domain-events';
import type { DomainEvent } from '../../events/event-map';
import { forgetAssistants } from './quiz-writing.queries';

/** Quizzes per transaction: each may have 1,000 questions. */
const BATCH = 20;

/** The quizzes of a deleted account. Unpublished ones go in any case: nobody could see them any more. */
@Injectable()
export class QuizzesOfDeletedAccounts {
  constructor(
    private readonly events: DomainEvents,
    private readonly audit: AuditLog,
  ) {}

  @OnDomainEvent('account.deleted')
  async accountDeleted(
    { accountId, data: { quizzes, at, limit, more } }: DomainEvent<'account.deleted'>,
    tx: EntityManager,
  ): Promise<void> {
    const unpublished = quizzes === 'keep' ? { published: false } : {};
    const deleted = await tx
      .getRepository(Quiz)
      .find({ where: { ownerId: accountId, ...unpublished }, order: { id: 'ASC' }, take: BATCH });
    const ids = deleted.map(({ id }) => id);
    await tx.delete(Quiz, { id: In(ids) });
    await this.audit.redact(tx, accountId, ids);
    await this.events.emitAll(
      tx,
      // Nobody else has seen the others.
      deleted
        .filter(({ isPublic }) => isPublic)
        .map(({ id, title }) => ({
          name: 'quiz.deleted',
          accountId,
          data: { quiz_id: id, title, deleted_at: at.toISOString() },
        })),
    );
    const forgotten = quizzes === 'keep' ? await forgetAssistants(tx, accountId, limit) : 0;
    if (deleted.length === BATCH || forgotten === limit) more();
  }
}
