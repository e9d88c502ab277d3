import type { EntityManager } from 'typeorm';
import { containing, isMine, type Parameters } from './sql';
import type { Difficulty, QuestionType } from './vocabulary';

/** The tags of a filter: folded, and most used first (see mostUsedFirst). */
export interface TagFilter {
  tags: readonly string[];
  tagsMatch: 'any' | 'all';
}

/**
 * The tags in the order that the statements below need: the first is already counted (`tag_facet_counts`), so only
 * the members of the others are visited; the last has the fewest to look up.
 */
async function mostUsedFirst(
  database: EntityManager,
  tags: readonly string[],
): Promise<readonly string[]> {
  if (tags.length < 2) return tags;
  const rows = await database.query<{ tag: string }[]>(
    `SELECT asked.tag FROM unnest($1::text[]) AS asked (tag) LEFT JOIN tag_counts ON tag_key = asked.tag
     ORDER BY quizzes DESC NULLS LAST, asked.tag`,
    [tags],
  );
  return rows.map(({ tag }) => tag);
}

/** More tags than this are looked up together: one by one they would take longer to plan than to read. */
const EACH_UP_TO = 8;

/**
 * Returns a selection of the quizzes that have any, or all, of the tags; with any, a quiz may appear more than once.
 * It needs the visibility branch too: without it neither of the partial indexes of quiz_tags is used.
 */
export function quizzesWithTags(
  { tags, tagsMatch }: TagFilter,
  sql: Parameters,
): (arm: string) => string {
  const select = (arm: string) => `SELECT quiz_id FROM quiz_tags WHERE ${arm} AND tag_key`;
  if (tags.length === 1 || (tagsMatch === 'all' && tags.length <= EACH_UP_TO)) {
    const each = tags.map((tag) => sql.add(tag));
    return (arm) =>
      each
        .map((tag) => `${select(arm)} = ${tag}`)
        .reduce((others, one) => `${one} AND quiz_id IN (${others})`);
  }
  const list = sql.add(tags);
  const all = tagsMatch === 'all' ? ` HAVING count(*) = ${tags.length}` : '';
  return (arm) => {
    // The caller's own are collected once: PostgreSQL 15 read all of their tags again for each quiz.
    const once = all || isMine(arm) ? ` GROUP BY quiz_id${all}` : '';
    return `${select(arm)} = ANY (${list})${once}`;
  };
}

/** The quizzes that have any of the tags except the first; a quiz may appear more than once. */
export function quizzesBesidesFirst(
  { tags: [first, ...others] }: TagFilter,
  sql: Parameters,
  conditions: readonly string[],
): string {
  return `SELECT quiz_id FROM quiz_tags
          WHERE ${conditions.join(' AND ')} AND tag_key = ANY (${sql.add(others)}) AND NOT EXISTS (
            SELECT FROM quiz_tags f WHERE f.is_public AND f.tag_key = ${sql.add(first)} AND f.quiz_id = quiz_tags.quiz_id)`;
}

/**
 * The filter as several filters of one tag each, to be merged, if it asks for any of a few tags: in the order of ids,
 * which is that of quiz_tags, each stops with the page, however many quizzes have its tag. Otherwise the filter
 * itself.
 */
export function alongEachTag(filter: CatalogFilter): CatalogFilter[] {
  const { tags, tagsMatch, topic } = filter;
  return tagsMatch === 'any' && topic === undefined && tags.length > 1 && tags.length <= EACH_UP_TO
    ? tags.map((tag) => ({ ...filter, tags: [tag] }))
    : [filter];
}

/**
 * Splits a filter by a few categories into one filter per category, whose pages are merged: the indexes have each
 * category in order, but not several together. Tags and topics would be looked up for each of them.
 */
export function alongEachCategory(filter: CatalogFilter): CatalogFilter[] {
  const { categories, tags, topic } = filter;
  const isSplit =
    categories.length > 1 &&
    categories.length <= EACH_UP_TO &&
    tags.length === 0 &&
    topic === undefined;
  return isSplit ? categories.map((category) => ({ ...filter, categories: [category] })) : [filter];
}

