import type { Answer, Difficulty, QuestionType } from './vocabulary';

/**
 * What leaves the service, field by field (specification, part 2). Only what is named here is ever sent,
 * whatever a row holds. The long answers are made by PostgreSQL and passed through as text (see JsonText): for
 * those the fields are named in SQL.
 */

export interface QuizListRow {
  id: string;
  title: string;
  description: string | null;
  category: string | null;
  difficulty: Difficulty;
  tags: string[];
  question_count: number;
  plays: number;
  slug: string;
}

export interface QuestionRow {
  id: string;
  text: string;
  type: QuestionType;
  difficulty: Difficulty;
  explanation: string | null;
  position: number;
  answers: Answer[];
}

/**
 * Of `quizzes` as z, the fields of QuizListItem, for PostgreSQL to make its JSON of. A missing description or
 * category is "" here (contract, "Null in lists").
 */
export const QUIZ_LIST_ITEM = `z.id, z.title, coalesce(z.description, '') AS description,
  coalesce(z.category, '') AS category, z.difficulty, z.tags, z.question_count AS "questionCount", z.plays, z.slug`;

/** Of `questions` as q: QuizQuestionDetail. */
export const QUIZ_QUESTION_DETAIL = `q.id, q.text, q.type, q.difficulty, q.explanation, q.position AS "order", q.answers`;

/** Of `questions` as q and their `quizzes` as z: BrowseQuestion. */
export const BROWSE_QUESTION = `q.id, q.text, q.type, q.difficulty, q.explanation, z.category, z.tags,
  q.quiz_id AS "quizId", z.title AS "quizTitle", q.answers`;

/** QuizQuestionDetail */
export const toQuizQuestionDetail = (question: QuestionRow) => ({
  id: question.id,
  text: question.text,
  type: question.type,
  difficulty: question.difficulty,
  explanation: question.explanation,
  order: question.position,
  answers: question.answers.map(toAnswer),
});

/** QuizQuestion: `answers` only when asked for. */
export const toQuizQuestion = (
  question: QuestionRow,
  quiz: { id: string; category: string | null },
  includeAnswers: boolean,
) => ({
  id: question.id,
  quizId: quiz.id,
  text: question.text,
  type: question.type,
  difficulty: question.difficulty,
  explanation: question.explanation,
  category: quiz.category,
  ...(includeAnswers && { answers: question.answers.map(toAnswer) }),
});

const toAnswer = ({ id, text, isCorrect }: Answer): Answer => ({ id, text, isCorrect });
