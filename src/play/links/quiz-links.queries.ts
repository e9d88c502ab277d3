import type { EntityManager } from 'typeorm';
import { query, sql } from '../../platform/database/sql';

/** What a link opens. */
export interface LinkedQuiz {
  linkId: string;
  quizId: string;
  ownerId: string;
  closesAt: Date | null;
}

/** The quiz of a link; null for an unknown or revoked one, a deleted quiz and a disabled account. */
export async function findLinkedQuiz(
  database: EntityManager,
  token: string,
): Promise<LinkedQuiz | null> {
  const [quiz] = await query<LinkedQuiz[]>(
    database,
    sql`SELECT l.id AS "linkId", q.id AS "quizId", q.owner_id AS "ownerId", closes_at AS "closesAt"
        FROM quiz_links l JOIN quizzes q ON q.id = l.quiz_id WHERE token = ${token} AND NOT withheld`,
  );
  return quiz ?? null;
}
