import type { EntityManager } from 'typeorm';
import { join, query, type Sql, sql } from '../platform/database/sql';
import { containing } from '../platform/text/text.rules';
import { OwnBranch } from './visibility.queries';
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
  const rows = await query<{ tag: string }[]>(
    database,
    sql`SELECT asked.tag FROM unnest(${tags}::text[]) AS asked (tag) LEFT JOIN tag_counts ON category_key = '' AND tag_key = asked.tag
        ORDER BY quizzes DESC NULLS LAST, asked.tag`,
  );
  return rows.map(({ tag }) => tag);
}

/** More tags than this are looked up together: one by one they would take longer to plan than to read. */
const EACH_UP_TO = 8;

/**
 * A selection of the quizzes that have any, or all, of the tags; with any, a quiz may appear more than once. It needs
 * the visibility branch too: without it neither of the partial indexes of quiz_tags is used.
 */
export function quizzesWithTags({ tags, tagsMatch }: TagFilter, branch: Sql): Sql {
  const select = sql`SELECT quiz_id FROM quiz_tags WHERE ${branch} AND tag_key`;
  if (tags.length === 1 || (tagsMatch === 'all' && tags.length <= EACH_UP_TO))
    return tags
      .map((tag) => sql`${select} = ${tag}`)
      .reduce((others, one) => sql`${one} AND quiz_id IN (${others})`);
  const all = sql`${select} = ANY (${tags})`;
  if (tagsMatch === 'all') return sql`${all} GROUP BY quiz_id HAVING count(*) = ${tags.length}`;
  // The caller's own are collected once: PostgreSQL 15 read all of their tags again for each quiz.
  return branch instanceof OwnBranch ? sql`${all} GROUP BY quiz_id` : all;
}

/** The quizzes that have any of the tags except the first; a quiz may appear more than once. */
export function quizzesBesidesFirst(
  { tags: [first, ...others] }: TagFilter,
  conditions: readonly Sql[],
): Sql {
  return sql`SELECT quiz_id FROM quiz_tags
             WHERE ${join(conditions, sql` AND `)} AND tag_key = ANY (${others}) AND NOT EXISTS (
               SELECT FROM quiz_tags f WHERE f.is_public AND f.tag_key = ${first} AND f.quiz_id = quiz_tags.quiz_id)`;
}

/**
 * The filter as several filters of one tag each, to be merged, if it asks for any of a few tags: in the order of ids,
 * which is that of quiz_tags, each stops with the page, however many quizzes have its tag. Otherwise the filter
 * itself.
 */
export function alongEachTag(filter: CatalogFilter): CatalogFilter[] {
  const { tags, tagsMatch, topic, text } = filter;
  return tagsMatch === 'any' && !topic && !text && tags.length > 1 && tags.length <= EACH_UP_TO
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

/** Text that a question contains, folded. */
interface TextFilter {
  folded: string;
  /** All quizzes that may have such a question; null if there are too many to list. */
  quizIds: readonly string[] | null;
  /** Whether all matches are read, and not a page of them. */
  isWhole?: true;
}

/** The same filter for a statement that reads all matches: then a frequent text is looked up in the index too. */
export function asWhole(filter: CatalogFilter): CatalogFilter {
  return filter.text ? { ...filter, text: { ...filter.text, isWhole: true } } : filter;
}

/** The filter of quizzes or questions. Names and the topic are folded; an empty list does not filter. */
export interface CatalogFilter extends TagFilter {
  categories: readonly string[];
  difficulties: readonly Difficulty[];
  /** Of questions. */
  types: readonly QuestionType[];
  /** Text that the quiz's title, description or a tag contains. */
  topic?: string;
  /** Of questions. */
  text?: TextFilter;
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
    text?: string;
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
    ...(query.text !== undefined && { text: await locateText(database, query.text) }),
    exclude: query.exclude ?? [],
  };
}

/** With more matching blocks than this, walking all questions in order meets a match soon enough. */
const MATCHES_UP_TO = 500;

/**
 * How many quizzes that wait for the index are listed beside the matching ones. They say nothing about how frequent the
 * text is, so somebody's large import must not have others walk all questions for a rare one.
 */
const CHANGED_UP_TO = 5_000;

