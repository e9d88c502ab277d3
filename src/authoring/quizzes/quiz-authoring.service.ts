import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, Repository } from 'typeorm';
import { AccountsService } from '../../access/accounts/accounts.service';
import { requireActorScope } from '../../access/accounts/scope.rules';
import type { Actor } from '../../access/audit/actor';
import { AuditLog } from '../../access/audit/audit-log';
import { type OwnedQuiz, OwnedQuizzesService } from '../../catalog/quizzes/owned-quizzes.service';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { rulesOf, withoutRules } from '../../catalog/vocabulary';
import { DomainEvents } from '../../events/domain-events';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { Conflict, Forbidden, found, NotFound } from '../../platform/errors/domain-errors';
import {
  ANY_VERSION,
  type Expected,
  requireExpected,
} from '../../platform/http/request/precondition';
import { isId, newId } from '../../platform/text/ids';
import { toNewQuestion } from '../questions/batch-import.service';
import { QuestionPicturesService } from '../questions/question-pictures.service';
import { requireMayChange, requireMayPublish } from '../review/live-quiz.rules';
import { OwnerEditsService, Unchanged } from '../review/owner-edits.service';
import { ReviewService } from '../review/review.service';
import type { QuizStatusChange } from '../review/verdict.rules';
import { TaxonomyService } from '../taxonomy/taxonomy.service';
import { requireEnoughToDraw, requirePlayable } from './quiz.rules';
import type { WriteQuizRequest } from './quiz-drafting.dto';
import {
  findSameQuiz,
  insertQuiz,
  type NewQuiz,
  quizColumns,
  type QuizFields,
  rulesAtCreation,
  updateQuizFields,
} from './quiz-writing.queries';
import { type CreateQuizRequest, type UpdateQuizRequest } from './quizzes.dto';

/** A change of a quiz. */
interface QuizEdit {
  quizId: string;
  /** If it is not the actor: an administrator features the quiz of another account. */
  ownerId?: string;
  /** Any version, if absent. */
  expected?: Expected;
  fields?: Partial<QuizFields>;
  status?: Omit<QuizStatusChange, 'approval' | 'rejectionReason'>;
}

/**
 * What owners do with their quizzes, through the API (specification 4.4) and the dashboard. Quizzes of other accounts
 * are not found. Edits do not change the review status (docs/adr/0009).
 */
