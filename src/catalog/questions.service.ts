import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ReadDatabase } from '../platform/database/reading/read-database';
import { EMPTY_LIST } from '../platform/http/json-text';
import {
  countQuestions,
  findQuestionPage,
  findShuffledPage,
  type QuestionFilter,
  type QuestionPage,
} from './browse.queries';
import type { BrowseQuestionsQuery } from './browse-questions.query';

/** Browsing questions across all quizzes that a caller may see. */
@Injectable()
export class QuestionsService {
  constructor(private readonly database: ReadDatabase) {}

  async browse(
    accountId: string,
    query: BrowseQuestionsQuery,
  ): Promise<QuestionPage & { total: number }> {
    const filter: QuestionFilter = {
      categories: query.category,
      difficulties: query.difficulty,
      types: query.type,
      tags: query.tags,
      tagsMatch: query.tags_match,
    };
    return this.database.read(accountId, async (db) => {
      const total = await countQuestions(db, accountId, filter);
      if (query.offset >= total) return { questions: EMPTY_LIST, count: 0, total };
      const page = query.random
        ? await this.shuffled(db, accountId, filter, query, total)
        : await findQuestionPage(db, accountId, filter, query);
      return { ...page, total };
    });
  }

  private shuffled(
    db: EntityManager,
    accountId: string,
    filter: QuestionFilter,
    { seed, limit, offset }: BrowseQuestionsQuery,
    total: number,
  ): Promise<QuestionPage> {
    // Without a seed each page is a draw of its own: the offset only says how much there is left to draw.
    const slice =
      seed === undefined
        ? { limit: Math.min(limit, total - offset), offset: 0 }
        : { limit, offset };
    const entry = seed === undefined ? Math.random() : fraction(seed);
    return findShuffledPage(db, accountId, filter, slice, { seed, total, entry });
  }
}

/** A number from 0 to 1 that the text decides. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}
