import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { LIMITS } from '../../platform/limits/limits';
import {
  findQuestion,
  findQuestions,
  findQuizzes,
  QUIZ_STATES,
  STATE,
  type OwnedQuestion,
  type OwnedQuiz,
  type QuizState,
} from './owned-quizzes.queries';

export { QUIZ_STATES };
export type { OwnedQuestion, OwnedQuiz, QuizState };

/** A quiz with a page of its questions in order. */
export type OwnedQuizDetail = OwnedQuiz & { questions: OwnedQuestion[] };

type Page = { limit: number; offset: number };
const WHOLE: Page = { limit: LIMITS.content.questionsPerQuiz.value, offset: 0 };

/** Quizzes as their owners see them: in whichever state, with what is needed to edit them. */
@Injectable()
export class OwnedQuizzesService {
  constructor(private readonly database: DataSource) {}

  async countByState(accountId: string): Promise<Record<QuizState, number>> {
    const rows = await this.database.query<{ state: QuizState; quizzes: number }[]>(
      `SELECT ${STATE} AS state, count(*)::int AS quizzes FROM quizzes WHERE owner_id = $1 GROUP BY state`,
      [accountId],
    );
    const counts = { draft: 0, waiting: 0, live: 0, rejected: 0 };
    for (const { state, quizzes } of rows) counts[state] = quizzes;
    return counts;
  }

  /** How many each of these accounts owns; an account that owns none is not in it. */
  async countByOwner(accountIds: string[]): Promise<Map<string, number>> {
    const rows = await this.database.query<{ owner: string; quizzes: number }[]>(
      `SELECT owner_id AS owner, count(*)::int AS quizzes FROM quizzes WHERE owner_id = ANY ($1) GROUP BY owner_id`,
      [accountIds],
    );
    return new Map(rows.map(({ owner, quizzes }) => [owner, quizzes]));
  }

  /** A page of the account's quizzes, the newest first. @param state null: in any */
  list(accountId: string, state: QuizState | null, page: Page): Promise<OwnedQuiz[]> {
    return findQuizzes(
      this.database.manager,
      `owner_id = $1 AND ($2::text IS NULL OR ${STATE} = $2)
       ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4`,
      [accountId, state, page.limit, page.offset],
    );
  }

  /** One of the account's quizzes. @throws NotFound */
  get(accountId: string, quizId: string): Promise<OwnedQuiz> {
    return this.only(this.database.manager, 'id = $2 AND owner_id = $1', [accountId, quizId]);
  }

  /** The same with a page of its questions. @throws NotFound */
  getDetail(accountId: string, quizId: string, page = WHOLE): Promise<OwnedQuizDetail> {
    return this.detail('id = $2 AND owner_id = $1', [accountId, quizId], page);
  }

  /** Any quiz that its owner has published, whatever the review said: for the review. @throws NotFound */
  getPublished(quizId: string, page = WHOLE): Promise<OwnedQuizDetail> {
    return this.detail('id = $1 AND published', [quizId], page);
  }

  private detail(condition: string, values: string[], page: Page): Promise<OwnedQuizDetail> {
    return this.database.transaction('REPEATABLE READ', async (tx) => {
      const quiz = await this.only(tx, condition, values);
      return { ...quiz, questions: await findQuestions(tx, quiz.id, page) };
    });
  }

  /**
   * One of the account's quizzes, locked until the transaction ends: whoever changes its questions or its
   * texts comes one after the other.
   * @throws NotFound
   */
  lock(tx: EntityManager, accountId: string, quizId: string): Promise<OwnedQuiz> {
    return this.only(tx, 'id = $2 AND owner_id = $1 FOR NO KEY UPDATE', [accountId, quizId]);
  }

  /** A question of a quiz that was found or locked as the account's. @throws NotFound */
  async question(tx: EntityManager, quizId: string, questionId: string): Promise<OwnedQuestion> {
    const question = isId(questionId) ? await findQuestion(tx, quizId, questionId) : null;
    if (!question) throw new NotFound('Question');
    return question;
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

  private async only(tx: EntityManager, condition: string, values: string[]): Promise<OwnedQuiz> {
    const [quiz] = values.every(isId) ? await findQuizzes(tx, condition, values) : [];
    if (!quiz) throw new NotFound('Quiz');
    return quiz;
  }
}
