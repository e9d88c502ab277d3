import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { NOBODY } from '../../access/accounts/scope.rules';
import { Clock } from '../../platform/clock';
import { ContentChanges } from '../../platform/database/content-changes';
import { ReplicaRouter } from '../../platform/database/replicas';
import type { BrowseQuestion } from '../questions/questions.dto';
import { QuestionsService } from '../questions/questions.service';
import type { RenderedTexts } from '../rendering/rendered-texts';
import { RenderingService } from '../rendering/rendering.service';
import type { QuestionFormat } from '../vocabulary';
import type { LanguageInUse, Metadata, TopicWithCategories } from './discovery.dto';
import {
  findLanguages,
  findMetadata,
  findPopularQuizzes,
  findTopics,
  type PopularQuiz,
} from './discovery.queries';

export type { PopularQuiz };

/** A question with what a page needs to show it. */
export interface LiveQuestion {
  question: BrowseQuestion;
  format: QuestionFormat;
  texts: RenderedTexts;
}

/** The contract allows 60 s; the counters are cheap to read, so people need not wait that long. */
const TTL_MS = 5_000;

/** Categories, tags and totals of public content, cached except for editing. */
@Injectable()
export class DiscoveryService {
  readonly metadata: () => Promise<Metadata>;
  /** The languages in use, the most used first. */
  readonly languages: () => Promise<LanguageInUse[]>;
  readonly topics: () => Promise<TopicWithCategories[]>;
  /** The six most played quizzes that anybody can play. */
  readonly popular: () => Promise<PopularQuiz[]>;
  /** A random question that everybody sees, to be answered on the landing page; null if there is none that suits. */
  readonly liveQuestion: () => Promise<LiveQuestion | null>;

  constructor(
    private readonly database: ReplicaRouter,
    clock: Clock,
    changes: ContentChanges,
    private readonly primary: DataSource,
    private readonly questions: QuestionsService,
    private readonly rendering: RenderingService,
  ) {
    const cached = <T>(read: () => Promise<T>) => withTtl(clock, changes, read);
    this.metadata = cached(() => database.read(null, findMetadata));
    this.languages = cached(() => database.read(null, findLanguages));
    this.topics = cached(() => database.read(null, findTopics));
    this.popular = cached(() => database.read(null, (db) => findPopularQuizzes(db, [])));
    this.liveQuestion = cached(() => this.drawLiveQuestion());
  }

  /** The topics without caching, for editing. */
  currentTopics(): Promise<TopicWithCategories[]> {
    return findTopics(this.primary.manager);
  }

  /** The six most played of these categories, given by their folded names; of all, if there are none. */
  popularIn(categories: readonly string[]): Promise<PopularQuiz[]> {
    if (categories.length === 0) return this.popular();
    return this.database.read(null, (db) => findPopularQuizzes(db, categories));
  }

  private async drawLiveQuestion(): Promise<LiveQuestion | null> {
    const drawn = await this.questions.draw(NOBODY, { type: ['MULTIPLE_CHOICE'] }, 10);
    const suits = ({ text, answers }: BrowseQuestion) =>
      text.length <= 140 &&
      !text.includes('\n') &&
      answers.length <= 5 &&
      answers.every((answer) => answer.text.length <= 60) &&
      answers.filter(({ isCorrect }) => isCorrect).length === 1;
    const chosen = drawn.find(suits);
    if (!chosen) return null;
    const { format, ...question } = chosen;
    return { question, format, texts: await this.rendering.forPage([chosen]) };
  }
}

/** Reads again after a change, or once the value is older than TTL_MS; concurrent readers share one read. */
export function withTtl<T>(
  clock: Clock,
  changes: Pick<ContentChanges, 'revision'>,
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

/** A link to an empty page helps nobody. */
export const isInUse = ({ categories }: TopicWithCategories): boolean =>
  categories.some(({ quizCount }) => quizCount > 0);
