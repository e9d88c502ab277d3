import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsService } from '../../access/accounts/accounts.service';
import { mayWrite } from '../../access/accounts/plan.rules';
import { OwnedQuizzesService, type OwnedQuiz } from '../../catalog/quizzes/owned-quizzes.service';
import { TopicsService } from '../../catalog/discovery/topics.service';
import { Clock } from '../../platform/clock';
import { Conflict, PlanRequired, StaleVersion } from '../../platform/errors/domain-errors';
import { sortKey } from '../../platform/sort-key.rules';
import { fold } from '../../platform/text/text.rules';
import type { CreateQuizRequest } from './create-quiz.request';
import { QuizAuthoringService } from './quiz-authoring.service';
import { categoryOf } from './quiz-category';
import { searchContent, type NewQuiz } from './quiz-writing.queries';
import { ReviewService } from '../review/review.service';
import { distinctTags } from './tag-fields';

/** What of a quiz can be edited, checked as at creation. */
export type QuizTexts = Omit<CreateQuizRequest, 'published' | 'featured'>;

/**
 * What owners do with their quizzes in the dashboard. A quiz of somebody else is not found. Editing leaves the
 * state as it is (docs/adr/0009).
 */
@Injectable()
export class QuizEditingService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly owned: OwnedQuizzesService,
    private readonly topics: TopicsService,
    private readonly authoring: QuizAuthoringService,
    private readonly review: ReviewService,
    private readonly clock: Clock,
  ) {}

  /** @throws PlanRequired, LimitReached, Invalid */
  async create(ownerId: string, request: CreateQuizRequest): Promise<NewQuiz> {
    if (!mayWrite(await this.accounts.get(ownerId)))
      throw new PlanRequired('A Starter or Pro plan is needed to create quizzes.');
    return this.authoring.create(ownerId, request);
  }

  /**
   * Replaces all texts. The slug stays, and so do published and approval.
   * @param version of the quiz that was edited
   * @throws NotFound, Invalid; StaleVersion
   */
  edit(ownerId: string, quizId: string, version: string, texts: QuizTexts): Promise<OwnedQuiz> {
    return this.database.transaction(async (tx) => {
      // The category first, then the quiz: renaming a category locks them in this order.
      const category = await categoryOf(tx, this.topics, texts);
      const quiz = await this.owned.lock(tx, ownerId, quizId);
      if (quiz.version !== version) throw new StaleVersion('quiz');
      const tags = distinctTags(texts.tags ?? []);
      const edited = { title: texts.title, description: texts.description || null, tags };
      await tx.query(
        `UPDATE quizzes SET title = $2, title_sort = $3, description = $4, category = $5, category_key = $6,
           category_id = $7, difficulty = $8, tags = $9, tag_keys = $10, updated_at = $11
         WHERE id = $1`,
        [
          quiz.id,
          edited.title,
          sortKey(edited.title),
          edited.description,
          category.name,
          fold(category.name ?? ''),
          category.id,
          texts.difficulty,
          tags,
          tags.map(fold),
          this.clock.now(),
        ],
      );
      await tx.query(`UPDATE quiz_search SET content = $2 WHERE quiz_id = $1`, [
        quiz.id,
        searchContent(edited),
      ]);
      return this.owned.lock(tx, ownerId, quizId);
    });
  }

  /** Shows it to everybody once it is approved. @throws NotFound */
  publish(ownerId: string, quizId: string): Promise<OwnedQuiz> {
    return this.change(ownerId, quizId, { published: true });
  }

  /** Takes it back: nobody but the owner sees it. What the review said is kept. @throws NotFound */
  unpublish(ownerId: string, quizId: string): Promise<OwnedQuiz> {
    return this.change(ownerId, quizId, { published: false });
  }

  /**
   * Sends a rejected quiz to review again, published. The reason stays for the reviewer to see.
   * @throws NotFound; Conflict when it is not rejected
   */
  resubmit(ownerId: string, quizId: string): Promise<OwnedQuiz> {
    return this.change(ownerId, quizId, { published: true, approval: 'pending' }, (quiz) => {
      if (quiz.approval !== 'rejected')
        throw new Conflict('This quiz is not rejected, so there is nothing to send again.');
    });
  }

  /**
   * Deletes a quiz with its questions, and frees its place in the quota. Attempts under way, sent events and
   * their deliveries stay as they are: they hold copies.
   * @returns the quiz as it was
   * @throws NotFound
   */
  delete(ownerId: string, quizId: string): Promise<OwnedQuiz> {
    return this.database.transaction(async (tx) => {
      // Its bytes are taken from the account's, which others lock before a quiz.
      await this.accounts.lock(tx, ownerId);
      const quiz = await this.owned.lock(tx, ownerId, quizId);
      await tx.query(`DELETE FROM quizzes WHERE id = $1`, [quiz.id]);
      return quiz;
    });
  }

  private change(
    ownerId: string,
    quizId: string,
    fields: { published: boolean; approval?: 'pending' },
    check: (quiz: OwnedQuiz) => void = () => undefined,
  ): Promise<OwnedQuiz> {
    return this.database.transaction(async (tx: EntityManager) => {
      const quiz = await this.owned.lock(tx, ownerId, quizId);
      check(quiz);
      await this.review.changeIn(tx, quiz.id, fields);
      return this.owned.lock(tx, ownerId, quizId);
    });
  }
}
