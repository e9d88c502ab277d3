import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, Repository } from 'typeorm';
import type { Account } from '../../access/accounts/account.entity';
import { AccountsService } from '../../access/accounts/accounts.service';
import type { Actor } from '../../access/audit/actor';
import { Question } from '../../catalog/questions/question.entity';
import {
  type OwnedQuestion,
  type OwnedQuiz,
  OwnedQuizzesService,
} from '../../catalog/quizzes/owned-quizzes.service';
import type { StoredQuestion } from '../../catalog/quizzes/quizzes.dto';
import { Clock } from '../../platform/clock';
import { Forbidden, found } from '../../platform/errors/domain-errors';
import {
  ANY_VERSION,
  type Expected,
  requireExpected,
} from '../../platform/http/request/precondition';
import { readBody } from '../../platform/http/request/validation.pipe';
import { isId } from '../../platform/text/ids';
import { requireMayChange } from '../review/live-quiz.rules';
import { OwnerEditsService, Unchanged } from '../review/owner-edits.service';
import { BatchImportService, toNewQuestion } from './batch-import.service';
import { requireShowable } from './markdown.rules';
import { isPermutation, movedBy, requireRoomFor } from './question.rules';
import { QuestionPicturesService } from './question-pictures.service';
import {
  deleteQuestions,
  findOrder,
  growth,
  recount,
  updateQuestion,
  writeOrder,
} from './question-writing.queries';
import { BatchQuestionInput, notAPermutation, QuestionInput } from './questions.dto';

/** A question that is changed. */
interface QuestionRef {
  quizId: string;
  questionId: string;
  /** Any version, if absent. */
  expected?: Expected;
}

type Work<T> = (tx: EntityManager, quiz: OwnedQuiz, owner: Account) => Promise<T | Unchanged<T>>;

/**
 * What owners do with the questions of a quiz. Each change locks the quiz first, like an append, so that the order
 * stays 1, 2, 3, … and the counts exact under concurrent writes. Quizzes of other accounts are not found. The review
 * status of the quiz does not change (docs/adr/0009). `within` is a transaction of the caller's.
 */
@Injectable()
export class QuestionEditingService {
  constructor(
    private readonly database: DataSource,
    @InjectRepository(Question) private readonly questions: Repository<Question>,
    private readonly accounts: AccountsService,
    private readonly owned: OwnedQuizzesService,
    private readonly batches: BatchImportService,
    private readonly edits: OwnerEditsService,
    private readonly pictures: QuestionPicturesService,
    private readonly clock: Clock,
  ) {}

  /** Appends a question, as a batch of one. @throws NotFound, PlanRequired, LimitExceeded */
  async add(actor: Actor, quizId: string, question: QuestionInput): Promise<StoredQuestion> {
    const [added] = await this.batches.import(actor, quizId, [question]);
    return added!;
  }

  /**
   * Replaces a question; its id and position stay, and so do the ids of answers whose text stays. The same question
   * changes nothing and is not announced.
   * @param edited the new question, or a function that makes it from the stored one
   * @throws NotFound; StaleVersion; PreconditionFailed; LimitExceeded
   */
  edit(
    actor: Actor,
    { quizId, questionId, expected = ANY_VERSION }: QuestionRef,
    edited: QuestionInput | ((stored: OwnedQuestion) => QuestionInput),
    within?: EntityManager,
  ): Promise<OwnedQuestion> {
    const work: Work<OwnedQuestion> = async (tx, quiz, owner) => {
      const question = await this.owned.question(tx, quiz.id, questionId);
      requireExpected('question', question, expected);
      const input = typeof edited === 'function' ? edited(question) : edited;
      await requireShowable([input], () => '');
      const change = { removed: [question], added: [input] };
      const bytes = growth(change);
      this.accounts.requireRoom(owner, bytes);
      requireRoomFor(quiz, { questions: 0, bytes });
      await this.pictures.require(tx, owner.id, [input], quiz.published, () => '');
      const isChanged = await updateQuestion(tx, question, toNewQuestion(input));
      if (!isChanged) return new Unchanged(question);
      await recount(tx, quiz.id, change, this.clock.now());
      return this.owned.question(tx, quiz.id, question.id);
    };
    return this.change(actor, quizId, work, within);
  }

  /**
   * Changes the given fields of a question, which must be valid together with those that stay. A batch needs two
   * accepted answers of an OPEN_ENDED question, and so do new answers here; stored ones may be a single one.
   * @throws NotFound; Invalid; PreconditionFailed; LimitExceeded
   */
  update(
    actor: Actor,
    question: QuestionRef,
    fields: Partial<QuestionInput>,
    within?: EntityManager,
  ): Promise<OwnedQuestion> {
    const shape = fields.answers === undefined ? QuestionInput : BatchQuestionInput;
    const merge = (stored: OwnedQuestion) => readBody(shape, { ...stored, ...fields });
    return this.edit(actor, question, merge, within);
  }

