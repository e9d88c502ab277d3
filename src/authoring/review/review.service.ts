import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountAdministrationService } from '../../access/accounts/account-administration.service';
import { AuditLog, OPERATOR } from '../../access/accounts/audit-log';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { Outbox } from '../../events/outbox';
import { Clock } from '../../platform/clock';
import { Invalid, NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { storeApprovedVersion } from './approved-version.queries';
import { codePoints, isStorable, tidy } from '../../platform/text/text.rules';

/** Publishing by the owner and review by an administrator: the two halves of being public (part 1). */
@Injectable()
export class ReviewService implements OnModuleInit {
  constructor(
    private readonly database: DataSource,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly accounts: AccountAdministrationService,
  ) {}

  /** Quizzes that were approved while their owner's account was disabled become public with it. */
  onModuleInit(): void {
    this.accounts.follow(async (tx, before, after) => {
      if (!before.disabledAt || after.disabledAt) return;
      const quizzes = await tx.query<{ id: string }[]>(
        `SELECT id FROM quizzes WHERE owner_id = $1 AND is_public AND first_public_at IS NULL ORDER BY id`,
        [after.id],
      );
      for (const { id } of quizzes) await this.announceIfFirstPublic(tx, id);
    });
  }

  /** A quiz in whichever state. @throws NotFound */
  async get(quizId: string): Promise<Quiz> {
    const quiz = isId(quizId)
      ? await this.database.getRepository(Quiz).findOneBy({ id: quizId })
      : null;
    if (!quiz) throw new NotFound('Quiz');
    return quiz;
  }

  /** Shows, or hides, a quiz, as the operator. @throws NotFound */
  setPublished(quizId: string, published: boolean): Promise<Quiz> {
    return this.change(quizId, published ? 'quiz.published' : 'quiz.hidden', { published });
  }

  /** As the operator. @throws NotFound */
  approve(quizId: string): Promise<Quiz> {
    return this.change(quizId, 'quiz.approved', statusAfter({ approved: true }));
  }

  /** As the operator. @throws NotFound; Invalid without a reason */
  reject(quizId: string, reason: string): Promise<Quiz> {
    return this.change(quizId, 'quiz.rejected', statusAfter({ approved: false, reason }));
  }

  /** Quizzes that wait for review, the oldest first. */
  waiting(limit = 100): Promise<Quiz[]> {
    return this.database.getRepository(Quiz).find({
      where: { published: true, approval: 'pending' },
      order: { createdAt: 'ASC', id: 'ASC' },
      take: limit,
    });
  }

  /**
   * Emits quiz.published when the quiz is public for the first time, whichever of publishing and
   * approving came last; never a second time (contract, "quiz.published").
   */
  async announceIfFirstPublic(tx: EntityManager, quizId: string): Promise<void> {
    const [changed] = await tx.query<[{ owner_id: string; title: string }[]]>(
      `UPDATE quizzes SET first_public_at = $2
       WHERE id = $1 AND is_public AND first_public_at IS NULL RETURNING owner_id, title`,
      [quizId, this.clock.now()],
    );
    const [quiz] = changed;
    if (!quiz) return;
    await this.outbox.record(tx, 'quiz.published', quiz.owner_id, {
      quiz_id: quizId,
      title: quiz.title,
      published_by: quiz.owner_id,
    });
  }

  /** Changes where a quiz stands, and tells of it. @throws NotFound */
  async changeIn(tx: EntityManager, quizId: string, fields: ModerationStatus): Promise<Quiz> {
    if (!isId(quizId)) throw new NotFound('Quiz');
    const quizzes = tx.getRepository(Quiz);
    const now = this.clock.now();
    await quizzes.update({ id: quizId }, { ...fields, updatedAt: now });
    if (fields.approval === 'approved') await storeApprovedVersion(tx, quizId, now);
    await this.announceIfFirstPublic(tx, quizId);
    const quiz = await quizzes.findOneBy({ id: quizId });
    if (!quiz) throw new NotFound('Quiz');
    return quiz;
  }

  /** With an entry in the audit log where it does change something. */
  private change(quizId: string, action: string, fields: ModerationStatus): Promise<Quiz> {
    if (!isId(quizId)) throw new NotFound('Quiz');
    return this.database.transaction(async (tx) => {
      const before = await tx.getRepository(Quiz).findOne({
        where: { id: quizId },
        lock: { mode: 'for_no_key_update' },
      });
      const quiz = await this.changeIn(tx, quizId, fields);
      const names = Object.keys(fields) as (keyof ModerationStatus)[];
      if (names.some((name) => before?.[name] !== fields[name]))
        await this.audit.record(
          tx,
          OPERATOR,
          action,
          { kind: 'quiz', id: quiz.id, name: quiz.title },
          fields.rejectionReason ?? '',
        );
      return quiz;
    });
  }
}

/** Where a quiz stands between its owner and the review. */
export type ModerationStatus = Partial<Pick<Quiz, 'published' | 'approval' | 'rejectionReason'>>;

/** What an administrator finds. */
export type Verdict = { approved: true } | { approved: false; reason: string };

/** @throws Invalid without a reason */
export function statusAfter(verdict: Verdict): ModerationStatus {
  if (verdict.approved) return { approval: 'approved', rejectionReason: null };
  const rejectionReason = tidy(verdict.reason);
  if (!rejectionReason || codePoints(rejectionReason) > 1_000 || !isStorable(rejectionReason))
    throw new Invalid('The review', [
      {
        path: 'reason',
        message: 'reason must be a text of 1 to 1000 characters',
        code: 'reason',
      },
    ]);
  return { approval: 'rejected', rejectionReason };
}
