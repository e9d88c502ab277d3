import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import {
  countQuestions,
  findQuestionPage,
  findShuffledPage,
  type QuestionFilter,
} from './browse.queries';
import type { BrowseQuestionsQuery } from './browse-questions.query';
import type { BrowseRow } from './responses';

/** Browsing questions across all quizzes that a caller may see. */
@Injectable()
export class QuestionsService {
  constructor(@InjectEntityManager() private readonly database: EntityManager) {}

  async browse(
    accountId: string,
    query: BrowseQuestionsQuery,
  ): Promise<{ questions: BrowseRow[]; total: number }> {
    const filter: QuestionFilter = {
      categories: query.category,
      difficulties: query.difficulty,
      types: query.type,
      tags: query.tags,
      tagsMatch: query.tags_match,
    };
    const total = await countQuestions(this.database, accountId, filter);
    if (query.offset >= total) return { questions: [], total };
    const questions = query.random
      ? await this.shuffled(accountId, filter, query, total)
      : await findQuestionPage(this.database, accountId, filter, query);
    return { questions, total };
  }

  private shuffled(
    accountId: string,
    filter: QuestionFilter,
    { seed, limit, offset }: BrowseQuestionsQuery,
    total: number,
  ): Promise<BrowseRow[]> {
    // Without a seed each page is a draw of its own: the offset only says how much there is left to draw.
    const slice =
      seed === undefined
        ? { limit: Math.min(limit, total - offset), offset: 0 }
        : { limit, offset };
    const entry = seed === undefined ? Math.random() : fraction(seed);
    return findShuffledPage(this.database, accountId, filter, slice, { seed, total, entry });
  }
}

/** A number from 0 to 1 that the text decides. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}
