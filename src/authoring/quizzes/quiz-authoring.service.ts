import { Injectable } from '@nestjs/common';
import { DataSource, Like, type EntityManager } from 'typeorm';
import { AccountsService } from '../../access/accounts/accounts.service';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { TopicsService } from '../../catalog/discovery/topics.service';
import { Outbox } from '../../events/outbox';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { Forbidden, NotFound } from '../../platform/errors/domain-errors';
import { isId, newId } from '../../platform/text/ids';
import { sortKey } from '../../platform/sort-key.rules';
import { fold } from '../../platform/text/text.rules';
import { categoryOf } from './quiz-category';
import type { CreateQuizRequest } from './create-quiz.request';
import { insertQuiz, type NewQuiz } from './quiz-writing.queries';
import { ReviewService } from '../review/review.service';
import { slugCandidates } from './slug.rules';
import { distinctTags } from './tag-fields';

/** Creating quizzes (specification 4.4). */
@Injectable()
export class QuizAuthoringService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly topics: TopicsService,
    private readonly review: ReviewService,
    private readonly outbox: Outbox,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * A new quiz of the account, with its events.
   * @throws LimitReached, Invalid
   */
  create(accountId: string, request: CreateQuizRequest): Promise<NewQuiz> {
    return this.database.transaction((tx) => this.createIn(tx, accountId, request));
  }

  /** The same inside a transaction of the caller's. */
  async createIn(
    tx: EntityManager,
    accountId: string,
    request: CreateQuizRequest,
  ): Promise<NewQuiz> {
    const owner = await this.accounts.reserveQuiz(tx, accountId, () =>
      tx.getRepository(Quiz).countBy({ ownerId: accountId }),
    );
    const category = await categoryOf(tx, this.topics, request);
    const id = newId();
    const now = this.clock.now();
    const tags = distinctTags(request.tags ?? []);
    const draft = {
      id,
      ownerId: accountId,
      title: request.title,
      titleSort: sortKey(request.title),
      description: request.description || null,
      category: category.name,
      categoryKey: fold(category.name ?? ''),
      categoryId: category.id,
      difficulty: request.difficulty,
      tags,
      tagKeys: tags.map(fold),
      published: request.published,
      approval:
        owner.isAdmin || this.config.moderation === 'auto'
          ? ('approved' as const)
          : ('pending' as const),
      rejectionReason: null,
      firstPublicAt: null,
      featured: owner.isAdmin && request.featured,
      createdAt: now,
      updatedAt: now,
    };
    const quiz = await insertQuiz(tx, draft, slugCandidates(draft.title, id));
    await this.outbox.record(tx, 'quiz.created', accountId, {
      quiz_id: id,
      title: quiz.title,
      category: quiz.category,
      created_by: accountId,
    });
    await this.review.announceIfFirstPublic(tx, id);
    return quiz;
  }

  /** How many quizzes of a category the account owns. */
  countInCategory(tx: EntityManager, accountId: string, category: string): Promise<number> {
    return tx.getRepository(Quiz).countBy({ ownerId: accountId, categoryKey: fold(category) });
  }

  /** How many quizzes the account owns with this title, or as numbered parts of it. */
  countParts(tx: EntityManager, accountId: string, title: string): Promise<number> {
    const part = Like(`${title.replace(/[\\%_]/g, '\\$&')}, part %`);
    return tx.getRepository(Quiz).countBy([
      { ownerId: accountId, title },
      { ownerId: accountId, title: part },
    ]);
  }

  /**
   * Lets only the owner go on: administrators own no more than others here (specification 4.7).
   * @throws NotFound where there is no such quiz, Forbidden where it is somebody else's
   */
  async requireOwner(accountId: string, quizId: string): Promise<void> {
    const quiz = isId(quizId)
      ? await this.database
          .getRepository(Quiz)
          .findOne({ select: { ownerId: true }, where: { id: quizId } })
      : null;
    if (!quiz) throw new NotFound('Quiz');
    if (quiz.ownerId !== accountId)
      throw new Forbidden('This quiz belongs to another account. Import into a quiz of your own.');
  }
}