/** The filter of quizzes or questions. Names and the topic are folded; an empty list does not filter. */
export interface CatalogFilter extends TagFilter {
  categories: readonly string[];
  difficulties: readonly Difficulty[];
  /** Of questions. */
  types: readonly QuestionType[];
  /** Text that the quiz's title, description or a tag contains. */
  topic?: string;
  /** Ids of questions that do not match. */
  exclude: readonly string[];
}

/** The filter of a query, whose names are folded already. */
export async function readFilter(
  database: EntityManager,
  query: {
    category: readonly string[];
    difficulty: readonly Difficulty[];
    type?: readonly QuestionType[];
    tags: readonly string[];
    tags_match?: 'any' | 'all';
    topic?: string;
    exclude?: readonly string[];
  },
): Promise<CatalogFilter> {
  return {
    categories: query.category,
    difficulties: query.difficulty,
    types: query.type ?? [],
    tags: await mostUsedFirst(database, query.tags),
    tagsMatch: query.tags_match ?? 'any',
    ...(query.topic !== undefined && { topic: query.topic }),
    exclude: query.exclude ?? [],
  };
}

/** Whether everything matches. */
export const isUnfiltered = (filter: CatalogFilter) =>
  [filter.categories, filter.difficulties, filter.types, filter.tags, filter.exclude].every(
    (list) => list.length === 0,
  ) && filter.topic === undefined;

/**
 * Returns the condition for the matching rows of a visibility branch.
 * @param quizId the column with the id of the quiz
 */
export function buildWhere(
  filter: CatalogFilter,
  sql: Parameters,
  quizId: 'id' | 'quiz_id' = 'quiz_id',
): (arm: string) => string {
  const conditions = filterConditions(filter, sql);
  const among = quizzesAmong(filter, sql);
  return (arm) =>
    [arm, ...conditions, ...among(arm).map((quizzes) => `${quizId} IN (${quizzes})`)].join(' AND ');
}

/** Returns selections of quizzes, by tags and by topic: a match is in each of them. */
export function quizzesAmong(filter: CatalogFilter, sql: Parameters): (arm: string) => string[] {
  const tagged = filter.tags.length > 0 ? [quizzesWithTags(filter, sql)] : [];
  const onTopic =
    filter.topic === undefined
      ? []
      : [`SELECT quiz_id FROM quiz_search WHERE ${hasTopic(filter.topic, sql)}`];
  return (arm) => [...onTopic, ...tagged.map((select) => select(arm))];
}

/** What pg_trgm can look up: three letters in a row, or one or two at the edge of a word. */
const HAS_TRIGRAM =
  /[\p{L}\p{M}\p{N}]{3}|[^\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}]|[\p{L}\p{M}\p{N}]{2}[^\p{L}\p{M}\p{N}]/u;

/**
 * The condition on quiz_search. A text without a trigram ("ab", "...", "😀😀😀") does not use the index: it would
 * return all of its entries, three times the work of reading the table.
 */
export function hasTopic(topic: string, sql: Parameters): string {
  return HAS_TRIGRAM.test(topic)
    ? `content LIKE ${sql.add(containing(topic))}`
    : `strpos(content, ${sql.add(topic)}) > 0`;
}

/** Conditions on a row's own columns, each beginning with the column. */
export function filterConditions(filter: CatalogFilter, sql: Parameters): string[] {
  return [
    ...anyOf('category_key', filter.categories, 'text', sql),
    ...kindConditions(filter, sql),
    ...(filter.exclude.length > 0 ? [`id <> ALL (${sql.add(filter.exclude)}::uuid[])`] : []),
  ];
}

/** The condition on its kind alone. */
export function kindConditions({ difficulties, types }: CatalogFilter, sql: Parameters): string[] {
  return [
    ...anyOf('difficulty', difficulties, 'difficulty', sql),
    ...anyOf('type', types, 'question_type', sql),
  ];
}

function anyOf(column: string, values: readonly string[], type: string, sql: Parameters): string[] {
  if (values.length === 0) return [];
  if (values.length === 1) return [`${column} = ${sql.add(values[0])}`];
  return [`${column} = ANY (${sql.add(values)}::${type}[])`];
}
