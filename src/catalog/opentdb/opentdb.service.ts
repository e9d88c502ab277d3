import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { QuestionTokens } from '../../access/attempt-limits/question-tokens.service';
import { Clock } from '../../platform/clock';
import { ContentChanges } from '../../platform/database/content-changes';
import { ReplicaRouter } from '../../platform/database/replicas';
import type { Sql } from '../../platform/database/sql';
import { withTtl } from '../discovery/discovery.service';
import type { CatalogFilter } from '../filters.queries';
import { newSeed } from '../questions/questions.service';
import {
  countServed,
  drawServed,
  findNumberedCategories,
  findServed,
  type NumberedCategory,
  type ServedCount,
} from './opentdb.queries';
import {
  CODE,
  DIFFICULTIES_OF,
  GENERAL_KNOWLEDGE,
  type OpenTdbDifficulty,
  openTdbDifficulty,
  type OpenTdbQuestion,
  openTdbQuestion,
  type QuestionsRequest,
  TYPE_OF,
} from './opentdb.rules';

/** What api.php sends. */
interface Drawn {
  code: number;
  ids: string[];
  questions: OpenTdbQuestion[];
}

/** How many questions of a category there are, in all and by difficulty. */
export type QuestionCount = Record<'total' | OpenTdbDifficulty, number>;

const nothing = (code: number): Drawn => ({ code, ids: [], questions: [] });

/** The public questions in the shape of OpenTDB: multiple choice with one correct answer, and true or false. */
@Injectable()
export class OpenTdbService {
  private readonly numbered: () => Promise<NumberedCategory[]>;
  private readonly counts: () => Promise<ServedCount[]>;

  constructor(
    private readonly database: ReplicaRouter,
    private readonly tokens: QuestionTokens,
    clock: Clock,
    changes: ContentChanges,
  ) {
    const cached = <T>(read: (db: EntityManager) => Promise<T>) =>
      withTtl(clock, changes, () => database.read(null, read));
    this.numbered = cached(findNumberedCategories);
    this.counts = cached(countServed);
  }

  /** Random questions, each once for a token. */
  async questions(request: QuestionsRequest): Promise<Pick<Drawn, 'code' | 'questions'>> {
    const filter = await this.filterOf(request);
    // Before the transaction: within it this would wait for a second connection.
    const numberOf = numbersByKey(await this.numbered());
    const { token } = request;
    if (token === undefined)
      return this.database.read(null, (db) => this.draw(db, request, filter, numberOf, null));
    const drawn = await this.tokens.use(token, (tx, given) =>
      this.draw(tx, request, filter, numberOf, given),
    );
    if (drawn === 'unknown') return nothing(CODE.tokenNotFound);
    return drawn === 'full' ? nothing(CODE.tokenEmpty) : drawn;
  }

  /** By their numbers. Everything that is in none of them is general knowledge. */
  async categories(): Promise<{ id: number; name: string }[]> {
    const numbered = await this.numbered();
    const others = numbered.filter(({ number }) => number !== GENERAL_KNOWLEDGE.id);
    return [GENERAL_KNOWLEDGE, ...others.map(({ number, name }) => ({ id: number, name }))];
  }

  /** Of each category, by its number. */
  async countByCategory(): Promise<Map<number, QuestionCount>> {
    const counts = new Map<number, QuestionCount>();
    for (const { id } of await this.categories())
      counts.set(id, { total: 0, easy: 0, medium: 0, hard: 0 });
    const numberOf = numbersByKey(await this.numbered());
    for (const { key, difficulty, questions } of await this.counts()) {
      const count = counts.get(numberOf.get(key)?.number ?? GENERAL_KNOWLEDGE.id);
      if (!count) continue;
      count.total += questions;
      count[openTdbDifficulty(difficulty)] += questions;
    }
    return counts;
  }

  /** Null if there is no such category, or nothing in it. */
  private async filterOf(request: QuestionsRequest): Promise<CatalogFilter | null> {
    const categories = request.category === undefined ? [] : await this.keysOf(request.category);
    if (request.category !== undefined && categories.length === 0) return null;
    return {
      categories,
      difficulties: request.difficulty ? DIFFICULTIES_OF[request.difficulty] : [],
      types: request.type ? [TYPE_OF[request.type]] : Object.values(TYPE_OF),
      tags: [],
      tagsMatch: 'any',
      languages: [],
      exclude: [],
    };
  }

  /** The folded names of what counts as this category. */
  private async keysOf(category: number): Promise<string[]> {
    const numbered = await this.numbered();
    const own = numbered.filter(({ number }) => number === category).map(({ key }) => key);
    if (category !== GENERAL_KNOWLEDGE.id) return own;
    const known = numbersByKey(numbered);
    const used = new Set((await this.counts()).map(({ key }) => key));
    return [...own, ...[...used].filter((key) => !known.has(key))];
  }

  private async draw(
    db: EntityManager,
    { amount }: QuestionsRequest,
    filter: CatalogFilter | null,
    numberOf: ReturnType<typeof numbersByKey>,
    given: Sql | null,
  ): Promise<Drawn> {
    if (!filter) return nothing(CODE.noResults);
    const counts = await countServed(db, filter);
    const total = counts.reduce((sum, { questions }) => sum + questions, 0);
    if (total < amount) return nothing(CODE.noResults);
    const ids = await drawServed(db, filter, amount, newSeed(), given);
    if (ids.length < amount) return nothing(given ? CODE.tokenEmpty : CODE.noResults);
    const questions = (await findServed(db, ids)).map((question) => {
      const category = numberOf.get(question.key);
      const isGeneral = !category || category.number === GENERAL_KNOWLEDGE.id;
      return openTdbQuestion(question, isGeneral ? GENERAL_KNOWLEDGE.name : category.name);
    });
    return { code: CODE.success, ids, questions };
  }
}

const numbersByKey = (numbered: readonly NumberedCategory[]) =>
  new Map(numbered.map((category) => [category.key, category]));
