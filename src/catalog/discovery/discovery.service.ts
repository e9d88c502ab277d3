import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { ContentChanges } from '../../platform/database/content-changes';
import { ReplicaRouter } from '../../platform/database/replicas';
import { QuestionsService } from '../questions/questions.service';
import type { BrowseQuestion } from '../questions/questions.dto';
import type { Metadata, Topic } from './discovery.dto';
import { DIFFICULTIES, QUESTION_TYPES, type Difficulty } from '../vocabulary';
import { NOBODY } from '../../access/accounts/scope.rules';

export type { Topic as TopicWithCategories } from './discovery.dto';

/** The contract allows 60 s; the counters are cheap to read, so people need not wait that long. */
const TTL_MS = 5_000;

/** Categories, tags and totals of public content, cached except for editing. */
@Injectable()
export class DiscoveryService {
  readonly metadata: () => Promise<Metadata>;
  readonly topics: () => Promise<Topic[]>;
  /** The six most played quizzes that anybody can play. */
  readonly popular: () => Promise<PopularQuiz[]>;
  /** A random question that everybody sees, to be answered on the landing page; null if there is none that suits. */
  readonly liveQuestion: () => Promise<BrowseQuestion | null>;

  constructor(
    database: ReplicaRouter,
    clock: Clock,
    changes: ContentChanges,
    private readonly primary: DataSource,
    private readonly questions: QuestionsService,
  ) {
    const cached = <T>(read: () => Promise<T>) => withTtl(clock, changes, read);
    this.metadata = cached(() => database.read(null, findMetadata));
    this.topics = cached(() => database.read(null, findTopics));
    this.popular = cached(() => database.read(null, findPopularQuizzes));
    this.liveQuestion = cached(() => this.drawLiveQuestion());
  }

  /** The topics without caching, for editing. */
  currentTopics(): Promise<Topic[]> {
    return findTopics(this.primary.manager);
  }

  private async drawLiveQuestion(): Promise<BrowseQuestion | null> {
    const drawn = await this.questions.draw(NOBODY, { type: ['MULTIPLE_CHOICE'] }, 10);
    const suits = ({ text, answers }: BrowseQuestion) =>
      text.length <= 140 &&
      answers.length <= 5 &&
      answers.every((answer) => answer.text.length <= 60) &&
      answers.filter(({ isCorrect }) => isCorrect).length === 1;
    return drawn.find(suits) ?? null;
  }
}

/** Reads again after a change, or once the value is older than TTL_MS; concurrent readers share one read. */
function withTtl<T>(
  clock: Clock,
  changes: ContentChanges,
  read: () => Promise<T>,
): () => Promise<T> {
  let cached: { value: Promise<T>; readAt: number; revision: number } | undefined;
  return () => {
    const now = clock.now().getTime();
    const { revision } = changes;
    const isFresh =
      cached?.revision === revision && now >= cached.readAt && now - cached.readAt < TTL_MS;
    if (cached && isFresh) return cached.value;
    const value = read();
    // A failed read is not cached.
    value.catch(() => {
      if (cached?.value === value) cached = undefined;
    });
    cached = { value, readAt: now, revision };
    return value;
  };
}

/** All of it from the counters, so the cost does not grow with the number of quizzes. */
async function findMetadata(database: EntityManager): Promise<Metadata> {
  const [row] = await database.query<[Pick<Metadata, 'categories' | 'tags' | 'stats'>]>(`
    SELECT
      (SELECT coalesce(array_agg(category ORDER BY category_key), '{}')
       FROM (SELECT category_key, max(category) AS category FROM quiz_counts
             WHERE quizzes > 0 AND category_key <> '' GROUP BY category_key) AS used) AS categories,
      (SELECT coalesce(array_agg(tag ORDER BY quizzes DESC, tag_key), '{}')
       FROM (SELECT tag, tag_key, quizzes FROM tag_counts
             WHERE quizzes > 0 ORDER BY quizzes DESC, tag_key LIMIT 100) AS used) AS tags,
      json_build_object(
        'totalQuizzes', (SELECT coalesce(sum(quizzes), 0) FROM quiz_counts),
        'totalQuestions', (SELECT coalesce(sum(questions), 0) FROM question_counts)) AS stats`);
  return { difficulties: [...DIFFICULTIES], questionTypes: [...QUESTION_TYPES], ...row };
}

/** The taxonomy, with the number of quizzes and the (at most 20) most used tags of each category. */
function findTopics(database: EntityManager): Promise<Topic[]> {
  return database.query<Topic[]>(`
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

/** A link to an empty page helps nobody. */
export const isInUse = ({ categories }: Topic): boolean =>
  categories.some(({ quizCount }) => quizCount > 0);

/** A quiz that anybody can play. */
export interface PopularQuiz {
  title: string;
  slug: string;
  category: string | null;
  difficulty: Difficulty;
  questionCount: number;
}

/** The most played public quizzes that have questions. */
function findPopularQuizzes(database: EntityManager): Promise<PopularQuiz[]> {
  return database.query<PopularQuiz[]>(
    `SELECT title, slug, category, difficulty, question_count AS "questionCount" FROM quizzes
     WHERE is_public AND question_count > 0 ORDER BY plays DESC, created_at DESC, id DESC LIMIT 6`,
  );
}
