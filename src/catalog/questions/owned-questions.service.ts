import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { fold } from '../../platform/text/text.rules';
import { readFilter } from '../filters.queries';
import { cursorOf, readCursor } from './cursor.rules';
import {
  countListedQuestions,
  findListedQuestions,
  type ListedQuestion,
} from './owned-questions.queries';
import { QuestionFilterQuery } from './questions.dto';

export type { ListedQuestion };

/** Which of an account's questions; '' for any. */
export interface OwnedQuestionFilter {
  text: string;
  category: string;
}

/** All questions of an account, in whatever quiz. */
@Injectable()
export class OwnedQuestionsService {
  constructor(private readonly database: DataSource) {}

  /**
   * A page of those that match, and how many do, up to LIMITS.requests.countedOwn.
   * @param after `next` of the page before
   */
  async list(
    accountId: string,
    { text, category }: OwnedQuestionFilter,
    { limit, after }: { limit: number; after: string },
  ): Promise<{ questions: ListedQuestion[]; total: number; next?: string }> {
    const { manager } = this.database;
    const filter = await readFilter(manager, {
      ...new QuestionFilterQuery(),
      category: fold(category) ? [fold(category)] : [],
      ...(fold(text) && { text: fold(text) }),
    });
    const [found, total] = await Promise.all([
      findListedQuestions(manager, accountId, filter, {
        limit: limit + 1,
        after: readCursor(after),
      }),
      countListedQuestions(manager, accountId, filter),
    ]);
    const questions = found.slice(0, limit);
    const last = questions.at(-1);
    if (found.length <= limit || !last) return { questions, total };
    return { questions, total, next: cursorOf({ quiz_id: last.quizId, position: last.position }) };
  }
}
