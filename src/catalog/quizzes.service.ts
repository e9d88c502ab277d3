import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { NotFound } from '../platform/domain-errors';
import { isId } from '../platform/ids';
import { EMPTY_LIST, type JsonText } from '../platform/http/json-text';
import { findQuizDetail, findQuizDetailJson } from './quiz-detail.queries';
import type { ListQuizzesQuery } from './list-quizzes.query';
import { countQuizzes, findQuizPage, type QuizFilter } from './quiz-list.queries';
import type { QuestionRow, QuizListRow } from './responses';

/** Reading quizzes as a caller may see them. */
@Injectable()
export class QuizzesService {
  constructor(@InjectEntityManager() private readonly database: EntityManager) {}

  /** A page of QuizListItem, and how many there are over all pages. */
  async list(
    accountId: string,
    query: ListQuizzesQuery,
  ): Promise<{ quizzes: JsonText; total: number }> {
    const filter: QuizFilter = {
      category: query.category,
      difficulty: query.difficulty,
      tags: query.tags,
      tagsMatch: query.tags_match,
      topic: query.topic,
    };
    const total = await countQuizzes(this.database, accountId, filter);
    const quizzes =
      query.offset < total
        ? await findQuizPage(this.database, accountId, filter, query)
        : EMPTY_LIST;
    return { quizzes, total };
  }

  /** QuizDetail. @throws NotFound */
  async getJson(accountId: string, id: string): Promise<JsonText> {
    const quiz = isId(id) ? await findQuizDetailJson(this.database, accountId, id) : null;
    if (!quiz) throw new NotFound('Quiz');
    return quiz;
  }

  /** @returns null for an unknown id and for a quiz that the caller may not see */
  async find(
    accountId: string,
    id: string,
  ): Promise<(QuizListRow & { questions: QuestionRow[] }) | null> {
    return isId(id) ? findQuizDetail(this.database, accountId, id) : null;
  }

  /** @throws NotFound */
  async get(accountId: string, id: string): Promise<QuizListRow & { questions: QuestionRow[] }> {
    const quiz = await this.find(accountId, id);
    if (!quiz) throw new NotFound('Quiz');
    return quiz;
  }
}
