import type { EntityManager } from 'typeorm';
import type { Difficulty } from '../../catalog/vocabulary';
import type { AttemptRow } from '../attempts/attempt.queries';

/** What everybody may know of a quiz before playing it. */
export interface OpenQuiz {
  id: string;
  ownerId: string;
  slug: string;
  title: string;
  description: string | null;
  category: string | null;
  difficulty: Difficulty;
  questionCount: number;
  plays: number;
}

/** A quiz that is public: whoever has no key sees no other. */
export async function findOpenQuiz(
  database: EntityManager,
  slug: string,
): Promise<OpenQuiz | null> {
  const [row] = await database.query<OpenQuiz[]>(
    `SELECT id, owner_id AS "ownerId", slug, title, description, category, difficulty,
       question_count AS "questionCount", plays::float8 AS plays
     FROM quizzes WHERE slug = $1 AND is_public`,
    [slug],
  );
  return row ?? null;
}

/** An attempt with what its quiz is called by now; both null where the quiz is gone. */
export async function findAttempt(
  database: EntityManager,
  id: string,
): Promise<(AttemptRow & { slug: string | null; title: string | null }) | null> {
  const [row] = await database.query<
    (AttemptRow & { slug: string | null; title: string | null })[]
  >(
    `SELECT a.*, q.slug, q.title FROM quiz_attempts a LEFT JOIN quizzes q ON q.id = a.quiz_id WHERE a.id = $1`,
    [id],
  );
  return row ?? null;
}
