import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Account } from '../../access/accounts/account.entity';
import { OwnedQuizzesService, type OwnedQuiz } from '../../catalog/quizzes/owned-quizzes.service';
import { Outbox } from '../../events/outbox';
import { Clock } from '../../platform/clock';
import { approvedAndPresent, forgetChange } from './approved-version.queries';
import { quizChanges } from './quiz-changes.rules';

/** What every edit of a quiz by its owner goes through, of its texts and of its questions. */
@Injectable()
export class OwnerEdits {
  constructor(
    private readonly owned: OwnedQuizzesService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks the quiz, does the work and records quiz.updated. An edit of an approved quiz is on the list of changed quizzes, which a trigger
   * notes, until the reviewer approves it or the owner undoes it.
   * @param owner locked by the caller
   * @throws NotFound
   */
  async edit<T>(
    tx: EntityManager,
    owner: Account,
    quizId: string,
    work: (quiz: OwnedQuiz) => Promise<T>,
  ): Promise<T> {
    const quiz = await this.owned.lock(tx, owner.id, quizId);
    const done = await work(quiz);
    const { id, title } = await this.owned.lock(tx, owner.id, quizId);
    const updated_at = this.clock.now().toISOString();
    await this.outbox.record(tx, 'quiz.updated', owner.id, { quiz_id: id, title, updated_at });
    if (quiz.changedSinceApprovalAt) {
      const versions = await approvedAndPresent(tx, quiz.id);
      if (versions && quizChanges(versions.approved, versions.present).length === 0)
        await forgetChange(tx, quiz.id);
    }
    return done;
  }
}
