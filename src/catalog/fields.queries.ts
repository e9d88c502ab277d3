import { identifier, join, type Sql, sql } from '../platform/database/sql';
import { RULE_COLUMNS } from './vocabulary';

/**
 * The fields of QuizListItem from `quizzes` as z, for PostgreSQL to build its JSON. A missing description or category
 * is "" here (contract, "Null in lists").
 */
export const QUIZ_LIST_ITEM = sql`z.id, z.title, coalesce(z.description, '') AS description,
  coalesce(z.category, '') AS category, z.difficulty, z.tags, z.question_count AS "questionCount", z.plays, z.slug`;

/** Of `quizzes`: RulesOfPlay. */
export const RULES_OF_PLAY = join(
  Object.entries(RULE_COLUMNS).map(
    ([rule, column]) => sql`${identifier(column)} AS ${identifier(rule)}`,
  ),
);

/** From `quizzes`: what its owner edits. All of it is in the version that two people who edit it compare. */
export const editedFields = (quizzes: string): Sql =>
  join(
    [
      ...['title', 'description', 'category', 'category_id', 'difficulty', 'tags', 'language'],
      ...Object.values(RULE_COLUMNS),
    ].map((column) => sql`${identifier(quizzes)}.${identifier(column)}`),
  );

/** From `questions` as q: QuizQuestionDetail. */
export const QUIZ_QUESTION_DETAIL = sql`q.id, q.text, q.type, q.difficulty, q.explanation, q.position AS "order", q.answers`;

/** From `questions` as q and their `quizzes` as z: BrowseQuestion. */
export const BROWSE_QUESTION = sql`q.id, q.text, q.type, q.difficulty, q.explanation, z.category, z.tags,
  z.id AS "quizId", z.title AS "quizTitle", q.answers`;

/** BrowseQuestion with what is not specified: what renders it, and the language of its quiz. */
export const browseQuestionWith = ({ format = false, language = false }): Sql =>
  join([
    BROWSE_QUESTION,
    ...(format ? [sql`q.format`] : []),
    ...(language ? [sql`z.language`] : []),
  ]);

/** Of `quizzes`: changes with every edit of the quiz or its questions (advance_updated_at), and not when it is played. */
export const QUIZ_VERSION = sql`(extract(epoch FROM updated_at) * 1000000)::bigint::text`;

/** Of `questions` as q: a hash of the content that its owner edits. That of plain text is as before there were formats. */
export const QUESTION_VERSION = sql`md5(ROW(q.text, q.type, q.difficulty, q.explanation, q.answers)::text
  || CASE q.format WHEN 'plain' THEN '' ELSE q.format::text END)`;

/** The rows of a selection in its order, as the text of a JSON array, and their number. */
export function asJsonArray(selection: Sql): Sql {
  return sql`SELECT count(*)::int AS count, coalesce(json_agg(item), '[]')::text AS json FROM (${selection}) AS item`;
}
