import { Injectable } from '@nestjs/common';
import { DataSource, Like, type EntityManager } from 'typeorm';
import { AccountsService } from '../../access/accounts/accounts.service';
import { mayWrite } from '../../access/accounts/plan.rules';
import { OwnedQuizzesService, type OwnedQuiz } from '../../catalog/quizzes/owned-quizzes.service';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { Outbox } from '../../events/outbox';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import {
  Conflict,
  Forbidden,
  NotFound,
  PlanRequired,
  StaleVersion,
} from '../../platform/errors/domain-errors';
import { sortKey } from '../../platform/sort-key.rules';
import { isId, newId } from '../../platform/text/ids';
import { fold } from '../../platform/text/text.rules';
import { OwnerEdits } from '../review/owner-edits';
import { ReviewService } from '../review/review.service';
import { TaxonomyService } from '../taxonomy/taxonomy.service';
import { distinctTags, type CreateQuizRequest } from './create-quiz.request';
import { slugCandidates } from './slug.rules';

/** A quiz that has just been written; what the database counts and computes is not read back. */
export type NewQuiz = Omit<Quiz, 'isPublic' | 'questionCount' | 'changedSinceApprovalAt'>;

/** The editable part of a quiz, validated as at creation. */
export type QuizTexts = Omit<CreateQuizRequest, 'published' | 'featured'>;

/**
 * What owners do with their quizzes, through the API (specification 4.4) and the dashboard. Quizzes of other accounts
 * are not found. Edits do not change the review status (docs/adr/0009).
 */
