import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull, Not, Repository } from 'typeorm';
import { AccountsService } from '../../access/accounts/accounts.service';
import { type Actor, OPERATOR } from '../../access/audit/actor';
import { AuditLog } from '../../access/audit/audit-log';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import type { Approval } from '../../catalog/vocabulary';
import { DomainEvents } from '../../events/domain-events';
import { Clock } from '../../platform/clock';
import { hasValues } from '../../platform/equality';
import { Conflict, found, NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { type QuizChange, quizChanges } from './quiz-changes.rules';
import { noteFirstPublic } from './review.queries';
import { DECISIONS, type QuizStatusChange, statusAfter, type Verdict } from './verdict.rules';
import { contentVersion, findVersions, storeApprovedVersion } from './version.queries';

/** A quiz that was edited after a reviewer approved it. */
export interface ChangesSinceApproval {
  approvedAt: Date;
  /** The language of the quiz when it was approved. */
  approvedLanguage: string | null;
  changes: QuizChange[];
}

/** Publishing by the owner and review by an administrator: both are needed to be public (part 1). */
@Injectable()
export class ReviewService {
  constructor(
    private readonly database: DataSource,
    @InjectRepository(Quiz) private readonly quizzes: Repository<Quiz>,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly accounts: AccountsService,
  ) {}

  /** A quiz in any state. @throws NotFound */
  async get(quizId: string): Promise<Quiz> {
    return found('Quiz', isId(quizId) && (await this.quizzes.findOneBy({ id: quizId })));
  }

  /** Live quizzes that were edited after their approval, longest unseen first, and how many there are. */
  async changed(limit = 100): Promise<{ quizzes: Quiz[]; total: number }> {
    const [quizzes, total] = await this.quizzes.findAndCount({
      where: { published: true, approval: 'approved', changedSinceApprovalAt: Not(IsNull()) },
      order: { changedSinceApprovalAt: 'ASC', id: 'ASC' },
      take: limit,
    });
    return { quizzes, total };
  }

  /**
   * The changes since a reviewer approved the quiz; null if none has. `version` is sent with the decision.
   * @throws NotFound
   */
  async changesOf(
    quizId: string,
  ): Promise<{ version: string; since: ChangesSinceApproval | null }> {
    if (!isId(quizId)) throw new NotFound('Quiz');
    return this.database.transaction('REPEATABLE READ', async (tx) => {
      const versions = await findVersions(tx, quizId);
      return {
        version: await contentVersion(tx, quizId),
        since: versions && {
          approvedAt: versions.approvedAt,
          approvedLanguage: versions.approved.language ?? null,
          changes: quizChanges(versions.approved, versions.present),
        },
      };
    });
  }

  /**
   * Publishes, or unpublishes, a quiz, as the operator.
   * @param check throws an error if the quiz cannot be published
   * @throws NotFound
   */
  setPublished(
    quizId: string,
    published: boolean,
    check?: (tx: EntityManager, quiz: Quiz) => Promise<void>,
  ): Promise<Quiz> {
    return this.change(OPERATOR, quizId, { published }, check);
  }

  /** As the operator. @throws NotFound */
  approve(quizId: string): Promise<Quiz> {
    return this.change(OPERATOR, quizId, statusAfter({ approved: true }));
  }

  /** As the operator. @throws NotFound; Invalid without a reason */
  reject(quizId: string, reason: string): Promise<Quiz> {
    return this.change(OPERATOR, quizId, statusAfter({ approved: false, reason }));
  }

  /**
   * A reviewer's decision on a published quiz.
   * @param seen the approval, and the `version` of the content, that the reviewer has seen
   * @throws NotFound; Invalid without a reason; Conflict if either has changed since
   */
  async decide(
    actor: Actor,
    quizId: string,
    seen: Approval,
    verdict: Verdict,
    version?: string,
  ): Promise<Quiz> {
    return this.change(actor, quizId, statusAfter(verdict), async (tx, quiz) => {
      if (!quiz.published) throw new NotFound('Quiz');
      if (quiz.approval !== seen)
        throw new Conflict(
          `Someone else ${DECISIONS[quiz.approval]} this quiz while you were reviewing it. Check it again.`,
        );
      if (version !== undefined && version !== (await contentVersion(tx, quiz.id)))
        throw new Conflict('The quiz was changed while you were reviewing it. Check it again.');
    });
  }

  /**
   * Emits quiz.published when the quiz becomes public for the first time, whether by publishing or by approval; never
   * a second time (contract, "quiz.published").
   */
  async announceIfFirstPublic(tx: EntityManager, quizId: string): Promise<void> {
    const quiz = await noteFirstPublic(tx, quizId, this.clock.now());
    if (!quiz) return;
    await this.events.emit(tx, 'quiz.published', quiz.ownerId, {
      quiz_id: quizId,
      title: quiz.title,
      published_by: quiz.ownerId,
    });
  }

  /**
   * Changes the status of a quiz that the caller has locked, with its events.
   * @param noted whether this transaction has recorded quiz.updated already
   */
  async changeIn(
    tx: EntityManager,
    quizId: string,
    fields: QuizStatusChange,
    noted = false,
  ): Promise<Quiz> {
    const quizzes = tx.getRepository(Quiz);
    const now = this.clock.now();
    const { approval, rejectionReason: reason } = fields;
    const before = await quizzes.findOneByOrFail({ id: quizId });
    // Publishing what is published changes nothing; approving it again may be about its changes.
    if (!approval && hasValues(before, fields)) return before;
    await quizzes.update({ id: quizId }, { ...fields, updatedAt: now });
    if (approval === 'approved') await storeApprovedVersion(tx, quizId, now);
    await this.announceIfFirstPublic(tx, quizId);
    const quiz = await quizzes.findOneByOrFail({ id: quizId });
    const { title, ownerId } = quiz;
    const at = now.toISOString();
    const rejected = { quiz_id: quiz.id, title, reason: reason ?? '', rejected_at: at };
    const updated = { quiz_id: quiz.id, title, updated_at: at };
    if (approval === 'rejected') await this.events.emit(tx, 'quiz.rejected', ownerId, rejected);
    else if (approval !== 'approved' && !noted)
      await this.events.emit(tx, 'quiz.updated', ownerId, updated);
    return quiz;
  }

  /** Locks the account and the quiz, in the order in which its owner does. @throws NotFound */
  private async lock(tx: EntityManager, quizId: string): Promise<Quiz> {
    const quizzes = tx.getRepository(Quiz);
    const { ownerId } = found('Quiz', await quizzes.findOneBy({ id: quizId }));
    await this.accounts.lock(tx, ownerId);
    const lock = { mode: 'for_no_key_update' } as const;
    return found('Quiz', await quizzes.findOne({ where: { id: quizId }, lock }));
  }

  /** With an entry in the audit log: always for a reviewer's decision, for the operator's only if something changes. */
  private async change(
    actor: Actor,
    quizId: string,
    status: QuizStatusChange,
    check?: (tx: EntityManager, quiz: Quiz) => Promise<void>,
  ): Promise<Quiz> {
    if (!isId(quizId)) throw new NotFound('Quiz');
    return this.database.transaction(async (tx) => {
      const quiz = await this.lock(tx, quizId);
      await check?.(tx, quiz);
      const isApprovalOfEdits =
        status.approval === 'approved' && quiz.changedSinceApprovalAt !== null;
      const isNews = actor !== OPERATOR || isApprovalOfEdits || !hasValues(quiz, status);
      if (isNews) {
        const action = `quiz.${status.approval ?? (status.published ? 'published' : 'hidden')}`;
        const about = { kind: 'quiz', id: quiz.id, name: quiz.title };
        await this.audit.record(tx, actor, action, about, status.rejectionReason ?? '');
      }
      const after = await this.changeIn(tx, quiz.id, status);
      if (status.approval && isNews)
        await this.events.emit(tx, 'quiz.reviewed', quiz.ownerId, {
          quizId: quiz.id,
          title: after.title,
          approved: status.approval === 'approved',
          reason: status.rejectionReason ?? null,
          reviewedBy: actor.accountId,
        });
      return after;
    });
  }
}
