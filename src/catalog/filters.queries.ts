import type { EntityManager } from 'typeorm';
import { isAny, join, type Sql, sql } from '../platform/database/sql';
import type { QuestionFilterQuery } from './questions/questions.dto';
import type { ListQuizzesQuery } from './quizzes/quizzes.dto';
import {
  EACH_UP_TO,
  languageKeys,
  mostUsedFirst,
  quizzesInLanguages,
  quizzesWithTags,
  type TagFilter,
  widestOf,
} from './tag-filter.queries';
import { contentContains, hasText, locateText, type TextFilter } from './text-filter.queries';
import type { Difficulty, QuestionType } from './vocabulary';

/** What a row's quiz matches: see `quizzesAmong`. */
interface FilterOfQuizzes extends TagFilter {
  /** Text that the quiz's title, description or a tag contains. */
  topic?: string;
}

/** The filter of quizzes or questions. Names and the topic are folded; an empty list does not filter. */
export interface CatalogFilter extends FilterOfQuizzes {
  categories: readonly string[];
  difficulties: readonly Difficulty[];
  /** Of questions. */
  types: readonly QuestionType[];
  /** Of questions. */
  text?: TextFilter;
  /** Ids of questions that do not match. */
  exclude: readonly string[];
}

/** Of a list of quizzes or of questions: everything that filters. The other fields of quizzes do not filter questions. */
export type FilterQuery = Omit<
  ListQuizzesQuery,
  'include' | 'mine' | 'state' | 'sort' | 'limit' | 'offset'
> &
  Partial<QuestionFilterQuery>;

/** The filter of a query, whose names are folded already. */
export async function readFilter(
  database: EntityManager,
  query: FilterQuery,
): Promise<CatalogFilter> {
  const {
    category,
    difficulty,
    type,
    tags,
    tags_match,
    language,
    topic,
    text,
    exclude,
    ...unread
  } = query;
  // The compiler refuses a filter of the API that is not read here.
  void (unread satisfies Record<string, never>);
  return {
    categories: category,
    difficulties: difficulty,
    types: type ?? [],
    tags: await mostUsedFirst(database, tags),
    tagsMatch: tags_match,
    languages: widestOf(language),
    topic,
    text: text === undefined ? undefined : await locateText(database, text),
    exclude: exclude ?? [],
  };
}

/** Whether everything matches. Every field filters, but `tagsMatch` only says how. */
export const isUnfiltered = ({ tagsMatch: _, ...filter }: CatalogFilter) =>
  Object.values(filter).every((value) =>
    Array.isArray(value) ? value.length === 0 : value === undefined,
  );

/**
 * The filter as several filters of one key of quiz_tags each, to be merged, if it asks for any of a few tags or
 * languages: in the order of ids, which is that of quiz_tags, each stops with the page, however many quizzes have its
 * key. Otherwise null.
 */
export function alongEachTag(
  filter: CatalogFilter,
): { key: string; filter: CatalogFilter }[] | null {
  const { tags, tagsMatch, languages, topic, text } = filter;
  const keys = tags.length === 0 ? languageKeys(filter) : tags;
  // Languages are always any of them.
  const isAny = tags.length === 0 || tagsMatch === 'any' || keys.length === 1;
  if (topic || text || keys.length === 0 || keys.length > EACH_UP_TO || !isAny) return null;
  if (tags.length > 0 && languages.length > 0) return null;
  return keys.map((key) => ({ key, filter: { ...filter, tags: [], languages: [] } }));
}

/**
 * Splits a filter by a few categories into one filter per category, whose pages are merged: the indexes have each
 * category in order, but not several together. Tags, languages and topics would be looked up for each of them.
 */
export function alongEachCategory(filter: CatalogFilter): CatalogFilter[] {
  const { categories, tags, languages, topic } = filter;
  const isSplit =
    categories.length > 1 &&
    categories.length <= EACH_UP_TO &&
    tags.length + languages.length === 0 &&
    topic === undefined;
  return isSplit ? categories.map((category) => ({ ...filter, categories: [category] })) : [filter];
}

/**
 * The condition for the matching rows of a visibility branch.
 * @param quizId the column with the id of the quiz
 */
export function buildWhere(filter: CatalogFilter, branch: Sql, quizId: Sql = sql`quiz_id`): Sql {
  const among = quizzesAmong(filter, branch).map((quizzes) => sql`${quizId} IN (${quizzes})`);
  return join([branch, ...filterConditions(filter), ...among], sql` AND `);
}

/** Selections of quizzes, by tags, languages and topic: a match is in each of them. */
export function quizzesAmong(filter: FilterOfQuizzes, branch: Sql): Sql[] {
  const { tags, languages, topic } = filter;
  return [
    ...(topic === undefined
      ? []
      : [sql`SELECT quiz_id FROM quiz_search WHERE ${contentContains(topic)}`]),
    ...(tags.length > 0 ? [quizzesWithTags(filter, branch)] : []),
    ...(languages.length > 0 ? [quizzesInLanguages(filter, branch)] : []),
  ];
}

/** Conditions on a row's own columns, each beginning with the column, except those on the text of a question. */
export function filterConditions(filter: CatalogFilter): Sql[] {
  const { categories, difficulties, types, text, exclude, ...rest } = filter;
  // The compiler refuses a filter that is read neither here nor in `quizzesAmong`.
  void (rest satisfies Record<Exclude<keyof typeof rest, keyof FilterOfQuizzes>, never>);
  return [
    ...anyOf(sql`category_key`, categories, sql`text`),
    ...kindConditions({ difficulties, types }),
    ...(text ? hasText(text) : []),
    ...(exclude.length > 0 ? [sql`id <> ALL (${exclude}::uuid[])`] : []),
  ];
}

/** The condition on its kind alone. */
export function kindConditions({
  difficulties,
  types,
}: Pick<CatalogFilter, 'difficulties' | 'types'>): Sql[] {
  return [
    ...anyOf(sql`difficulty`, difficulties, sql`difficulty`),
    ...anyOf(sql`type`, types, sql`question_type`),
  ];
}

function anyOf(column: Sql, values: readonly string[], type: Sql): Sql[] {
  return values.length === 0 ? [] : [isAny(column, values, type)];
}
