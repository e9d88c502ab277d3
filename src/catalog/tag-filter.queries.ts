import type { EntityManager } from 'typeorm';
import { join, query, type Sql, sql } from '../platform/database/sql';
import { ALL_CATEGORIES } from './catalog-counts.queries';
import { OwnBranch } from './visibility.queries';

/** The tags of a filter: folded, and most used first (see mostUsedFirst). */
export interface TagFilter {
  tags: readonly string[];
  tagsMatch: 'any' | 'all';
  /** Canonical tags of languages: any of them, none within another. */
  languages: readonly string[];
}

/**
 * Languages without those that are within another one: `de` finds `de-AT` as well. A quiz has one language, so each of
 * what is left finds other quizzes, and what they find can be added up.
 */
export const widestOf = (languages: readonly string[]): string[] =>
  languages.filter((one) => !languages.some((other) => one.startsWith(`${other}-`)));

/** The keys under which tables of tags have the languages (language_keys in SQL): no folded tag begins with a space. */
export const languageKeys = ({ languages }: Pick<TagFilter, 'languages'>): string[] =>
  languages.map((language) => ` ${language}`);

/** A selection of the quizzes in any of the languages, each once. */
export const quizzesInLanguages = (filter: TagFilter, branch: Sql): Sql =>
  quizzesWithTags({ tags: languageKeys(filter), tagsMatch: 'any' }, branch);

/**
 * The tags in the order that the statements below need: the first is already counted (`catalog_counts`), so only
 * the members of the others are visited; the last has the fewest to look up.
 */
export async function mostUsedFirst(
  database: EntityManager,
  tags: readonly string[],
): Promise<readonly string[]> {
  if (tags.length < 2) return tags;
  const rows = await query<{ tag: string }[]>(
    database,
    sql`SELECT asked.tag FROM unnest(${tags}::text[]) AS asked (tag) LEFT JOIN catalog_counts ON ${ALL_CATEGORIES} AND tag_key = asked.tag
        ORDER BY quizzes DESC NULLS LAST, asked.tag`,
  );
  return rows.map(({ tag }) => tag);
}

/** More tags than this are looked up together: one by one they would take longer to plan than to read. */
export const EACH_UP_TO = 8;

/**
 * A selection of the quizzes that have any, or all, of the tags; with any, a quiz may appear more than once. It needs
 * the visibility branch too: without it neither of the partial indexes of quiz_tags is used.
 */
export function quizzesWithTags(
  { tags, tagsMatch }: Pick<TagFilter, 'tags' | 'tagsMatch'>,
  branch: Sql,
): Sql {
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
  { tags: [first, ...others] }: Pick<TagFilter, 'tags'>,
  conditions: readonly Sql[],
): Sql {
  return sql`SELECT quiz_id FROM quiz_tags
             WHERE ${join(conditions, sql` AND `)} AND tag_key = ANY (${others}) AND NOT EXISTS (
               SELECT FROM quiz_tags f WHERE f.is_public AND f.tag_key = ${first} AND f.quiz_id = quiz_tags.quiz_id)`;
}
