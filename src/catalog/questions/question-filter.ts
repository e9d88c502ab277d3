import type { Parameters } from '../sql';
import { quizzesWithTags, type TagFilter } from './tag-sets.queries';
import type { Difficulty, QuestionType } from '../vocabulary';

/** What browsing is narrowed to. Categories are folded; an empty list narrows nothing. */
export interface QuestionFilter extends TagFilter {
  categories: readonly string[];
  difficulties: readonly Difficulty[];
  types: readonly QuestionType[];
}

/** Makes the condition for an arm's questions that pass the filter. */
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

/** The same of its kind alone. */
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
