import type { EntityManager } from 'typeorm';
import type { Difficulty } from '../vocabulary';

/** Metadata of the specification, part 2, except the two enumerations. */
export interface Metadata {
  categories: string[];
  tags: string[];
  stats: { totalQuizzes: number; totalQuestions: number };
}

/** Topic of the specification, part 2. */
export interface TopicWithCategories {
  id: string;
  name: string;
  slug: string;
  icon: string | null;
  categories: { id: string; name: string; slug: string; quizCount: number; tags: string[] }[];
}

/** All of it from the counters, so the cost does not grow with the number of quizzes. */
export async function findMetadata(database: EntityManager): Promise<Metadata> {
  const [row] = await database.query<
    [{ categories: string[]; tags: string[] } & Record<string, number>]
  >(`
    SELECT
      (SELECT coalesce(array_agg(category ORDER BY category_key), '{}')
       FROM (SELECT category_key, max(category) AS category FROM quiz_counts
             WHERE quizzes > 0 AND category_key <> '' GROUP BY category_key) AS used) AS categories,
      (SELECT coalesce(array_agg(tag ORDER BY quizzes DESC, tag_key), '{}')
       FROM (SELECT tag, tag_key, quizzes FROM tag_counts
             WHERE quizzes > 0 ORDER BY quizzes DESC, tag_key LIMIT 100) AS used) AS tags,
      (SELECT coalesce(sum(quizzes), 0)::int FROM quiz_counts) AS quizzes,
      (SELECT coalesce(sum(questions), 0)::int FROM question_counts) AS questions`);
  return {
    categories: row.categories,
    tags: row.tags,
    stats: { totalQuizzes: row.quizzes ?? 0, totalQuestions: row.questions ?? 0 },
  };
}

/** The taxonomy, with the number of quizzes and the (at most 20) most used tags of each category. */
export function findTopics(database: EntityManager): Promise<TopicWithCategories[]> {
  return database.query<TopicWithCategories[]>(`
    SELECT t.id, t.name, t.slug, t.icon, coalesce((
      SELECT json_agg(json_build_object(
        'id', c.id, 'name', c.name, 'slug', c.slug,
        'quizCount', (SELECT coalesce(sum(quizzes), 0)::int FROM quiz_counts WHERE category_key = c.name_key),
        'tags', (SELECT coalesce(json_agg(tag ORDER BY quizzes DESC, tag_key), '[]')
                 FROM (SELECT tag, tag_key, used.quizzes FROM category_tag_counts AS used JOIN tag_counts USING (tag_key)
                       WHERE category_key = c.name_key AND used.quizzes > 0
                       ORDER BY used.quizzes DESC, tag_key LIMIT 20) AS popular)
        ) ORDER BY c.position, c.name)
      FROM categories c WHERE c.topic_id = t.id), '[]') AS categories
    FROM topics t ORDER BY t.position, t.name`);
}

/** A quiz that anybody can play. */
export interface PopularQuiz {
  title: string;
  slug: string;
  category: string | null;
  difficulty: Difficulty;
  questionCount: number;
}

/** The most played public quizzes that have questions. */
export function findPopularQuizzes(database: EntityManager): Promise<PopularQuiz[]> {
  return database.query<PopularQuiz[]>(
    `SELECT title, slug, category, difficulty, question_count AS "questionCount" FROM quizzes
     WHERE is_public AND question_count > 0 ORDER BY plays DESC, created_at DESC, id DESC LIMIT 6`,
  );
}
