import type { EntityManager } from 'typeorm';
import { join, query, type Sql, sql } from '../platform/database/sql';
import { OwnBranch } from './visibility.queries';

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
  const rows = await query<{ tag: string }[]>(
    database,
    sql`SELECT asked.tag FROM unnest(${tags}::text[]) AS asked (tag) LEFT JOIN tag_counts ON category_key = '' AND tag_key = asked.tag
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
