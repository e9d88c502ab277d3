import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { QuizzesService } from '../../catalog/quizzes/quizzes.service';
import { visibleTo } from '../../catalog/sql';
import type { Difficulty } from '../../catalog/vocabulary';
import { NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { LIMITS } from '../../platform/limits/limits';
import { isStorable } from '../../platform/text/text.rules';
import { snapshotOf, type Snapshot } from '../attempts/snapshot.queries';
import { NotPlayable } from '../attempts/attempt.rules';

const { questionsPerQuiz, quizBytes } = LIMITS.content;

/** What everybody may know about a quiz before playing it. */
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

export interface PlayableQuiz {
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
  ) {}

  /** The owner and size of a quiz that the caller may see. @throws NotFound */
  async find(accountId: string, quizId: string): Promise<PlayableQuiz> {
    const [quiz] = isId(quizId)
      ? await this.database.query<PlayableQuiz[]>(
          `SELECT owner_id AS "ownerId", question_count AS questions, content_bytes AS bytes
           FROM quizzes WHERE id = $1 AND ${visibleTo('$2')}`,
          [quizId, accountId],
        )
      : [];
    if (!quiz) throw new NotFound('Quiz');
    return quiz;
  }

  /** A public quiz by its slug: visitors see no other. @throws NotFound */
  async open(slug: string): Promise<OpenQuiz> {
    const [quiz] = isStorable(slug)
      ? await this.database.query<OpenQuiz[]>(
          `SELECT id, owner_id AS "ownerId", slug, title, description, category, difficulty,
             question_count AS "questionCount", plays::float8 AS plays
           FROM quizzes WHERE slug = $1 AND is_public`,
          [slug],
        )
      : [];
    if (!quiz) throw new NotFound('Quiz');
    return quiz;
  }

  /** The quiz's present questions. @throws NotFound; NotPlayable without a question or with too many */
  async snapshot(accountId: string, quizId: string, size: PlayableQuiz): Promise<Snapshot> {
    // Checked before they are read: only quizzes from before these limits are larger.
    if (size.questions > questionsPerQuiz.value || size.bytes > quizBytes.value)
      throw new NotPlayable(
        'This quiz is too large to be played: the limits are 1,000 questions and 2 MiB of text.',
      );
    const quiz = await this.quizzes.getPlayed(accountId, quizId);
    if (quiz.questions.length === 0)
      throw new NotPlayable('This quiz has no questions yet, so it cannot be played.');
    return snapshotOf({ quizId: quiz.id, ownerId: size.ownerId }, quiz.questions);
  }
}
