import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Account } from '../../access/accounts/account.entity';
import type { Actor } from '../../access/audit/actor';
import { type OwnedQuiz, OwnedQuizzesService } from '../../catalog/quizzes/owned-quizzes.service';
import { DomainEvents } from '../../events/domain-events';
import { Clock } from '../../platform/clock';
import { requireMayChange } from './live-quiz.rules';
import { quizChanges } from './quiz-changes.rules';
import { findVersions, forgetChange, mayBeUndone } from './version.queries';

/** What the work of an edit returns if it has changed nothing. */
export class Unchanged<T> {
  constructor(readonly result: T) {}
}

/**
 * What every edit of a quiz by its owner goes through, of its texts and of its questions. An edit of an approved quiz
 * is public at once and lists the quiz as changed.
 */
@Injectable()
export class OwnerEditsService {
  constructor(
    private readonly owned: OwnedQuizzesService,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks the quiz, does the work, which reads and writes the tables, and records quiz.updated if anything changed.
   * @param owner locked by the caller
   * @param actor the owner, or a program with a key of the owner's
   * @throws NotFound; Forbidden as `requireMayChange`
   */
  async edit<T>(
    tx: EntityManager,
    owner: Account,
    quizId: string,
    actor: Actor,
    work: (quiz: OwnedQuiz) => Promise<T | Unchanged<T>>,
  ): Promise<T> {
    const quiz = await this.owned.lock(tx, owner.id, quizId);
    requireMayChange(actor, quiz.state === 'live');
    const done = await work(quiz);
    if (done instanceof Unchanged) return done.result;
    const title = await this.owned.titleOf(tx, quiz.id);
    const updated_at = this.clock.now().toISOString();
    await this.events.emit(tx, 'quiz.updated', owner.id, { quiz_id: quiz.id, title, updated_at });
    if (quiz.changedSinceApprovalAt) await this.forgetUndone(tx, quiz.id);
    return done;
  }

  /** What the owner has taken back needs no review. */
  private async forgetUndone(tx: EntityManager, quizId: string): Promise<void> {
    if (!(await mayBeUndone(tx, quizId))) return;
    const versions = await findVersions(tx, quizId);
    if (!versions) return;
    const { approved, present } = versions;
    if (quizChanges(approved, present).length === 0) await forgetChange(tx, quizId);
  }
}
