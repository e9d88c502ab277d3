import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not } from 'typeorm';
import { AuditLog, type Actor } from '../../access/accounts/audit-log';
import {
  OwnedQuizzesService,
  type OwnedQuizDetail,
} from '../../catalog/quizzes/owned-quizzes.service';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import type { Approval } from '../../catalog/vocabulary';
import { Conflict, NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { isStorable } from '../../platform/text/text.rules';
import { approvedAndPresent, contentVersion } from './approved-version.queries';
import { quizChanges, type QuizChange } from './quiz-changes.rules';
import { ReviewService, statusAfter, type Verdict } from './review.service';

const DECISIONS: Record<Approval, string> = {
  pending: 'resubmitted',
  approved: 'approved',
  rejected: 'rejected',
};

/** What was edited since a reviewer approved a quiz. */
export interface ChangesSinceApproval {
  approvedAt: Date;
  changes: QuizChange[];
}

/** The review as administrators do it in the dashboard. Each verdict and its audit entry are one transaction. */
@Injectable()
export class ReviewQueueService {
  constructor(
    private readonly database: DataSource,
    private readonly owned: OwnedQuizzesService,
    private readonly review: ReviewService,
    private readonly audit: AuditLog,
  ) {}

  /** A page of what waits, the oldest first, and how many wait. */
  async list(page: {
    limit: number;
    offset: number;
  }): Promise<{ quizzes: Quiz[]; waiting: number }> {
    const [quizzes, waiting] = await this.database.getRepository(Quiz).findAndCount({
      where: { published: true, approval: 'pending' },
      order: { createdAt: 'ASC', id: 'ASC' },
      take: page.limit,
      skip: page.offset,
    });
    return { quizzes, waiting };
  }

  /** Live quizzes that were edited after their approval, the longest unseen first, and how many there are. */
  async changed(limit: number): Promise<{ quizzes: Quiz[]; total: number }> {
    const [quizzes, total] = await this.database.getRepository(Quiz).findAndCount({
      where: { published: true, approval: 'approved', changedSinceApprovalAt: Not(IsNull()) },
      order: { changedSinceApprovalAt: 'ASC', id: 'ASC' },
      take: limit,
    });
    return { quizzes, total };
  }

  /** What was edited since a reviewer approved the quiz; null where none has. `version` goes into the verdict. */
  async changesOf(
    quizId: string,
  ): Promise<{ version: string; since: ChangesSinceApproval | null }> {
    return this.database.transaction('REPEATABLE READ', async (tx) => {
      const versions = await approvedAndPresent(tx, quizId);
      return {
        version: await contentVersion(tx, quizId),
        since: versions && {
          approvedAt: versions.approvedAt,
          changes: quizChanges(versions.approved, versions.present),
        },
      };
    });
  }

  /** A published quiz with a page of its questions, whatever the last verdict was. @throws NotFound */
  get(quizId: string, page?: { limit: number; offset: number }): Promise<OwnedQuizDetail> {
    return this.owned.getPublished(quizId, page);
  }

  /**
   * The id of a published quiz by what people have of it: its id, its slug, or an address that ends with one of
   * them. null: none is published there.
   */
  async find(text: string): Promise<string | null> {
    const name = text.trim().split(/[?#]/, 1)[0]?.split('/').findLast(Boolean) ?? '';
    if (!isStorable(name)) return null;
    const [quiz] = await this.database.query<{ id: string }[]>(
      `SELECT id FROM quizzes WHERE published AND (slug = $1 OR id = $2)`,
      [name, isId(name) ? name : null],
    );
    return quiz?.id ?? null;
  }

  /** The next quiz that waits after this one; after the last comes the first. null when no other waits. */
  async next(after: string): Promise<string | null> {
    const [next] = await this.database.query<{ id: string }[]>(
      `SELECT id FROM quizzes WHERE published AND approval = 'pending' AND id <> $1
       ORDER BY (created_at, id) <= (SELECT created_at, id FROM quizzes WHERE id = $1), created_at, id LIMIT 1`,
      [after],
    );
    return next?.id ?? null;
  }

  /**
   * @param seen the approval, and `version` the content, that the administrator has looked at
   * @throws NotFound, Invalid without a reason; Conflict when either has changed since
   */
  async decide(
    actor: Actor,
    quizId: string,
    seen: Approval,
    verdict: Verdict,
    version?: string,
  ): Promise<Quiz> {
    const standing = statusAfter(verdict);
    return this.database.transaction(async (tx) => {
      const quiz = isId(quizId)
        ? await tx.getRepository(Quiz).findOne({
            where: { id: quizId, published: true },
            lock: { mode: 'for_no_key_update' },
          })
        : null;
      if (!quiz) throw new NotFound('Quiz');
      if (quiz.approval !== seen)
        throw new Conflict(
          `Someone else ${DECISIONS[quiz.approval]} this quiz while you were reviewing it. Check it again.`,
        );
      if (version !== undefined && version !== (await contentVersion(tx, quiz.id)))
        throw new Conflict('The quiz was changed while you were reviewing it. Check it again.');
      const changed = await this.review.changeIn(tx, quiz.id, standing);
      await this.audit.record(
        tx,
        actor,
        verdict.approved ? 'quiz.approved' : 'quiz.rejected',
        { kind: 'quiz', id: quiz.id, name: quiz.title },
        standing.rejectionReason ?? '',
      );
      return changed;
    });
  }
}
