import type { EntityManager } from 'typeorm';
import { QUIZ_VERSION, RULES_OF_PLAY } from '../../catalog/fields.queries';
import { visibleTo } from '../../catalog/visibility.queries';
import type { RulesOfPlay } from '../../catalog/vocabulary';
import { queryPrepared, sql } from '../../platform/database/sql';

export interface PlayableQuiz extends RulesOfPlay {
  id: string;
  ownerId: string;
  questions: number;
  /** As questionBytes counts them. */
  bytes: number;
  /** QUIZ_VERSION */
  version: string;
}

/** The owner, size and rules of a quiz that the account may see. */
export async function findPlayableQuiz(
  database: EntityManager,
  quizId: string,
  accountId: string,
): Promise<PlayableQuiz | null> {
  const [quiz] = await queryPrepared<PlayableQuiz[]>(
    database,
    sql`SELECT id, owner_id AS "ownerId", question_count AS questions, content_bytes AS bytes,
          ${QUIZ_VERSION} AS version, ${RULES_OF_PLAY}
        FROM quizzes WHERE id = ${quizId} AND ${visibleTo(accountId)}`,
  );
  return quiz ?? null;
}

/** Which of the quizzes accept typing errors. */
export function findAcceptingTypos(
  database: EntityManager,
  quizIds: readonly string[],
): Promise<{ id: string }[]> {
  return queryPrepared(
    database,
    sql`SELECT id FROM quizzes WHERE id = ANY (${quizIds}) AND accept_typos`,
  );
}
