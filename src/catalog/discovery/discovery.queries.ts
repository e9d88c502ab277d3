import type { EntityManager } from 'typeorm';
import { join, query, sql } from '../../platform/database/sql';
import { ALL_CATEGORIES, EACH_CATEGORY, IS_TAG } from '../catalog-counts.queries';
import { DIFFICULTIES, type Difficulty, QUESTION_TYPES } from '../vocabulary';
import type { LanguageInUse, Metadata, TopicWithCategories } from './discovery.dto';

/** All of it from the counters, so the cost does not grow with the number of quizzes. */
export async function findMetadata(database: EntityManager): Promise<Metadata> {
  const [row] = await query<[Pick<Metadata, 'categories' | 'tags' | 'stats'>]>(
    database,
    sql`
    SELECT
      (SELECT coalesce(array_agg(name ORDER BY category_key), '{}') FROM catalog_counts
       WHERE tag_key = '' AND ${EACH_CATEGORY} AND category_key <> '' AND quizzes > 0) AS categories,
      (SELECT coalesce(array_agg(name ORDER BY quizzes DESC, tag_key), '{}')
       FROM (SELECT name, tag_key, quizzes FROM catalog_counts
             WHERE ${ALL_CATEGORIES} AND ${IS_TAG} AND quizzes > 0
             ORDER BY quizzes DESC, tag_key LIMIT 100) AS used) AS tags,
      (SELECT json_build_object('totalQuizzes', coalesce(sum(quizzes), 0), 'totalQuestions', coalesce(sum(question_count), 0))
       FROM catalog_counts WHERE tag_key = '' AND ${ALL_CATEGORIES}) AS stats`,
  );
  return { difficulties: [...DIFFICULTIES], questionTypes: [...QUESTION_TYPES], ...row };
}

/** The languages of public quizzes, the most used first, each with what the filter by it finds. */
export function findLanguages(database: EntityManager): Promise<LanguageInUse[]> {
  return query<LanguageInUse[]>(
    database,
    sql`SELECT substr(tag_key, 2) AS language, quizzes::int FROM catalog_counts
        WHERE tag_key >= ' ' AND tag_key < '!' AND ${ALL_CATEGORIES} AND quizzes > 0
        ORDER BY catalog_counts.quizzes DESC, tag_key LIMIT 200`,
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
        'quizCount', (SELECT coalesce(sum(quizzes), 0)::int FROM catalog_counts WHERE tag_key = '' AND category_key = c.name_key),
        'tags', (SELECT coalesce(json_agg(name ORDER BY quizzes DESC, tag_key), '[]')
                 FROM (SELECT tag_key, quizzes, (SELECT name FROM catalog_counts n WHERE n.tag_key = used.tag_key AND ${ALL_CATEGORIES})
                       FROM catalog_counts AS used
                       WHERE category_key = c.name_key AND ${IS_TAG} AND quizzes > 0
                       ORDER BY quizzes DESC, tag_key LIMIT 20) AS popular)
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

/**
 * The most played public quizzes that have questions.
 * @param categories folded names; none: of all categories
 */
export function findPopularQuizzes(
  database: EntityManager,
  categories: readonly string[] = [],
): Promise<PopularQuiz[]> {
  const mostPlayed = sql`ORDER BY plays DESC, created_at DESC, id DESC LIMIT 6`;
  const playable = sql`SELECT * FROM quizzes WHERE is_public AND question_count > 0`;
  // The index has each category in this order, but not several together.
  const branches =
    categories.length === 0
      ? [sql`(${playable} ${mostPlayed})`]
      : categories.map((key) => sql`(${playable} AND category_key = ${key} ${mostPlayed})`);
  return query<PopularQuiz[]>(
    database,
    sql`SELECT title, slug, language, category, difficulty, least(questions_per_attempt, question_count) AS "questionCount"
      FROM (${join(branches, sql` UNION ALL `)}) AS popular ${mostPlayed}`,
  );
}
