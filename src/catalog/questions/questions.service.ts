import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ReplicaRouter } from '../../platform/database/replicas';
import { found } from '../../platform/errors/domain-errors';
import { EMPTY_LIST, type JsonText } from '../../platform/http/server/text-response';
import { isId } from '../../platform/text/ids';
import { readFilter } from '../filters.queries';
import { type BrowsePage, findQuestionJson, findQuestionPage } from './browse.queries';
import { countQuestions, findCountsJson, findExcluded } from './counts.queries';
import { readCursor } from './cursor.rules';
import {
  type BrowseQuestion,
  BrowseQuestionsQuery,
  type QuestionFilterQuery,
} from './questions.dto';
import { findShuffledPage } from './shuffle.queries';

/** A seed for a shuffle that nobody has seen. */
export const newSeed = () => randomBytes(9).toString('base64url');

/** Browsing questions across all quizzes that a caller may see. */
@Injectable()
export class QuestionsService {
  constructor(private readonly database: ReplicaRouter) {}

  /** @param seed shuffles all that match; absent: they are in the order of creation */
  async browse(
    accountId: string,
    query: Omit<BrowseQuestionsQuery, 'random' | 'seed'>,
    seed?: string,
  ): Promise<BrowsePage & { total: number }> {
    return this.database.read(accountId, async (db) => {
      const filter = await readFilter(db, query);
      const totals = await countQuestions(db, accountId, filter);
      const excluded = await findExcluded(db, accountId, filter);
      const total = Math.max(0, totals.ofEverybody + totals.own - excluded.length);
      if (query.offset >= total) return { questions: EMPTY_LIST, count: 0, total };
      const page =
        seed === undefined
          ? await findQuestionPage(
              db,
              accountId,
              filter,
              { ...query, after: readCursor(query.after) },
              total,
            )
          : await findShuffledPage(db, accountId, filter, query, totals, seed, excluded);
      return { ...page, total };
    });
  }

  /** At most `count` random questions of those that match. */
  async draw(
    accountId: string,
    filter: Partial<Pick<QuestionFilterQuery, 'category' | 'difficulty' | 'type' | 'tags'>>,
    count: number,
  ): Promise<BrowseQuestion[]> {
    const query = { ...new BrowseQuestionsQuery(), ...filter, limit: count };
    const { questions } = await this.browse(accountId, query, newSeed());
    return JSON.parse(questions.text) as BrowseQuestion[];
  }

  /** QuestionCounts: how many questions match, in all and by category, difficulty and type. */
  countsJson(accountId: string, query: QuestionFilterQuery): Promise<JsonText> {
    return this.database.read(accountId, async (db) =>
      findCountsJson(db, accountId, await readFilter(db, query)),
    );
  }

  /** SingleQuestion. @throws NotFound */
  async getJson(accountId: string, id: string): Promise<JsonText> {
    const read = () => this.database.read(accountId, (db) => findQuestionJson(db, accountId, id));
    return found('Question', isId(id) && (await read()));
  }
}
