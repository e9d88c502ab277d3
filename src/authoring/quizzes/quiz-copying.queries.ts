import type { EntityManager } from 'typeorm';
import { RULES_OF_PLAY } from '../../catalog/fields.queries';
import type { Quiz } from '../../catalog/quizzes/quiz.entity';
import { visibleTo } from '../../catalog/visibility.queries';
import type { RulesOfPlay } from '../../catalog/vocabulary';
import { query, sql } from '../../platform/database/sql';
import type { QuestionToImport } from '../questions/batch-import.service';

/** What a copy takes over. */
export type CopiedQuiz = Pick<
  Quiz,
  | 'title'
  | 'description'
  | 'category'
  | 'categoryId'
  | 'difficulty'
  | 'tags'
  | 'language'
  | 'writtenBy'
> &
  RulesOfPlay & { questions: QuestionToImport[] };

/**
 * A quiz that the account may see, with its questions in order. One statement, so that nobody's edit falls between the
 * quiz and its questions.
 */
export async function findQuizToCopy(
  tx: EntityManager,
  accountId: string,
  quizId: string,
): Promise<CopiedQuiz | undefined> {
  const [quiz] = await query<CopiedQuiz[]>(
    tx,
    sql`SELECT title, description, category, category_id AS "categoryId", difficulty, tags, language,
          ${RULES_OF_PLAY}, written_by AS "writtenBy",
          coalesce((SELECT jsonb_agg(jsonb_build_object('text', q.text, 'type', q.type, 'difficulty', q.difficulty,
                      'format', q.format, 'explanation', q.explanation, 'answers', q.answers, 'source', q.source, 'licence', q.licence)
                      ORDER BY q.position)
                    FROM questions q WHERE q.quiz_id = quizzes.id), '[]') AS questions
        FROM quizzes WHERE id = ${quizId} AND ${visibleTo(accountId)}`,
  );
  return quiz;
}

export async function isVisible(
  database: EntityManager,
  accountId: string,
  quizId: string,
): Promise<boolean> {
  const found = await query<unknown[]>(
    database,
    sql`SELECT FROM quizzes WHERE id = ${quizId} AND ${visibleTo(accountId)}`,
  );
  return found.length > 0;
}
