import type { EntityManager } from 'typeorm';
import { isMine, type Parameters } from '../sql';
import type { Difficulty, QuestionType } from '../vocabulary';

/** The tags of a filter: folded, and most used first (see mostUsedFirst). */
export interface TagFilter {
  tags: readonly string[];
  tagsMatch: 'any' | 'all';
}

/**
 * The tags in the order that the statements below need: the first is already counted (`tag_facet_counts`), so only
 * the members of the others are visited; the last has the fewest to look up.
 */
export async function mostUsedFirst(
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
export function alongEachTag<F extends TagFilter>(filter: F): F[] {
  const { tags, tagsMatch } = filter;
  return tagsMatch === 'any' && tags.length > 1 && tags.length <= EACH_UP_TO
    ? tags.map((tag) => ({ ...filter, tags: [tag] }))
    : [filter];
}

/** The filter of browsing. Categories are folded; an empty list does not filter. */
export interface QuestionFilter extends TagFilter {
  categories: readonly string[];
  difficulties: readonly Difficulty[];
  types: readonly QuestionType[];
}

/** Returns the condition for the matching questions of a visibility branch. */
export function buildWhere(filter: QuestionFilter, sql: Parameters): (arm: string) => string {
  const conditions = filterConditions(filter, sql);
  const tagged = filter.tags.length > 0 ? quizzesWithTags(filter, sql) : undefined;
  return (arm) =>
    [arm, ...conditions, ...(tagged ? [`quiz_id IN (${tagged(arm)})`] : [])].join(' AND ');
}

/** Conditions on a question's own columns, each beginning with the column. */
export function filterConditions(filter: QuestionFilter, sql: Parameters): string[] {
  return [...anyOf('category_key', filter.categories, 'text', sql), ...kindConditions(filter, sql)];
}

/** The condition on its kind alone. */
export function kindConditions({ difficulties, types }: QuestionFilter, sql: Parameters): string[] {
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
