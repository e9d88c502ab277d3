import { Injectable } from '@nestjs/common';
import type { Actor } from '../../access/audit/actor';
import { OwnedQuizzesService } from '../../catalog/quizzes/owned-quizzes.service';
import { DomainError } from '../../platform/errors/domain-errors';
import { readBody } from '../../platform/http/request/validation.pipe';
import { ReviewService } from '../review/review.service';
import { QuizAuthoringService } from './quiz-authoring.service';
import { UpdateQuizRequest } from './quizzes.dto';

export const BULK_ACTIONS = ['publish', 'unpublish', 'move', 'delete'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** A quiz that was not changed, and why. */
export interface RefusedQuiz {
  title: string;
  message: string;
}

/** How many were changed, and each of the others. */
interface BulkResult {
  done: number;
  refused: RefusedQuiz[];
}

/** One action on several quizzes. */
@Injectable()
export class QuizBulkService {
  constructor(
    private readonly owned: OwnedQuizzesService,
    private readonly quizzes: QuizAuthoringService,
    private readonly review: ReviewService,
  ) {}

  /**
   * Each quiz is a transaction of its own: a quiz that is refused does not stop the others. A rejected quiz that is
   * published goes to review again.
   * @param newCategory to which they are moved; '' for none
   * @throws NotFound if one of them is not the account's, Invalid for the category: then nothing is changed
   */
  async act(
    owner: Actor,
    ids: readonly string[],
    action: BulkAction,
    newCategory = '',
  ): Promise<BulkResult> {
    const { category } = readBody(UpdateQuizRequest, { category: newCategory });
    const quizzes = await Promise.all(ids.map((id) => this.owned.get(owner.accountId, id)));
    return each(quizzes, ({ id, state }) => {
      if (action === 'delete') return this.quizzes.delete(owner, id);
      if (action === 'move') return this.quizzes.edit(owner, { quizId: id, fields: { category } });
      if (action === 'publish' && state === 'rejected') return this.quizzes.resubmit(owner, id);
      return this.quizzes[action](owner, id);
    });
  }

  /** The same by a reviewer: approves those that still wait, in the version that the queue listed. @throws NotFound */
  async approve(
    reviewer: Actor,
    listed: readonly { id: string; version: string }[],
  ): Promise<BulkResult> {
    const quizzes = await Promise.all(
      listed.map(async ({ id, version }) => ({ ...(await this.review.get(id)), version })),
    );
    return each(quizzes, ({ id, version }) =>
      this.review.decide(reviewer, id, 'pending', { approved: true }, version),
    );
  }
}

async function each<One extends { title: string }>(
  quizzes: readonly One[],
  change: (quiz: One) => Promise<unknown>,
): Promise<BulkResult> {
  const refused: RefusedQuiz[] = [];
  for (const quiz of quizzes)
    try {
      await change(quiz);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      refused.push({ title: quiz.title, message: error.details?.[0]?.message ?? error.message });
    }
  return { done: quizzes.length - refused.length, refused };
}
