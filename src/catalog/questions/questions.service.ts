import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ReplicaRouter } from '../../platform/database/replicas';
import { found } from '../../platform/errors/domain-errors';
import { EMPTY_LIST, JsonText } from '../../platform/http/server/text-response';
import { isId } from '../../platform/text/ids';
import { browseQuestionWith } from '../fields.queries';
import { readFilter } from '../filters.queries';
import { rendered } from '../rendering/question-html';
import { RenderingService } from '../rendering/rendering.service';
import type { QuestionFormat } from '../vocabulary';
import { type BrowsePage, findQuestionJson, findQuestionPage } from './browse.queries';
import { countQuestions, findCountsJson, findExcluded } from './counts.queries';
import { readPageCursor } from './cursor.rules';
import {
  type BrowseQuestion,
  BrowseQuestionsQuery,
  type QuestionFilterQuery,
} from './questions.dto';
import { findShuffledPage } from './shuffle.queries';

/** A question with the fields that playing needs. */
type DrawnQuestion = BrowseQuestion & { format: QuestionFormat; language: string | null };

/** A seed for a shuffle that nobody has seen. */
export const newSeed = () => randomBytes(9).toString('base64url');

/** Browsing questions across all quizzes that a caller may see. */
@Injectable()
export class QuestionsService {
  constructor(
    private readonly database: ReplicaRouter,
    private readonly rendering: RenderingService,
  ) {}

  /**
   * @param seed shuffles all that match; absent: they follow the creation of their quizzes, then their positions
   * @param beside additional fields of each question
   */
  async browse(
    accountId: string,
    query: Omit<BrowseQuestionsQuery, 'random' | 'seed'>,
    seed?: string,
    beside: { format?: boolean; language?: boolean } = {},
  ): Promise<BrowsePage & { total: number }> {
    const fields = browseQuestionWith(beside);
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
              { ...query, after: readPageCursor(query.after, query.offset) },
              total,
              fields,
            )
          : await findShuffledPage(db, accountId, filter, query, totals, seed, excluded, fields);
      return { ...page, total };
    });
  }

  /** At most `count` random questions of those that match. */
  async draw(
    accountId: string,
    filter: Partial<
      Pick<QuestionFilterQuery, 'category' | 'difficulty' | 'type' | 'tags' | 'language'>
    >,
    count: number,
  ): Promise<DrawnQuestion[]> {
    const query = { ...new BrowseQuestionsQuery(), ...filter, limit: count };
    const { questions } = await this.browse(accountId, query, newSeed(), {
      format: true,
      language: true,
    });
    return JSON.parse(questions.text) as DrawnQuestion[];
  }

  /** QuestionCounts: how many questions match, in all and by category, difficulty and type. */
  countsJson(accountId: string, query: QuestionFilterQuery): Promise<JsonText> {
    return this.database.read(accountId, async (db) =>
      findCountsJson(db, accountId, await readFilter(db, query)),
    );
  }

  /** Adds HTML to a page of questions that have their `format`. */
  async withHtml({ text }: JsonText): Promise<JsonText> {
    const questions = JSON.parse(text) as (BrowseQuestion & { format: QuestionFormat })[];
    const texts = await this.rendering.forApi(questions);
    return new JsonText(JSON.stringify(questions.map((it) => rendered(it, texts))));
  }

  /** SingleQuestion. @throws NotFound */
  async getJson(accountId: string, id: string): Promise<JsonText> {
    const read = () => this.database.read(accountId, (db) => findQuestionJson(db, accountId, id));
    const { text, version } = found('Question', isId(id) && (await read()));
    const question = JSON.parse(text) as BrowseQuestion & { format: QuestionFormat };
    const texts = await this.rendering.forApi([question]);
    return new JsonText(JSON.stringify(rendered(question, texts)), version);
  }
}