@Injectable()
export class QuizAuthoringService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly owned: OwnedQuizzesService,
    private readonly taxonomy: TaxonomyService,
    private readonly review: ReviewService,
    private readonly edits: OwnerEdits,
    private readonly outbox: Outbox,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** A new quiz of the account, with its events. @throws PlanRequired, LimitReached, Invalid */
  async create(accountId: string, request: CreateQuizRequest): Promise<NewQuiz> {
    if (!mayWrite(await this.accounts.get(accountId)))
      throw new PlanRequired('A Starter or Pro plan is needed to create quizzes.');
    return this.database.transaction((tx) => this.createIn(tx, accountId, request));
  }

  /** The same inside a transaction of the caller's, which has checked the plan. @throws LimitReached, Invalid */
  async createIn(
    tx: EntityManager,
    accountId: string,
    request: CreateQuizRequest,
  ): Promise<NewQuiz> {
    const owner = await this.accounts.reserveQuiz(tx, accountId, () =>
      tx.getRepository(Quiz).countBy({ ownerId: accountId }),
    );
    const isApproved = owner.isAdmin || this.config.moderation === 'auto';
    const now = this.clock.now();
    const quiz = await insertQuiz(tx, {
      id: newId(),
      ownerId: accountId,
      ...(await this.columnsOf(tx, request)),
      published: request.published,
      approval: isApproved ? 'approved' : 'pending',
      rejectionReason: null,
      firstPublicAt: null,
      featured: owner.isAdmin && request.featured,
      createdAt: now,
      updatedAt: now,
    });
    await this.outbox.record(tx, 'quiz.created', accountId, {
      quiz_id: quiz.id,
      title: quiz.title,
      category: quiz.category,
      created_by: accountId,
    });
    await this.review.announceIfFirstPublic(tx, quiz.id);
    return quiz;
  }

  /**
   * Replaces all texts. The slug stays, and so do published and approval.
   * @param version of the quiz that was edited
   * @throws NotFound, Invalid, StaleVersion
   */
  edit(ownerId: string, quizId: string, version: string, texts: QuizTexts): Promise<OwnedQuiz> {
    return this.database.transaction(async (tx) => {
      // The category first, then the quiz: renaming a category locks them in this order.
      const owner = await this.accounts.lock(tx, ownerId);
      const columns = await this.columnsOf(tx, texts);
      await this.edits.edit(tx, owner, quizId, async (quiz) => {
        if (quiz.version !== version) throw new StaleVersion('quiz');
        const changed = { ...columns, updatedAt: this.clock.now() };
        await tx.getRepository(Quiz).update({ id: quiz.id }, changed);
        await saveSearchText(tx, { id: quiz.id, ...columns });
      });
      return this.owned.lock(tx, ownerId, quizId);
    });
  }

  /** Shows it to everybody once it is approved. @throws NotFound */
  publish(ownerId: string, quizId: string): Promise<OwnedQuiz> {
    return this.change(ownerId, quizId, { published: true });
  }

  /** Hides it from everybody except the owner. The result of the review is kept. @throws NotFound */
  unpublish(ownerId: string, quizId: string): Promise<OwnedQuiz> {
    return this.change(ownerId, quizId, { published: false });
  }

  /**
   * Publishes a rejected quiz and submits it for review again. The reviewer still sees the reason.
   * @throws NotFound; Conflict if it is not rejected
   */
  resubmit(ownerId: string, quizId: string): Promise<OwnedQuiz> {
    return this.change(ownerId, quizId, { published: true, approval: 'pending' });
  }

  /**
   * Deletes a quiz with its questions, and frees its place in the quota. Running attempts, sent events and their
   * deliveries stay: they hold copies.
   * @returns the quiz as it was
   * @throws NotFound
   */
  delete(ownerId: string, quizId: string): Promise<OwnedQuiz> {
    return this.database.transaction(async (tx) => {
      // Its bytes are subtracted from the account, which other transactions lock before a quiz.
      await this.accounts.lock(tx, ownerId);
      const quiz = await this.owned.lock(tx, ownerId, quizId);
      await tx.getRepository(Quiz).delete({ id: quiz.id });
      return quiz;
    });
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
   * Allows only the owner, and no administrator (specification 4.7).
   * @throws NotFound if there is no such quiz, Forbidden if it belongs to another account
   */
  async requireOwner(accountId: string, quizId: string): Promise<void> {
    const quizzes = this.database.getRepository(Quiz);
    const quiz = isId(quizId)
      ? await quizzes.findOne({ select: { ownerId: true }, where: { id: quizId } })
      : null;
    if (!quiz) throw new NotFound('Quiz');
    if (quiz.ownerId !== accountId)
      throw new Forbidden('This quiz belongs to another account. Import into a quiz of your own.');
  }

  private change(
    ownerId: string,
    quizId: string,
    status: { published: boolean; approval?: 'pending' },
  ): Promise<OwnedQuiz> {
    return this.database.transaction(async (tx) => {
      const quiz = await this.owned.lock(tx, ownerId, quizId);
      if (status.approval && quiz.approval !== 'rejected')
        throw new Conflict('This quiz is not rejected, so there is nothing to send again.');
      await this.review.changeIn(tx, quiz.id, status);
      return this.owned.lock(tx, ownerId, quizId);
    });
  }

  /** The columns set by a request, at creation and on an edit. @throws Invalid for an unknown category */
  private async columnsOf(tx: EntityManager, request: QuizTexts) {
    const category = await this.taxonomy.categoryOf(tx, request);
    const tags = distinctTags(request.tags ?? []);
    return {
      title: request.title,
      titleSort: sortKey(request.title),
      description: request.description || null,
      category: category.name,
      categoryKey: fold(category.name ?? ''),
      categoryId: category.id,
      difficulty: request.difficulty,
      tags,
      tagKeys: tags.map(fold),
    };
  }
}

/** Inserts a quiz under the first of its slugs that is free, and makes it searchable. */
async function insertQuiz(tx: EntityManager, quiz: Omit<NewQuiz, 'slug'>): Promise<NewQuiz> {
  for (const slug of slugCandidates(quiz.title, quiz.id)) {
    const inserted = await tx
      .createQueryBuilder()
      .insert()
      .into(Quiz)
      .values({ ...quiz, slug })
      // No error if the slug is taken: an error would end the transaction.
      .orIgnore()
      .returning('id')
      .updateEntity(false)
      .execute();
    if ((inserted.raw as unknown[]).length === 0) continue;
    await saveSearchText(tx, quiz);
    return { ...quiz, slug };
  }
  throw new Error(`No slug is free for quiz ${quiz.id}`);
}

/** Everything that `topic` searches, folded. The separator prevents matches across fields. */
async function saveSearchText(
  tx: EntityManager,
  quiz: Pick<Quiz, 'id' | 'title' | 'description' | 'tags'>,
): Promise<void> {
  const content = [quiz.title, quiz.description ?? '', ...quiz.tags].map(fold).join('\u001f');
  await tx.query(
    `INSERT INTO quiz_search (quiz_id, content, is_public) SELECT id, $2::text, is_public FROM quizzes WHERE id = $1
     ON CONFLICT (quiz_id) DO UPDATE SET content = excluded.content`,
    [quiz.id, content],
  );
}
