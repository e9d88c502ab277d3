import type { EntityManager } from 'typeorm';
import type { QuestionRow } from '../responses';
import type { Approval, Difficulty } from '../vocabulary';

/** Where a quiz stands, in the words of its owner. */
export const QUIZ_STATES = ['draft', 'waiting', 'live', 'rejected'] as const;
export type QuizState = (typeof QUIZ_STATES)[number];

/** A quiz as its owner sees it in a list. */
export interface OwnedQuiz {
  id: string;
  ownerId: string;
  title: string;
  description: string | null;
  category: string | null;
  categoryId: string | null;
  difficulty: Difficulty;
  tags: string[];
  slug: string;
  state: QuizState;
  published: boolean;
  approval: Approval;
  /** Of the last rejection; it stays until the next verdict. */
  rejectionReason: string | null;
  questionCount: number;
  /** Of its questions, as questionBytes counts them. */
  contentBytes: number;
  plays: number;
  createdAt: Date;
  updatedAt: Date;
  /**
   * Of what can be edited (title, description, category, difficulty, tags): made of the content itself, so
   * that it changes with it, whoever changes it.
   */
  version: string;
}

/** A question as its owner edits it. `version` as of a quiz. */
export interface OwnedQuestion extends QuestionRow {
  version: string;
}

/** A rejected quiz says so also while it is unpublished: its owner has something to fix. */
export const STATE = `CASE WHEN approval = 'rejected' THEN 'rejected' WHEN NOT published THEN 'draft'
  WHEN approval = 'pending' THEN 'waiting' ELSE 'live' END`;

const QUIZ = `
SELECT id, owner_id AS "ownerId", title, description, category, category_id AS "categoryId", difficulty, tags, slug,
  ${STATE} AS state, published, approval, rejection_reason AS "rejectionReason",
  question_count AS "questionCount", content_bytes AS "contentBytes", plays::float8 AS plays, created_at AS "createdAt", updated_at AS "updatedAt",
  md5(ROW(title, description, category, category_id, difficulty, tags)::text) AS version
FROM quizzes`;

const QUESTION = `
SELECT id, text, type, difficulty, explanation, position, answers,
  md5(ROW(text, type, difficulty, explanation, answers)::text) AS version
FROM questions`;

/** @param condition SQL on quizzes, with `$1`, `$2`, … for the values, and what orders and limits */
export function findQuizzes(
  database: EntityManager,
  condition: string,
  values: unknown[],
): Promise<OwnedQuiz[]> {
  return database.query<OwnedQuiz[]>(`${QUIZ} WHERE ${condition}`, values);
}

/** A page of a quiz's questions in order. */
export function findQuestions(
  database: EntityManager,
  quizId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<OwnedQuestion[]> {
  return database.query<OwnedQuestion[]>(
    `${QUESTION} WHERE quiz_id = $1 AND position > $2 ORDER BY position LIMIT $3`,
    [quizId, offset, limit],
  );
}

export async function findQuestion(
  database: EntityManager,
  quizId: string,
  questionId: string,
): Promise<OwnedQuestion | null> {
  const [question] = await database.query<OwnedQuestion[]>(
    `${QUESTION} WHERE quiz_id = $1 AND id = $2`,
    [quizId, questionId],
  );
  return question ?? null;
}
