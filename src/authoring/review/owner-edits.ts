import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Account } from '../../access/accounts/account.entity';
import type { Actor } from '../../access/accounts/audit-log';
import { OwnedQuizzesService, type OwnedQuiz } from '../../catalog/quizzes/owned-quizzes.service';
import { Outbox } from '../../events/outbox';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { requireMayChange } from '../authoring.resources';
import {
  findVersions,
  forgetChange,
  mayBeUndone,
  applyProposed,
  dropProposed,
  readAsProposed,
  rejectProposed,
  storeProposed,
} from './version.queries';
import { quizChanges, type QuizContent } from './quiz-changes.rules';

/**
 * What every edit of a quiz by its owner goes through, of its texts and of its questions. An edit of an approved quiz
 * is public at once and lists the quiz as changed; with MODERATION=strict it is proposed, and the tables keep what was
 * approved until an administrator approves it (docs/adr/0026).
 */
@Injectable()
export class OwnerEdits {
  constructor(
    private readonly owned: OwnedQuizzesService,
    private readonly outbox: Outbox,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks the quiz, does the work, which reads and writes the tables, and records quiz.updated.
   * @param owner locked by the caller
   * @param actor the owner, or a program with a key of the owner's
   * @param work may run in a savepoint that is rolled back, so nothing else that it writes stays
   * @throws NotFound; Forbidden as `requireMayChange`
   */
  async edit<T>(
    tx: EntityManager,
    owner: Account,
    quizId: string,
    actor: Actor,
    work: (quiz: OwnedQuiz) => Promise<T>,
  ): Promise<T> {
    const quiz = await this.owned.lock(tx, owner.id, quizId);
    requireMayChange(actor, quiz.state === 'live');
    const isStrict = this.config.moderation === 'strict' && !owner.isAdmin;
    // What was proposed before the setting changed still waits for review, and later edits with it.
    const isProposal = quiz.approval === 'approved' && (isStrict || quiz.changes !== null);
    const done = isProposal ? await this.propose(tx, quiz, work) : await work(quiz);
    const title = await this.owned.titleOf(tx, quiz.id);
    const updated_at = this.clock.now().toISOString();
    await this.outbox.record(tx, 'quiz.updated', owner.id, { quiz_id: quiz.id, title, updated_at });
    if (isProposal || quiz.changedSinceApprovalAt) await this.forgetUndone(tx, quiz.id);
    return done;
  }

  /** Rejects what is proposed; others go on seeing the approved version. @returns whether anything waited */
  async reject(tx: EntityManager, quizId: string, reason?: string | null): Promise<boolean> {
    const rejected = await rejectProposed(tx, quizId, reason);
    const versions = rejected && (await findVersions(tx, quizId));
    if (versions && versions.live && areSame(versions.approved, versions.live))
      await forgetChange(tx, quizId);
    return rejected;
  }

  /** Does the work on what is proposed so far, written into the tables, and takes it from there as what is proposed now. */
  private async propose<T>(
    tx: EntityManager,
    quiz: OwnedQuiz,
    work: (quiz: OwnedQuiz) => Promise<T>,
  ): Promise<T> {
    const now = this.clock.now();
    await tx.query('SAVEPOINT proposed_version');
    await applyProposed(tx, quiz.id, now);
    const done = await work(quiz);
    const version = await readAsProposed(tx, quiz.id);
    await tx.query('ROLLBACK TO SAVEPOINT proposed_version');
    await tx.query('RELEASE SAVEPOINT proposed_version');
    await storeProposed(tx, quiz.id, version, now);
    return done;
  }

  /** What the owner has taken back needs no review. */
  private async forgetUndone(tx: EntityManager, quizId: string): Promise<void> {
    if (!(await mayBeUndone(tx, quizId))) return;
    const versions = await findVersions(tx, quizId);
    if (!versions) return;
    const { approved, live, present } = versions;
    if (live && !areSame(live, present)) return;
    if (live) await dropProposed(tx, quizId);
    if (areSame(approved, present)) await forgetChange(tx, quizId);
  }
}

const areSame = (one: QuizContent, other: QuizContent) => quizChanges(one, other).length === 0;
