import { Injectable } from '@nestjs/common';
import { ReplicaRouter } from '../../platform/database/replicas';
import { found, Malformed } from '../../platform/errors/domain-errors';
import { EMPTY_LIST, JsonText } from '../../platform/http/server/text-response';
import { isId } from '../../platform/text/ids';
import { readFilter } from '../filters.queries';
import { RenderingService } from '../rendering/rendering.service';
import {
  countQuizzes,
  findAttributions,
  findQuizDetail,
  findQuizDetailJson,
  findQuizPage,
  type QuizWithQuestions,
} from './quiz.queries';
import type { ListQuizzesQuery } from './quizzes.dto';
import { toRenderedQuiz } from './rendered-quiz';

/** The source and licence of a question; unknown ones are absent. */
export interface Attribution {
  source?: string;
  licence?: string;
}

/** Reading quizzes as a caller may see them. */
@Injectable()
export class QuizzesService {
  constructor(
    private readonly database: ReplicaRouter,
    private readonly rendering: RenderingService,
  ) {}

  /** A page of QuizListItem, and how many there are over all pages. @throws Malformed */
  async list(
    accountId: string,
    query: ListQuizzesQuery,
  ): Promise<{ quizzes: JsonText; total: number }> {
    if (query.state && !query.mine)
      throw new Malformed(
        'state needs mine=true: it filters your own quizzes only.',
        'invalid-parameter',
      );
    return this.database.read(accountId, async (db) => {
      const filter = await readFilter(db, query);
      const total = await countQuizzes(db, accountId, filter, query);
      const quizzes =
        query.offset < total ? await findQuizPage(db, accountId, filter, query, total) : EMPTY_LIST;
      return { quizzes, total };
    });
  }

  /** QuizDetail. @throws NotFound */
  async getJson(accountId: string, id: string, language = false): Promise<JsonText<Buffer>> {
    const read = () =>
      this.database.read(accountId, (db) => findQuizDetailJson(db, accountId, id, language));
    return found('Quiz', isId(id) && (await read()));
  }

  /** QuizDetail with HTML. @throws NotFound */
  async getWithHtml(accountId: string, id: string, language = false): Promise<JsonText> {
    const quiz = await this.get(accountId, id);
    const texts = await this.rendering.forApi(quiz.questions);
    const shown = {
      ...toRenderedQuiz(quiz, texts),
      ...(language && { language: quiz.language }),
    };
    return new JsonText(JSON.stringify(shown), quiz.version);
  }

  /** @returns null for an unknown id and for a quiz that the caller may not see */
  async find(accountId: string, id: string): Promise<QuizWithQuestions | null> {
    if (!isId(id)) return null;
    return this.database.read(accountId, (db) => findQuizDetail(db, accountId, id));
  }

  /** @throws NotFound */
  async get(accountId: string, id: string): Promise<QuizWithQuestions> {
    return found('Quiz', await this.find(accountId, id));
  }

  /**
   * The source and licence of each question that has one, by its id; no response of the specification contains them. The
   * caller has checked that the account may see the quiz.
   */
  async attributions(accountId: string, quizId: string): Promise<Map<string, Attribution>> {
    const rows = await this.database.read(accountId, (db) => findAttributions(db, quizId));
    return new Map(
      rows.map(({ id, source, licence }) => [
        id,
        { ...(source && { source }), ...(licence && { licence }) },
      ]),
    );
  }
}
