import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { ContentChanges } from '../../platform/database/content-changes';
import { ReplicaRouter } from '../../platform/database/replicas';
import { JsonText } from '../../platform/http/server/text-response';
import { BrowseQuestionsQuery } from '../catalog.requests';
import { newSeed, QuestionsService } from '../questions/questions.service';
import type { BrowseQuestion } from '../resources';
import { DIFFICULTIES, QUESTION_TYPES, type Difficulty } from '../vocabulary';
import { NOBODY } from '../../access/api-keys/scope.rules';

/** As GET /questions returns it. */
export type LiveQuestion = BrowseQuestion;

const VOCABULARY = { difficulties: DIFFICULTIES, questionTypes: QUESTION_TYPES };

/** The contract allows 60 s; the counters are cheap to read, so people need not wait that long. */
const TTL_MS = 5_000;

/** Categories, tags and totals of public content. */
@Injectable()
export class DiscoveryService {
  private readonly cachedMetadata: TtlCache<typeof VOCABULARY & Metadata>;
  private readonly cachedTopics: TtlCache<TopicWithCategories[]>;
  private readonly cachedPopular: TtlCache<PopularQuiz[]>;
  private readonly cachedQuestion: TtlCache<LiveQuestion | null>;

  constructor(
    database: ReplicaRouter,
    clock: Clock,
    changes: ContentChanges,
    private readonly primary: DataSource,
    private readonly questions: QuestionsService,
  ) {
    this.cachedMetadata = new TtlCache(clock, changes, async () => ({
      ...VOCABULARY,
      ...(await database.read(null, findMetadata)),
    }));
    this.cachedTopics = new TtlCache(clock, changes, () => database.read(null, findTopics));
    this.cachedPopular = new TtlCache(clock, changes, () =>
      database.read(null, findPopularQuizzes),
    );
    this.cachedQuestion = new TtlCache(clock, changes, () => this.drawLiveQuestion());
  }

  metadata() {
    return this.cachedMetadata.get();
  }

  metadataJson(): Promise<JsonText> {
    return this.cachedMetadata.json();
  }

  topics(): Promise<TopicWithCategories[]> {
    return this.cachedTopics.get();
  }

  /** The same without caching, for editing. */
  currentTopics(): Promise<TopicWithCategories[]> {
    return findTopics(this.primary.manager);
  }

  topicsJson(): Promise<JsonText> {
    return this.cachedTopics.json();
  }

  /** The six most played quizzes that anybody can play. */
  popular(): Promise<PopularQuiz[]> {
    return this.cachedPopular.get();
  }

  /** A random question that everybody sees, to be answered on the landing page; null if there is none that suits. */
  liveQuestion(): Promise<LiveQuestion | null> {
    return this.cachedQuestion.get();
  }

  private async drawLiveQuestion(): Promise<LiveQuestion | null> {
    const query = Object.assign(new BrowseQuestionsQuery(), { type: ['MULTIPLE_CHOICE'] });
    const { questions } = await this.questions.browse(NOBODY, query, newSeed());
    const drawn = JSON.parse(questions.text) as LiveQuestion[];
    const suits = ({ text, answers }: LiveQuestion) =>
      text.length <= 140 &&
      answers.length <= 5 &&
      answers.every((answer) => answer.text.length <= 60) &&
      answers.filter(({ isCorrect }) => isCorrect).length === 1;
    return drawn.find(suits) ?? null;
  }
}

/** A value that is read again after a change, or once it is older than TTL_MS; concurrent readers share one read. */
class TtlCache<T> {
  private value: Promise<T> | undefined;
  private text: Promise<JsonText> | undefined;
  private readAt = 0;
  private revision = 0;

  constructor(
    private readonly clock: Clock,
    private readonly changes: ContentChanges,
    private readonly read: () => Promise<T>,
  ) {}

  get(): Promise<T> {
    const now = this.clock.now().getTime();
    const { revision } = this.changes;
    const isOld = now - this.readAt >= TTL_MS || now < this.readAt || revision !== this.revision;
    if (!this.value || isOld) {
      this.readAt = now;
      this.revision = revision;
      const value = this.read();
      // A failed read is not cached.
      value.catch(() => {
        if (this.value === value) this.value = undefined;
      });
      this.value = value;
      this.text = undefined;
    }
    return this.value;
  }

  /**
   * The value as JSON text, serialised once for all its readers: a quarter of the cost of the categories otherwise.
   */
  json(): Promise<JsonText> {
    const value = this.get();
    this.text ??= value.then((read) => new JsonText(JSON.stringify(read)));
    return this.text;
  }
}

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
async function findMetadata(database: EntityManager): Promise<Metadata> {
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
function findTopics(database: EntityManager): Promise<TopicWithCategories[]> {
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
/** A link to an empty page helps nobody. */
export const isInUse = ({ categories }: TopicWithCategories): boolean =>
  categories.some(({ quizCount }) => quizCount > 0);

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
