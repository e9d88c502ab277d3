import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { ReplicaRouter } from '../../platform/database/replica-router';
import { JsonText } from '../../platform/http/server/text-response';
import {
  findMetadata,
  findPopularQuizzes,
  findTopics,
  type Metadata,
  type PopularQuiz,
  type TopicWithCategories,
} from './discovery.queries';
import { DIFFICULTIES, QUESTION_TYPES } from '../vocabulary';

export type { PopularQuiz, TopicWithCategories };

const VOCABULARY = { difficulties: DIFFICULTIES, questionTypes: QUESTION_TYPES };

/** The contract allows 60 s; the counters are cheap to read, so people need not wait that long. */
const TTL_MS = 5_000;

/** Categories, tags and totals of public content. */
@Injectable()
export class DiscoveryService {
  private readonly cachedMetadata: TtlCache<typeof VOCABULARY & Metadata>;
  private readonly cachedTopics: TtlCache<TopicWithCategories[]>;
  private readonly cachedPopular: TtlCache<PopularQuiz[]>;

  constructor(
    database: ReplicaRouter,
    clock: Clock,
    private readonly primary: DataSource,
  ) {
    this.cachedMetadata = new TtlCache(clock, async () => ({
      ...VOCABULARY,
      ...(await database.read(null, findMetadata)),
    }));
    this.cachedTopics = new TtlCache(clock, () => database.read(null, findTopics));
    this.cachedPopular = new TtlCache(clock, () => database.read(null, findPopularQuizzes));
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
}

/** A value that is read again once it is older than TTL_MS; concurrent readers share one read. */
class TtlCache<T> {
  private value: Promise<T> | undefined;
  private text: Promise<JsonText> | undefined;
  private readAt = 0;

  constructor(
    private readonly clock: Clock,
    private readonly read: () => Promise<T>,
  ) {}

  get(): Promise<T> {
    const now = this.clock.now().getTime();
    if (!this.value || now - this.readAt >= TTL_MS || now < this.readAt) {
      this.readAt = now;
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
