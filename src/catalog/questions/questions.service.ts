import { Injectable } from '@nestjs/common';
import { ReplicaRouter } from '../../platform/database/replica-router';
import { EMPTY_LIST } from '../../platform/http/server/text-response';
import { countQuestions, findQuestionPage, type QuestionPage } from './browse.queries';
import type { BrowseQuestionsQuery } from '../catalog.requests';
import { readFilter } from './filters.queries';
import { findShuffledPage } from './shuffle.queries';

/** Browsing questions across all quizzes that a caller may see. */
@Injectable()
export class QuestionsService {
  constructor(private readonly database: ReplicaRouter) {}

  /** @param seed shuffles them; absent: they are in the order of creation */
  async browse(
    accountId: string,
    query: BrowseQuestionsQuery,
    seed?: string,
  ): Promise<QuestionPage & { total: number }> {
    return this.database.read(accountId, async (db) => {
      const filter = await readFilter(db, query);
      const totals = await countQuestions(db, accountId, filter);
      const total = totals.everybodys + totals.mine;
      if (query.offset >= total) return { questions: EMPTY_LIST, count: 0, total };
      const page =
        seed === undefined
          ? await findQuestionPage(db, accountId, filter, query, totals)
          : await findShuffledPage(db, accountId, filter, query, totals, seed);
      return { ...page, total };
    });
  }
}
