import type { EntityManager } from 'typeorm';
import { query, sql } from '../../platform/database/sql';
import { DIFFICULTIES, type Difficulty, QUESTION_TYPES } from '../vocabulary';
import type { LanguageInUse, Metadata, TopicWithCategories } from './discovery.dto';

/** All of it from the counters, so the cost does not grow with the number of quizzes. */
export async function findMetadata(database: EntityManager): Promise<Metadata> {
  const [row] = await query<[Pick<Metadata, 'categories' | 'tags' | 'stats'>]>(
    database,
    sql`
    SELECT
      (SELECT coalesce(array_agg(category ORDER BY category_key), '{}')
       FROM (SELECT category_key, max(category) AS category FROM quiz_counts
             WHERE quizzes > 0 AND category_key <> '' GROUP BY category_key) AS used) AS categories,
      (SELECT coalesce(array_agg(tag ORDER BY quizzes DESC, tag_key), '{}')
       FROM (SELECT tag, tag_key, quizzes FROM tag_counts
             WHERE category_key = '' AND quizzes > 0 ORDER BY quizzes DESC, tag_key LIMIT 100) AS used) AS tags,
      json_build_object(
        'totalQuizzes', (SELECT coalesce(sum(quizzes), 0) FROM quiz_counts),
        'totalQuestions', (SELECT coalesce(sum(questions), 0) FROM question_counts)) AS stats`,
  );
  return { difficulties: [...DIFFICULTIES], questionTypes: [...QUESTION_TYPES], ...row };
}

/** The languages of public quizzes, the most used first, each with what the filter by it finds. */
export function findLanguages(database: EntityManager): Promise<LanguageInUse[]> {
  return query<LanguageInUse[]>(
    database,
    sql`SELECT substr(tag_key, 2) AS language, sum(quizzes)::int AS quizzes FROM tag_facet_counts
        WHERE tag_key >= ' ' AND tag_key < '!' GROUP BY tag_key HAVING sum(quizzes) > 0
        ORDER BY sum(quizzes) DESC, tag_key LIMIT 200`,
  );
}

/** The taxonomy, with the number of quizzes and the (at most 20) most used tags of each category. */
export function findTopics(database: EntityManager): Promise<TopicWithCategories[]> {
  return query<TopicWithCategories[]>(
    database,
    sql`
    SELECT t.id, t.name, t.slug, t.icon, coalesce((
      SELECT json_agg(json_build_object(
        'id', c.id, 'name', c.name, 'slug', c.slug,
        'quizCount', (SELECT coalesce(sum(quizzes), 0)::int FROM quiz_counts WHERE category_key = c.name_key),
        'tags', (SELECT coalesce(json_agg(tag ORDER BY quizzes DESC, tag_key), '[]')
                 FROM (SELECT spelled.tag, tag_key, used.quizzes FROM tag_counts AS used
                       JOIN (SELECT tag_key, tag FROM tag_counts WHERE category_key = '') AS spelled USING (tag_key)
                       WHERE used.category_key = c.name_key AND used.quizzes > 0
                       ORDER BY used.quizzes DESC, tag_key LIMIT 20) AS popular)
        ) ORDER BY c.position, c.name)
      FROM categories c WHERE c.topic_id = t.id), '[]') AS categories
    FROM topics t ORDER BY t.position, t.name`,
  );
}

/** A quiz that anybody can play. */
export interface PopularQuiz {
  title: string;
  slug: string;
  language: string | null;
  category: string | null;
  difficulty: Difficulty;
  /** That an attempt asks. */
  questionCount: number;
}

/** The most played public quizzes that have questions. */
export function findPopularQuizzes(database: EntityManager): Promise<PopularQuiz[]> {
  return query<PopularQuiz[]>(
    database,
    sql`SELECT title, slug, language, category, difficulty, least(questions_per_attempt, question_count) AS "questionCount" FROM quizzes
     WHERE is_public AND question_count > 0 ORDER BY plays DESC, created_at DESC, id DESC LIMIT 6`,
  );
}
