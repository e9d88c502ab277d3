import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { OwnedQuizzesService } from '../../catalog/quizzes/owned-quizzes.service';
import { QuizzesService } from '../../catalog/quizzes/quizzes.service';
import { visibleTo } from '../../catalog/visibility.queries';
import type { Difficulty } from '../../catalog/vocabulary';
import { query, sql } from '../../platform/database/sql';
import { NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { LIMITS } from '../../platform/limits/limits';
import { isStorable } from '../../platform/text/text.rules';
import { snapshotOf, type Snapshot } from './snapshot.queries';
import { NotPlayable } from './attempt.rules';
import { isLink, QuizLinksService } from '../links/quiz-links.service';
import { NOTHING_TO_PLAY } from '../play.resources';

const { questionsPerQuiz, quizBytes } = LIMITS.content;

/**
 * Where a visitor plays: the slug of a public quiz or of an unlisted link, as in the URL; or the preview of a quiz by
 * the account that owns it.
 */
export type PlayedAt = { slug: string } | { previewOf: string; accountId: string };

/** What a player may know about a quiz before playing it. */
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
  /** Seconds; null: none. */
  timeLimit: number | null;
  /** Of each player; null: any number. Previews do not count. */
  maxAttempts: number | null;
  /** Of a `public` quiz players see the approved version, of others what the owner has now. */
  via: 'public' | 'link' | 'preview';
  linkId: string | null;
}

interface PlayableQuiz {
  ownerId: string;
  questions: number;
  /** As questionBytes counts them. */
  bytes: number;
}

/** The quizzes that a caller may see, for playing. */
@Injectable()
export class PlayableQuizzesService {
  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly quizzes: QuizzesService,
    private readonly owned: OwnedQuizzesService,
    private readonly links: QuizLinksService,
  ) {}

  /** The owner and size of a quiz that the caller may see. @throws NotFound */
  async find(accountId: string, quizId: string): Promise<PlayableQuiz> {
    const [quiz] = isId(quizId)
      ? await query<PlayableQuiz[]>(
          this.database,
          sql`SELECT owner_id AS "ownerId", question_count AS questions, content_bytes AS bytes
              FROM quizzes WHERE id = ${quizId} AND ${visibleTo(accountId)}`,
        )
      : [];
    if (!quiz) throw new NotFound('Quiz');
    return quiz;
  }

  /** A quiz as a visitor may open it. @throws NotFound, Gone for a link that has closed */
  async open(at: PlayedAt): Promise<OpenQuiz> {
    if ('previewOf' in at)
      return this.owners(at.accountId, at.previewOf, { via: 'preview', linkId: null });
    if (isLink(at.slug)) {
      const { linkId, quizId, ownerId } = await this.links.open(at.slug);
      return this.owners(ownerId, quizId, { via: 'link', linkId });
    }
    const [quiz] = isStorable(at.slug)
      ? await this.database.query<OpenQuiz[]>(
          `SELECT id, owner_id AS "ownerId", slug, title, description, category, difficulty,
             question_count AS "questionCount", plays::float8 AS plays, time_limit AS "timeLimit",
             max_attempts AS "maxAttempts", 'public' AS via, NULL AS "linkId"
           FROM quizzes WHERE slug = $1 AND is_public`,
          [at.slug],
        )
      : [];
    if (!quiz) throw new NotFound('Quiz');
    return quiz;
  }

  private async owners(accountId: string, quizId: string, by: Pick<OpenQuiz, 'via' | 'linkId'>) {
    const quiz = await this.owned.get(accountId, quizId);
    const { id, ownerId, slug, title, description, category, difficulty, questionCount } = quiz;
    // Not the plays: they are those of the public quiz.
    const shown = { id, ownerId, slug, title, description, category, difficulty, questionCount };
    const maxAttempts = by.via === 'preview' ? null : quiz.maxAttempts;
    return { ...shown, plays: 0, timeLimit: quiz.timeLimit, maxAttempts, ...by };
  }

  /**
   * The quiz's present questions and rules.
   * @param via absent: as everybody plays it. Those of a preview belong to no quiz, so that it counts nowhere
   * @throws NotFound; NotPlayable without a question or with too many
   */
  async snapshot(
    accountId: string,
    quizId: string,
    via: OpenQuiz['via'] = 'public',
  ): Promise<{ snapshot: Snapshot; timeLimit: number | null; maxAttempts: number | null }> {
    const size = await this.find(accountId, quizId);
    // Checked before they are read: only quizzes from before these limits are larger.
    if (size.questions > questionsPerQuiz.value || size.bytes > quizBytes.value)
      throw new NotPlayable({
        ...NOTHING_TO_PLAY,
        error:
          'This quiz is too large to be played: the limits are 1,000 questions and 2 MiB of text.',
      });
    const quiz = await this.quizzes.get(accountId, quizId);
    if (quiz.questions.length === 0) throw new NotPlayable(NOTHING_TO_PLAY);
    const of = { quizId: via === 'preview' ? null : quiz.id, ownerId: size.ownerId };
    const { timeLimit, maxAttempts } = quiz;
    return { snapshot: snapshotOf(of, quiz.questions), timeLimit, maxAttempts };
  }
}