@Injectable()
export class QuizAuthoringService {
  constructor(
    private readonly database: DataSource,
    @InjectRepository(Quiz) private readonly quizzes: Repository<Quiz>,
    private readonly accounts: AccountsService,
    private readonly owned: OwnedQuizzesService,
    private readonly taxonomy: TaxonomyService,
    private readonly review: ReviewService,
    private readonly edits: OwnerEditsService,
    private readonly pictures: QuestionPicturesService,
    private readonly events: DomainEvents,
    private readonly audit: AuditLog,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * A new quiz of the actor, with its events. For a program the caller has checked the plan.
   * @param origin the assistant that wrote it, and what it had in another deployment
   * @throws LimitReached, Invalid; for a public one as `requireMayPublish`
   */
  async createIn(
    tx: EntityManager,
    actor: Actor,
    request: CreateQuizRequest,
    origin: { writtenBy?: string | null | undefined; slug?: string; createdAt?: Date } = {},
  ): Promise<NewQuiz> {
    const { accountId } = actor;
    const owner = await this.accounts.requireQuizQuota(tx, accountId, () =>
      tx.getRepository(Quiz).countBy({ ownerId: accountId }),
    );
    if (request.published) requireMayPublish(actor, owner);
    const isApproved = owner.isAdmin || this.config.moderation === 'auto';
    const now = this.clock.now();
    const quiz = await insertQuiz(
      tx,
      {
        id: newId(),
        ownerId: accountId,
        ...quizColumns(request, await this.taxonomy.categoryOf(tx, request)),
        published: request.published,
        approval: isApproved ? 'approved' : 'pending',
        rejectionReason: null,
        firstPublicAt: null,
        featured: owner.isAdmin && request.featured,
        writtenBy: origin.writtenBy ?? null,
        ...rulesAtCreation(request),
        // Later than now, it would stay the newest.
        createdAt: origin.createdAt && origin.createdAt < now ? origin.createdAt : now,
        updatedAt: now,
      },
      origin.slug,
    );
    await this.events.emit(tx, 'quiz.created', accountId, {
      quiz_id: quiz.id,
      title: quiz.title,
      category: quiz.category,
      created_by: accountId,
    });
    await this.review.announceIfFirstPublic(tx, quiz.id);
    return quiz;
  }

  /**
   * The quiz with the same content that the same assistant has written before. The account stays locked: of two calls at
   * the same time the second finds the quiz of the first.
   * @param since when it was created at the earliest
   * @throws NotFound; Invalid for an unknown category
   */
  async findWritten(
    tx: EntityManager,
    accountId: string,
    { questions, writtenBy = null, ...request }: WriteQuizRequest,
    since: Date,
  ): Promise<string | null> {
    await this.accounts.lock(tx, accountId);
    const columns = quizColumns(request, await this.taxonomy.categoryOf(tx, request));
    const content = { ...columns, ...rulesAtCreation(request) };
    return findSameQuiz(tx, { accountId, writtenBy, since }, content, questions.map(toNewQuestion));
  }

  /**
   * Changes what is given; the rest stays, and so do the slug and the approval. Values that are stored already change
   * nothing and are not announced.
   * @param within a transaction of the caller's; absent: one of its own
   * @returns the quiz as the actor reads it
   * @throws NotFound, Invalid, StaleVersion, PreconditionFailed; Forbidden as `requireMayChange`, and for `published`
   *   without the scope `publish`; PlanRequired as `requireMayPublish`
   */
  async edit(
    actor: Actor,
    {
      quizId,
      ownerId = actor.accountId,
      expected = ANY_VERSION,
      fields = {},
      status = {},
    }: QuizEdit,
    within?: EntityManager,
  ): Promise<OwnedQuiz> {
    // Also to unpublish, and where nothing changes.
    if (status.published !== undefined) requireActorScope(actor, 'publish');
    return (within ?? this.database).transaction(async (tx) => {
      // The category first, then the quiz: renaming a category locks them in this order.
      const owner = await this.accounts.lock(tx, ownerId);
      const given = Object.entries(fields).filter(([, value]) => value !== undefined);
      const asked = fields.category !== undefined || fields.categoryId !== undefined;
      const category = asked ? await this.taxonomy.categoryOf(tx, fields) : null;
      const locked = await this.lock(expected, tx, ownerId, quizId);
      const { id, featured: before, title } = locked;
      // Also where only the rules of play or `featured` change.
      requireMayChange(actor, locked.state === 'live');
      requireEnoughToDraw(
        status.questionsPerAttempt,
        locked.questionCount,
        locked.questionsPerAttempt,
      );
      if (status.published && !locked.published) {
        requireMayPublish(actor, owner);
        await this.pictures.requirePublishable(tx, id);
      }
      const isEdited =
        given.length > 0 &&
        (await this.edits.edit(tx, owner, id, actor, async (quiz) => {
          // `categoryId: null` alone removes a category of the service, and keeps a name of the owner's own.
          const keeps = fields.category === undefined && !fields.categoryId && !quiz.categoryId;
          const whole = { ...quiz, ...(Object.fromEntries(given) as typeof fields) };
          const stays = { id: quiz.categoryId, name: quiz.category };
          const written = keeps ? stays : (category ?? stays);
          const isChanged = await updateQuizFields(tx, quiz.id, whole, written, this.clock.now());
          return isChanged || new Unchanged(false);
        }));
      if (Object.keys(status).length > 0) await this.review.changeIn(tx, id, status, isEdited);
      if ((status.featured ?? before) !== before) {
        const action = before ? 'quiz.unfeatured' : 'quiz.featured';
        await this.audit.record(tx, actor, action, { kind: 'quiz', id, name: title });
      }
      return this.owned.lock(tx, ownerId, quizId);
    });
  }

  /**
   * The same as the caller's right allows: owners do not change `featured`, and administrators of others' quizzes
   * nothing else. Other fields than `published` need the scope `write`.
   * @throws Forbidden
   */
  async update(
    caller: Actor & { isAdmin: boolean },
    quizId: string,
    expected: Expected,
    { published, ...others }: UpdateQuizRequest,
  ): Promise<OwnedQuiz> {
    const { ownerId } = await this.find(quizId);
    if (Object.values(others).some((value) => value !== undefined))
      requireActorScope(caller, 'write');
    const { featured, ...edited } = others;
    const fields = withoutRules(edited);
    const status = { ...(published !== undefined && { published }), ...rulesOf(edited) };
    const isEdit = Object.keys({ ...status, ...fields }).length > 0;
    if (!isEdit && !caller.isAdmin)
      throw new Forbidden(
        'Only administrators can change `featured`. Leave it out.',
        'administrators-only',
      );
    if (isEdit && ownerId !== caller.accountId)
      throw new Forbidden(
        'This quiz belongs to another account. Administrators change only whether it is featured.',
        'not-owner',
      );
    // As at creation, `featured` is ignored for others.
    const whole = caller.isAdmin && featured !== undefined ? { ...status, featured } : status;
    return this.edit(caller, { quizId, ownerId, expected, fields, status: whole });
  }

  /** Shows it to everybody once it is approved. @throws NotFound; Invalid if it has no questions */
  publish(actor: Actor, quizId: string): Promise<OwnedQuiz> {
    return this.database.transaction(async (tx) => {
      await this.lockPlayable(tx, actor, quizId);
      return this.edit(actor, { quizId, status: { published: true } }, tx);
    });
  }

  /** Hides it from everybody except the owner. The result of the review is kept. @throws NotFound */
  unpublish(actor: Actor, quizId: string): Promise<OwnedQuiz> {
    return this.edit(actor, { quizId, status: { published: false } });
  }

  /**
   * Publishes, or unpublishes, any account's quiz, as the operator.
   * @throws NotFound; Invalid if its pictures have no alternative texts
   */
  setPublished(quizId: string, published: boolean): Promise<Quiz> {
    return this.review.setPublished(quizId, published, async (tx, quiz) => {
      if (published && !quiz.published) await this.pictures.requirePublishable(tx, quiz.id);
    });
  }

  /**
   * Publishes a rejected quiz and submits it for review again. The reviewer still sees the reason.
   * @throws NotFound; Invalid if it has no questions; Conflict if it is not rejected
   */
  resubmit(actor: Actor, quizId: string): Promise<OwnedQuiz> {
    return this.database.transaction(async (tx) => {
      await this.lockPlayable(tx, actor, quizId);
      return this.resubmitIn(tx, actor, quizId);
    });
  }

  /** The same inside the caller's transaction, also for a quiz without questions. */
  async resubmitIn(
    tx: EntityManager,
    actor: Actor,
    quizId: string,
    expected: Expected = ANY_VERSION,
  ): Promise<OwnedQuiz> {
    const { accountId: ownerId } = actor;
    const owner = await this.accounts.lock(tx, ownerId);
    const quiz = await this.lock(expected, tx, ownerId, quizId);
    requireMayPublish(actor, owner);
    if (quiz.approval !== 'rejected')
      throw new Conflict('Only a rejected quiz can be resubmitted.', 'not-rejected');
    await this.pictures.requirePublishable(tx, quiz.id);
    await this.review.changeIn(tx, quiz.id, { published: true, approval: 'pending' });
    return this.owned.lock(tx, ownerId, quizId);
  }

  /**
   * Deletes a quiz with its questions, and frees its place in the quota. Running attempts, sent events and their
   * deliveries stay: they hold copies.
   * @returns the quiz as it was
   * @throws NotFound, PreconditionFailed; Forbidden as `requireMayChange`
   */
  delete(actor: Actor, quizId: string, expected: Expected = ANY_VERSION): Promise<OwnedQuiz> {
    const { accountId: ownerId } = actor;
    return this.database.transaction(async (tx) => {
      // Its bytes are subtracted from the account, which other transactions lock before a quiz.
      const owner = await this.accounts.lock(tx, ownerId);
      // A key works for a moment after its account is deleted, which announces no drafts.
      if (owner.deletedAt) throw new NotFound('Quiz');
      const quiz = await this.lock(expected, tx, ownerId, quizId);
      requireMayChange(actor, quiz.state === 'live');
      await tx.getRepository(Quiz).delete({ id: quiz.id });
      await this.events.emit(tx, 'quiz.deleted', ownerId, {
        quiz_id: quiz.id,
        title: quiz.title,
        deleted_at: this.clock.now().toISOString(),
      });
      const object = { kind: 'quiz', id: quiz.id, name: quiz.title };
      await this.audit.recordWithCredential(tx, actor, 'quiz.deleted', object);
      return quiz;
    });
  }

  /**
   * Allows only the owner (specification 4.7). With `isAdmin` it allows an administrator if the quiz is public.
   * @throws NotFound if there is no such quiz; Forbidden if it belongs to another account, and as `requireMayChange`
   */
  async requireOwner(
    actor: Actor,
    quizId: string,
    what = 'Import into a quiz of your own.',
    isAdmin = false,
  ) {
    const quiz = await this.find(quizId);
    if (quiz.ownerId !== actor.accountId && !(isAdmin && quiz.isPublic))
      throw new Forbidden(`This quiz belongs to another account. ${what}`, 'not-owner');
    requireMayChange(actor, quiz.isPublic);
  }

  private async find(quizId: string) {
    const select = { ownerId: true, isPublic: true } as const;
    return found(
      'Quiz',
      isId(quizId) && (await this.quizzes.findOne({ select, where: { id: quizId } })),
    );
  }

  /** Locks the account and the quiz: its last question is deleted before or after. @throws NotFound, Invalid */
  private async lockPlayable(
    tx: EntityManager,
    { accountId }: Actor,
    quizId: string,
  ): Promise<void> {
    await this.accounts.lock(tx, accountId);
    requirePlayable((await this.owned.lock(tx, accountId, quizId)).questionCount);
  }

  private async lock(expected: Expected, ...which: Parameters<OwnedQuizzesService['lock']>) {
    const quiz = await this.owned.lock(...which);
    requireExpected('quiz', quiz, expected);
    return quiz;
  }
}
