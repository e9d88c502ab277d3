import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { ContentChanges } from '../../platform/database/content-changes';
import { ReplicaRouter } from '../../platform/database/replicas';
import { JsonText } from '../../platform/http/server/text-response';
import {
  findMetadata,
  findPopularQuizzes,
  findTopics,
  type Metadata,
  type PopularQuiz,
  type TopicWithCategories,
} from './discovery.queries';
import { BrowseQuestionsQuery } from '../catalog.requests';
import { newSeed, QuestionsService } from '../questions/questions.service';
import type { BrowseQuestion } from '../resources';
import { DIFFICULTIES, QUESTION_TYPES } from '../vocabulary';
import { NOBODY } from '../../access/api-keys/scope.rules';

export type { PopularQuiz, TopicWithCategories };
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
