/**
 * The fields of QuizListItem from `quizzes` as z, for PostgreSQL to build its JSON. A missing description or category
 * is "" here (contract, "Null in lists").
 */
export const QUIZ_LIST_ITEM = `z.id, z.title, coalesce(z.description, '') AS description,
  coalesce(z.category, '') AS category, z.difficulty, z.tags, z.question_count AS "questionCount", z.plays, z.slug`;

/** From `questions` as q: QuizQuestionDetail. */
export const QUIZ_QUESTION_DETAIL = `q.id, q.text, q.type, q.difficulty, q.explanation, q.position AS "order", q.answers`;

/** From `questions` as q and their `quizzes` as z: BrowseQuestion. */
export const BROWSE_QUESTION = `q.id, q.text, q.type, q.difficulty, q.explanation, z.category, z.tags,
  z.id AS "quizId", z.title AS "quizTitle", q.answers`;

/** Of `questions` as q: a hash of the content that its owner edits. */
export const QUESTION_VERSION = `md5(ROW(q.text, q.type, q.difficulty, q.explanation, q.answers)::text)`;
