import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { queryPrepared } from '../../platform/database/sql';
import { NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { fold } from '../../platform/text/text.rules';
import type { QuizState } from '../vocabulary';
import { LIMITS } from '../../platform/limits/limits';
import type { QuestionRow } from './quizzes.dto';
import { hasTopic } from '../filters.queries';
import { Parameters } from '../sql';
import type { Quiz } from './quiz.entity';
import { QUESTION_VERSION } from '../fields.queries';
import { QUIZ_STATE as STATE, QUIZ_VERSION } from './quiz.queries';

/** What the database derives from other columns or keeps for itself. */
type DerivedFields = 'titleSort' | 'categoryKey' | 'tagKeys' | 'isPublic' | 'firstPublicAt';

/** A quiz as its owner sees it in a list. */
export interface OwnedQuiz extends Omit<Quiz, DerivedFields> {
  state: QuizState;
  /** Of its questions, as questionBytes counts them. */
  contentBytes: number;
  plays: number;
  /**
   * Identifies the editable content (title, description, category, difficulty, tags, rules of play): a hash of the
   * content itself, so that it changes with it, whoever changes it.
   */
  version: string;
  /** The version of the quiz as a whole, with its questions and its state: what its ETag begins with. */
  revision: string;
}

/** A question as its owner edits it. `version` as for a quiz. */
export interface OwnedQuestion extends QuestionRow {
  version: string;
}

const COLUMNS = `id, owner_id AS "ownerId", title, description, category, category_id AS "categoryId", difficulty, tags, slug,
  ${STATE} AS state, published, featured, approval, rejection_reason AS "rejectionReason",
  question_count AS "questionCount", content_bytes AS "contentBytes", plays::float8 AS plays,
  written_by AS "writtenBy",
  time_limit AS "timeLimit", max_attempts AS "maxAttempts",
  changed_since_approval_at AS "changedSinceApprovalAt", created_at AS "createdAt", updated_at AS "updatedAt",
  md5(ROW(title, description, category, category_id, difficulty, tags, time_limit, max_attempts)::text) AS version,
  ${QUIZ_VERSION} AS revision`;
const QUIZ = `SELECT ${COLUMNS} FROM quizzes`;

const TITLE = `SELECT title FROM quizzes WHERE id = $1`;

const QUESTION = `
SELECT id, text, type, difficulty, explanation, position, answers,
  ${QUESTION_VERSION} AS version
FROM questions q`;

const SORTS = {
  changed: 'updated_at DESC',
  newest: 'id DESC',
  title: 'title_sort',
  plays: 'plays DESC',
  questions: 'question_count DESC',
} as const;
export type OwnedSort = keyof typeof SORTS;

export interface OwnedFilter {
  state?: QuizState | null;
  /** Ignoring case; '' for any. */
  category?: string;
  /** In the title, the description or a tag, as others see them; '' for any. */
  search?: string;
  sort?: OwnedSort;
}

/**
 * The quizzes of one account, or of all (null). It has only the conditions that are asked for: with `$1 = '' OR …` a search read every quiz of the service, 1.2 s at a million.
 */
function matching(accountId: string | null, filter: OwnedFilter, sql: Parameters): string {
  const { state, category = '', search = '' } = filter;
  const [key, topic] = [fold(category), fold(search)];
  const conditions = [
    state && `${STATE} = ${sql.add(state)}`,
    key && `category_key = ${sql.add(key)}`,
    topic && `id IN (SELECT quiz_id FROM quiz_search WHERE ${hasTopic(topic, sql)})`,
    // What follows from the first two, so that the partial indexes are used.
    accountId === null && state && state !== 'live' && 'NOT is_public',
    accountId === null && key && '(is_public OR NOT is_public)',
  ].filter(Boolean);
  const owned = accountId === null ? 'true' : `owner_id = ${sql.add(accountId)}`;
  return `FROM quizzes WHERE ${[owned, ...conditions].join(' AND ')}`;
}

/** A quiz with one page of its questions in order. */
export type OwnedQuizDetail = OwnedQuiz & { questions: OwnedQuestion[] };

type Page = { limit: number; offset: number };
const WHOLE: Page = { limit: LIMITS.content.questionsPerQuiz.value, offset: 0 };

/** Quizzes as their owners see them: in any state, with what is needed to edit them. */
@Injectable()
export class OwnedQuizzesService {
  constructor(private readonly database: DataSource) {}

  async countByState(accountId: string): Promise<Record<QuizState, number>> {
    const rows = await this.database.query<{ state: QuizState; quizzes: number }[]>(
      `SELECT ${STATE} AS state, count(*)::int AS quizzes FROM quizzes WHERE owner_id = $1 GROUP BY state`,
      [accountId],
    );
    const counts = { draft: 0, pending: 0, live: 0, rejected: 0 };
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

  /** The account's categories in their order, with how many of its quizzes each has. */
  countByCategory(accountId: string): Promise<{ category: string; quizzes: number }[]> {
    return this.database.query(
      `SELECT category, count(*)::int AS quizzes FROM quizzes WHERE owner_id = $1 AND category <> ''
       GROUP BY category ORDER BY category LIMIT 500`,
      [accountId],
    );
  }

  /**
   * A page of the account's quizzes that match.
   * @param accountId null: any account's, for administrators. `newest` alone then reads no more than the page.
   */
  list(accountId: string | null, { sort = 'changed', ...filter }: OwnedFilter, page: Page) {
    const sql = new Parameters();
    return this.database.query<OwnedQuiz[]>(
      `SELECT ${COLUMNS} ${matching(accountId, filter, sql)} ORDER BY ${SORTS[sort]}, id DESC
       LIMIT ${sql.add(page.limit)} OFFSET ${sql.add(page.offset)}`,
      sql.values,
    );
  }

  /** How many match, up to ten thousand. */
  async count(accountId: string | null, filter: OwnedFilter): Promise<number> {
    const sql = new Parameters();
    const [row] = await this.database.query<[{ total: number }]>(
      `SELECT count(*)::int AS total FROM (SELECT ${matching(accountId, filter, sql)} LIMIT 10000) AS found`,
      sql.values,
    );
    return row.total;
  }

  /** One of the account's quizzes. @throws NotFound */
  get(accountId: string, quizId: string): Promise<OwnedQuiz> {
    return this.only(this.database.manager, 'id = $2 AND owner_id = $1', [accountId, quizId]);
  }

  /** The same with a page of its questions. @throws NotFound */
  getDetail(accountId: string, quizId: string, page = WHOLE): Promise<OwnedQuizDetail> {
    return this.detail('id = $2 AND owner_id = $1', [accountId, quizId], page);
  }

  /** Any quiz that its owner has published, whatever the review decided: for the review. @throws NotFound */
  getPublished(quizId: string, page = WHOLE): Promise<OwnedQuizDetail> {
    return this.detail('id = $1 AND published', [quizId], page);
  }

  private detail(condition: string, values: string[], page: Page): Promise<OwnedQuizDetail> {
    return this.database.transaction('REPEATABLE READ', async (tx) => {
      const quiz = await this.only(tx, condition, values);
      return { ...quiz, questions: await this.questions(tx, quiz.id, page) };
    });
  }

  /** Those of a quiz that was found or locked as the account's, in order. */
  questions(tx: EntityManager, quizId: string, page = WHOLE): Promise<OwnedQuestion[]> {
    return tx.query<OwnedQuestion[]>(
      `${QUESTION} WHERE quiz_id = $1 AND position > $2 ORDER BY position LIMIT $3`,
      [quizId, page.offset, page.limit],
    );
  }

  /**
   * One of the account's quizzes, locked until the transaction ends, so that changes of its questions or texts run
   * one after the other.
   * @throws NotFound
   */
  lock(tx: EntityManager, accountId: string, quizId: string): Promise<OwnedQuiz> {
    const values = [accountId, quizId];
    return this.only(tx, 'id = $2 AND owner_id = $1 FOR NO KEY UPDATE', values);
  }

  /** The title of a quiz that is locked. */
  async titleOf(tx: EntityManager, quizId: string): Promise<string> {
    const [quiz] = await queryPrepared<[{ title: string }]>(tx, TITLE, [quizId]);
    return quiz.title;
  }

  /** A question of a quiz that was found or locked as the account's. @throws NotFound */
  async question(tx: EntityManager, quizId: string, questionId: string): Promise<OwnedQuestion> {
    const [question] = isId(questionId)
      ? await tx.query<OwnedQuestion[]>(`${QUESTION} WHERE quiz_id = $1 AND id = $2`, [
          quizId,
          questionId,
        ])
      : [];
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
    const [quiz] = values.every(isId)
      ? await queryPrepared<OwnedQuiz[]>(tx, `${QUIZ} WHERE ${condition}`, values)
      : [];
    if (!quiz) throw new NotFound('Quiz');
    return quiz;
  }
}
