import type { EntityManager } from 'typeorm';
import { visibleTo } from '../../catalog/visibility.queries';
import { query, sql } from '../../platform/database/sql';

export interface PlayableQuiz {
  ownerId: string;
  questions: number;
  /** As questionBytes counts them. */
  bytes: number;
}

/** The owner and size of a quiz that the account may see. */
export async function findPlayableQuiz(
  database: EntityManager,
  quizId: string,
  accountId: string,
): Promise<PlayableQuiz | null> {
  const [quiz] = await query<PlayableQuiz[]>(
    database,
    sql`SELECT owner_id AS "ownerId", question_count AS questions, content_bytes AS bytes
        FROM quizzes WHERE id = ${quizId} AND ${visibleTo(accountId)}`,
  );
  return quiz ?? null;
}
