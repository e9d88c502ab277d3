import type { EntityManager } from 'typeorm';
import { query, sql } from '../../platform/database/sql';
import type { OpenQuiz } from './visitor-play.dto';

/** The public quiz with this slug. */
export async function findPublicQuiz(
  database: EntityManager,
  slug: string,
): Promise<OpenQuiz | null> {
  const [quiz] = await query<OpenQuiz[]>(
    database,
    sql`SELECT id, owner_id AS "ownerId", slug, title, description, language, category, difficulty,
          question_count AS "questionCount", plays::float8 AS plays, time_limit AS "timeLimit",
          max_attempts AS "maxAttempts", questions_per_attempt AS "questionsPerAttempt", 'public' AS via, NULL AS "linkId", 1 AS "timeFactor"
        FROM quizzes WHERE slug = ${slug} AND is_public`,
  );
  return quiz ?? null;
}