  /**
   * @returns the quiz of the question
   * @throws NotFound; Forbidden if it belongs to another account, and as `requireMayChange`
   */
  async requireOwner(actor: Actor, questionId: string): Promise<string> {
    const select = { quizId: true, ownerId: true, isPublic: true } as const;
    const { quizId, ownerId, isPublic } = found(
      'Question',
      isId(questionId) && (await this.questions.findOne({ select, where: { id: questionId } })),
    );
    if (ownerId !== actor.accountId)
      throw new Forbidden(
        'This question belongs to another account. Only its owner changes it.',
        'not-owner',
      );
    requireMayChange(actor, isPublic);
    return quizId;
  }

  /**
   * Deletes a question; later ones move up.
   * @returns the question as it was
   * @throws NotFound, PreconditionFailed
   */
  delete(
    actor: Actor,
    { quizId, questionId, expected = ANY_VERSION }: QuestionRef,
    within?: EntityManager,
  ): Promise<OwnedQuestion> {
    const work: Work<OwnedQuestion> = async (tx, quiz) => {
      const question = await this.owned.question(tx, quiz.id, questionId);
      requireExpected('question', question, expected);
      await deleteQuestions(tx, quiz.id, [question.id]);
      await recount(tx, quiz.id, { removed: [question] }, this.clock.now());
      return question;
    };
    return this.change(actor, quizId, work, within);
  }

  /** Deletes questions of a quiz in a transaction that has locked the account; later ones move up. @throws NotFound */
  deleteSome(
    tx: EntityManager,
    actor: Actor,
    quizId: string,
    questions: readonly StoredQuestion[],
  ): Promise<void> {
    const ids = questions.map(({ id }) => id);
    const work: Work<void> = async (_, quiz) => {
      await deleteQuestions(tx, quiz.id, ids);
      await recount(tx, quiz.id, { removed: questions }, this.clock.now());
    };
    return this.change(actor, quizId, work, tx);
  }

  /** Swaps a question with its neighbour; at the end nothing happens. @returns its new position of `count` @throws NotFound */
  move(
    actor: Actor,
    quizId: string,
    questionId: string,
    by: 'up' | 'down',
  ): Promise<{ id: string; position: number; count: number }> {
    return this.change(actor, quizId, async (tx, quiz) => {
      const { id } = await this.owned.question(tx, quiz.id, questionId);
      const order = movedBy(await findOrder(tx, quiz.id), id, by);
      const moved = { id, position: order.indexOf(id) + 1, count: order.length };
      const isChanged = await writeOrder(tx, quiz.id, order, this.clock.now());
      return isChanged ? moved : new Unchanged(moved);
    });
  }

  /**
   * Replaces a question and moves it to the end of another quiz of the owner. There it is a new one: its source and
   * licence stay, results stay with the old quiz.
   * @throws NotFound; StaleVersion; PreconditionFailed; PlanRequired; LimitExceeded; then nothing is changed
   */
  async moveTo(
    actor: Actor,
    question: QuestionRef,
    edited: QuestionInput,
    targetId: string,
  ): Promise<StoredQuestion> {
    await requireShowable([edited], () => '');
    return this.database.transaction(async (tx) => {
      const { source, licence } = await this.delete(actor, question, tx);
      const copy = { ...edited, source, licence };
      const [moved] = await this.batches.importIn(tx, actor, targetId, [copy]);
      return moved!;
    });
  }

  /**
   * Puts all questions in another order; nothing happens if they have it.
   * @param order the ids of all of them
   * @throws NotFound; PreconditionFailed; Invalid if the ids differ: one was added or deleted, or is listed twice
   */
  reorder(
    actor: Actor,
    { quizId, expected = ANY_VERSION }: { quizId: string; expected?: Expected },
    order: readonly string[],
    within?: EntityManager,
  ): Promise<void> {
    const work: Work<void> = async (tx, quiz) => {
      requireExpected('quiz', quiz, expected);
      const wanted = order.map((id) => id.toLowerCase());
      if (!isPermutation(wanted, await findOrder(tx, quiz.id))) throw notAPermutation();
      const isChanged = await writeOrder(tx, quiz.id, wanted, this.clock.now());
      return isChanged ? undefined : new Unchanged(undefined);
    };
    return this.change(actor, quizId, work, within);
  }

  private change<T>(
    actor: Actor,
    quizId: string,
    work: Work<T>,
    within?: EntityManager,
  ): Promise<T> {
    return (within ?? this.database).transaction(async (tx) => {
      const owner = await this.accounts.lock(tx, actor.accountId);
      return this.edits.edit(tx, owner, quizId, actor, (quiz) => work(tx, quiz, owner));
    });
  }
}
