import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import {
  type AccountContent,
  type DeletedAccount,
  ROWS_AT_ONCE,
} from '../../access/administration/account-content';
import { AuditLog } from '../../access/audit/audit-log';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { DomainEvents } from '../../events/domain-events';
import { forgetAssistants } from './quiz-writing.queries';

/** Quizzes per transaction: each may have 1,000 questions. */
const BATCH = 20;

/** The quizzes of a deleted account. Unpublished ones go in any case: nobody could see them any more. */
@Injectable()
export class QuizzesOfDeletedAccounts implements AccountContent {
  constructor(
    private readonly events: DomainEvents,
    private readonly audit: AuditLog,
  ) {}

  async deleteSome(
    tx: EntityManager,
    { id: accountId, quizzes, deletedAt }: DeletedAccount,
  ): Promise<boolean> {
    const unpublished = quizzes === 'keep' ? { published: false } : {};
    const deleted = await tx
      .getRepository(Quiz)
      .find({ where: { ownerId: accountId, ...unpublished }, order: { id: 'ASC' }, take: BATCH });
    const ids = deleted.map(({ id }) => id);
    await tx.delete(Quiz, { id: In(ids) });
    await this.audit.redact(tx, accountId, ids);
    await this.events.emitAll(
      tx,
      // Only public quizzes are announced: no other account has seen the rest.
      deleted
        .filter(({ isPublic }) => isPublic)
        .map(({ id, title }) => ({
          name: 'quiz.deleted',
          accountId,
          data: { quiz_id: id, title, deleted_at: deletedAt.toISOString() },
        })),
    );
    const forgotten = quizzes === 'keep' ? await forgetAssistants(tx, accountId, ROWS_AT_ONCE) : 0;
    return deleted.length === BATCH || forgotten === ROWS_AT_ONCE;
  }
}