/** Looks the text up in the index of questions, which any quiz that has changed since is not in. */
async function locateText(database: EntityManager, folded: string): Promise<TextFilter> {
  if (!HAS_TRIGRAM.test(folded)) return { folded, quizIds: null };
  const [{ matching, changed, quizIds }] = await query<
    [{ matching: number; changed: number; quizIds: string[] }]
  >(
    database,
    sql`WITH matching AS (
          SELECT quiz_id FROM question_search WHERE ${inBlock(folded)} LIMIT ${MATCHES_UP_TO + 1}
        ), changed AS (
          SELECT quiz_id FROM question_search WHERE block = 0 LIMIT ${CHANGED_UP_TO + 1})
        SELECT (SELECT count(*)::int FROM matching) AS matching, (SELECT count(*)::int FROM changed) AS changed,
          ARRAY(SELECT quiz_id FROM matching UNION SELECT quiz_id FROM changed) AS "quizIds"`,
  );
  const areListed = matching <= MATCHES_UP_TO && changed <= CHANGED_UP_TO;
  return { folded, quizIds: areListed ? quizIds : null };
}

/** The condition on question_search. */
const inBlock = (folded: string) => sql`content LIKE ${containing(folded)}`;

/**
 * The condition on a question. PostgreSQL knows nothing about how often strpos finds something and expects a third of
 * all rows: so it reads them in their order until the page is full.
 */
function hasText({ folded, quizIds }: TextFilter): Sql[] {
  const key = sql`coalesce(text_key, lower(text))`;
  if (!quizIds) return [sql`strpos(${key}, ${folded}) > 0`];
  return [sql`quiz_id = ANY (${quizIds}::uuid[])`, sql`${key} LIKE ${containing(folded)}`];
}

/** Whether everything matches. Every field filters, but `tagsMatch` only says how. */
export const isUnfiltered = ({ tagsMatch: _, ...filter }: CatalogFilter) =>
  Object.values(filter).every((value) =>
    Array.isArray(value) ? value.length === 0 : value === undefined,
  );

/**
 * The condition for the matching rows of a visibility branch.
 * @param quizId the column with the id of the quiz
 */
export function buildWhere(filter: CatalogFilter, branch: Sql, quizId: Sql = sql`quiz_id`): Sql {
  const among = quizzesAmong(filter, branch).map((quizzes) => sql`${quizId} IN (${quizzes})`);
  return join([branch, ...filterConditions(filter), ...among], sql` AND `);
}

/** Selections of quizzes, by tags, topic and text: a match is in each of them. */
export function quizzesAmong(filter: CatalogFilter, branch: Sql): Sql[] {
  const { tags, topic, text } = filter;
  const isLookedUp = text?.isWhole && !text.quizIds && HAS_TRIGRAM.test(text.folded);
  return [
    ...(topic === undefined ? [] : [sql`SELECT quiz_id FROM quiz_search WHERE ${hasTopic(topic)}`]),
    ...(isLookedUp
      ? [sql`SELECT quiz_id FROM question_search WHERE ${inBlock(text.folded)} OR block = 0`]
      : []),
    ...(tags.length > 0 ? [quizzesWithTags(filter, branch)] : []),
  ];
}

/** What pg_trgm can look up: three letters in a row, or one or two at the edge of a word. */
const HAS_TRIGRAM =
  /[\p{L}\p{M}\p{N}]{3}|[^\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}]|[\p{L}\p{M}\p{N}]{2}[^\p{L}\p{M}\p{N}]/u;

/**
 * The condition on quiz_search. A text without a trigram ("ab", "...", "😀😀😀") does not use the index: it would
 * return all of its entries, three times the work of reading the table.
 */
export function hasTopic(topic: string): Sql {
  return HAS_TRIGRAM.test(topic)
    ? sql`content LIKE ${containing(topic)}`
    : sql`strpos(content, ${topic}) > 0`;
}

/** Conditions on a row's own columns, each beginning with the column, except those on the text of a question. */
export function filterConditions(filter: CatalogFilter): Sql[] {
  return [
    ...anyOf(sql`category_key`, filter.categories, sql`text`),
    ...kindConditions(filter),
    ...(filter.text ? hasText(filter.text) : []),
    ...(filter.exclude.length > 0 ? [sql`id <> ALL (${filter.exclude}::uuid[])`] : []),
  ];
}

/** The condition on its kind alone. */
export function kindConditions({ difficulties, types }: CatalogFilter): Sql[] {
  return [
    ...anyOf(sql`difficulty`, difficulties, sql`difficulty`),
    ...anyOf(sql`type`, types, sql`question_type`),
  ];
}

function anyOf(column: Sql, values: readonly string[], type: Sql): Sql[] {
  if (values.length === 0) return [];
  if (values.length === 1) return [sql`${column} = ${values[0]}`];
  return [sql`${column} = ANY (${values}::${type}[])`];
}
