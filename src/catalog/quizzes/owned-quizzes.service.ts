import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Slice } from '../../platform/database/sql';
import { found } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { isId } from '../../platform/text/ids';
import type { QuizState } from '../vocabulary';
import {
  countByCategory,
  countByOwner,
  countByState,
  countOwnedQuizzes,
  findOwnedQuestion,
  findOwnedQuestions,
  findOwnedQuiz,
  findOwnedQuizzes,
  findPublishedQuiz,
  findTitle,
  findUsualLanguages,
  lockOwnedQuiz,
  type OwnedFilter,
  type OwnedQuestion,
  type OwnedQuiz,
  type OwnedSort,
} from './owned-quizzes.queries';

export type { OwnedFilter, OwnedQuestion, OwnedQuiz, OwnedSort };

/** A quiz with one page of its questions in order. */
export type OwnedQuizDetail = OwnedQuiz & { questions: OwnedQuestion[] };

const WHOLE: Slice = { limit: LIMITS.content.questionsPerQuiz.value, offset: 0 };

/** Quizzes as their owners see them: in any state, with what is needed to edit them. */
@Injectable()
export class OwnedQuizzesService {
  constructor(private readonly database: DataSource) {}

  async countByState(accountId: string): Promise<Record<QuizState, number>> {
    const counts = { draft: 0, pending: 0, live: 0, rejected: 0 };
    for (const { state, quizzes } of await countByState(this.database, accountId))
      counts[state] = quizzes;
    return counts;
  }

  /** How many each of these accounts owns; an account that owns none is not in it. */
  async countByOwner(accountIds: string[]): Promise<Map<string, number>> {
    const rows = await countByOwner(this.database, accountIds);
    return new Map(rows.map(({ owner, quizzes }) => [owner, quizzes]));
  }

  /** The account's categories in their order, with how many of its quizzes each has. */
  countByCategory(accountId: string): Promise<{ category: string; quizzes: number }[]> {
    return countByCategory(this.database, accountId);
  }

  /** The languages that the account writes in, that of its last quiz first. */
  async usualLanguages(accountId: string): Promise<string[]> {
    const rows = await findUsualLanguages(this.database, accountId);
    return rows.map(({ language }) => language);
  }

  /**
   * A page of the account's quizzes that match.
   * @param accountId null: any account's, for administrators
   */
  list(accountId: string | null, filter: OwnedFilter, page: Slice): Promise<OwnedQuiz[]> {
    return findOwnedQuizzes(this.database, accountId, filter, page);
  }

  /** How many match, up to LIMITS.requests.countedOwn. */
  count(accountId: string | null, filter: OwnedFilter): Promise<number> {
    return countOwnedQuizzes(this.database, accountId, filter);
  }

  /** One of the account's quizzes. @throws NotFound */
  get(accountId: string, quizId: string): Promise<OwnedQuiz> {
    return this.getIn(this.database.manager, accountId, quizId);
  }

  /** The same with a page of its questions. @throws NotFound */
  getDetail(accountId: string, quizId: string, page = WHOLE): Promise<OwnedQuizDetail> {
    return this.detail((tx) => this.getIn(tx, accountId, quizId), page);
  }

  /** Any quiz that its owner has published, whatever the review decided: for the review. @throws NotFound */
  getPublished(quizId: string, page = WHOLE): Promise<OwnedQuizDetail> {
    return this.detail(
      async (tx) => found('Quiz', isId(quizId) && (await findPublishedQuiz(tx, quizId))),
      page,
    );
  }

  private detail(
    find: (tx: EntityManager) => Promise<OwnedQuiz>,
    page: Slice,
  ): Promise<OwnedQuizDetail> {
    return this.database.transaction('REPEATABLE READ', async (tx) => {
      const quiz = await find(tx);
      return { ...quiz, questions: await this.questions(tx, quiz.id, page) };
    });
  }

  /** Those of a quiz that was found or locked as the account's, in order. */
  questions(tx: EntityManager, quizId: string, page = WHOLE): Promise<OwnedQuestion[]> {
    return findOwnedQuestions(tx, quizId, page);
  }

  /**
   * One of the account's quizzes, locked until the transaction ends, so that changes of its questions or texts run
   * one after the other.
   * @throws NotFound
   */
  async lock(tx: EntityManager, accountId: string, quizId: string): Promise<OwnedQuiz> {
    const areIds = isId(accountId) && isId(quizId);
    return found('Quiz', areIds && (await lockOwnedQuiz(tx, accountId, quizId)));
  }

  /** The title of a quiz that is locked. */
  titleOf(tx: EntityManager, quizId: string): Promise<string> {
    return findTitle(tx, quizId);
  }

  /** A question of a quiz that was found or locked as the account's. @throws NotFound */
  async question(tx: EntityManager, quizId: string, questionId: string): Promise<OwnedQuestion> {
    const question = isId(questionId) && (await findOwnedQuestion(tx, quizId, questionId));
    return found('Question', question);
  }

  /** A question of one of the account's quizzes, with the quiz. @throws NotFound */
  async getQuestion(
    accountId: string,
    quizId: string,
    questionId: string,
  ): Promise<{ quiz: OwnedQuiz; question: OwnedQuestion }> {
    const quiz = await this.get(accountId, quizId);
    return { quiz, question: await this.question(this.database.manager, quiz.id, questionId) };
  }

  private async getIn(tx: EntityManager, accountId: string, quizId: string): Promise<OwnedQuiz> {
    const areIds = isId(accountId) && isId(quizId);
    return found('Quiz', areIds && (await findOwnedQuiz(tx, accountId, quizId)));
  }
}
