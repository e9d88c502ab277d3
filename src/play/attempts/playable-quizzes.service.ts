import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { QuizzesService } from '../../catalog/quizzes/quizzes.service';
import { NotFound } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { isId } from '../../platform/text/ids';
import { NotPlayable } from './attempt.rules';
import { NOTHING_TO_PLAY } from './attempts.dto';
import { findPlayableQuiz, type PlayableQuiz } from './playable-quizzes.queries';
import { type Snapshot, snapshotOf } from './snapshot.queries';

const { questionsPerQuiz, quizBytes } = LIMITS.content;

/** How a player comes to a quiz. Of a `public` quiz players see the approved version, of others what the owner has now. */
export type PlayedVia = 'public' | 'link' | 'preview';

/** The quizzes that a caller may see, for playing. */
@Injectable()
export class PlayableQuizzesService {
  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly quizzes: QuizzesService,
  ) {}

  /** The owner and size of a quiz that the caller may see. @throws NotFound */
  async find(accountId: string, quizId: string): Promise<PlayableQuiz> {
    const quiz = isId(quizId) ? await findPlayableQuiz(this.database, quizId, accountId) : null;
    if (!quiz) throw new NotFound('Quiz');
    return quiz;
  }

  /**
   * The quiz's present questions and rules.
   * @param via absent: as everybody plays it. Those of a preview belong to no quiz, so that it counts nowhere
   * @throws NotFound; NotPlayable without a question or with too many
   */
  async snapshot(
    accountId: string,
    quizId: string,
    via: PlayedVia = 'public',
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
