import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { AttemptLimits, TooManyAttempts } from '../../access/sessions/attempt-limits';
import { Clock } from '../../platform/clock';
import { NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import type { AnswerRequest } from '../attempts/attempt.requests';
import { findAnswers, findAttempt } from '../attempts/attempt.queries';
import { isExpired } from '../attempts/attempt.rules';
import { asPlayed, AttemptsService } from '../attempts/attempts.service';
import { readSnapshot } from '../attempts/snapshot.queries';
import { findTop } from '../leaderboard/leaderboard.queries';
import { SubmissionService } from '../attempts/submission.service';
import { toVisitorAttempt, type VisitorAttempt, type VisitorAttemptRow } from './visitor-attempt';
import { PlayableQuizzesService, type OpenQuiz } from './playable-quizzes.service';
import { isVisitor, playerOf, shownName } from './visitor.rules';

/** A line of the leaderboard as a visitor sees it. */
export interface LeaderboardRow {
  rank: number;
  name: string;
  score: number;
  /** Seconds. */
  timeSpent: number;
  mine: boolean;
}

/**
 * Playing without a key, on the player's page. Such attempts belong to the account of the quiz's owner; within it
 * each belongs to the browser with the token it was started with, and to nobody else.
 */
@Injectable()
export class VisitorPlayService {
  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly quizzes: PlayableQuizzesService,
    private readonly attempts: AttemptsService,
    private readonly submissions: SubmissionService,
    private readonly limits: AttemptLimits,
    private readonly clock: Clock,
  ) {}

  /** @throws NotFound, also for a quiz that is not public */
  quiz(slug: string): Promise<OpenQuiz> {
    return this.quizzes.open(slug);
  }

  /**
   * Starts an attempt. @returns its id
   * @param name tidied, 1 to LONGEST_NAME characters
   * @throws NotFound, NotPlayable
   */
  async start(
    slug: string,
    token: string,
    { name, reveal }: { name: string; reveal: boolean },
  ): Promise<string> {
    const { id, ownerId } = await this.quiz(slug);
    const player = playerOf(token, id, name);
    const attempt = await this.attempts.start(ownerId, id, { player, shuffle: false, reveal });
    return attempt.id;
  }

  /** @throws NotFound, also for an attempt of another browser */
  async find(slug: string, attemptId: string, token: string): Promise<VisitorAttempt> {
    const attempt = await this.getOwn(slug, attemptId, token);
    const questions = asPlayed(attempt, await readSnapshot(this.database, attempt.snapshot_id));
    const answers = await findAnswers(this.database, attempt.id);
    const expired = isExpired(attempt.started_at, this.clock.now());
    return toVisitorAttempt(attempt, questions, answers, expired);
  }

  /** @throws NotFound, NotPlayable, Invalid */
  async answer(slug: string, attemptId: string, token: string, body: AnswerRequest): Promise<void> {
    const attempt = await this.getOwn(slug, attemptId, token);
    await this.attempts.answer(attempt.account_id, attempt.id, body);
  }

  /**
   * Once submitted it does not change, however often this is called.
   * @param address the client's, according to the proxy settings
   * @throws NotFound, NotPlayable
   */
  async submit(slug: string, attemptId: string, token: string, address: string): Promise<void> {
    const attempt = await this.getOwn(slug, attemptId, token);
    const answered = (await findAnswers(this.database, attempt.id)).length > 0;
    const isPlay = !attempt.submitted_at && answered && (await this.isNew(attempt, token, address));
    await this.submissions.submit(attempt.account_id, attempt.id, isPlay);
  }

  /** A quiz counts one play a day per browser, and per network: plays decide what is popular. */
  private async isNew(
    { quiz_id }: VisitorAttemptRow,
    token: string,
    address: string,
  ): Promise<boolean> {
    try {
      await this.limits.take('playCountedByVisitor', { device: playerOf(token, quiz_id, '') });
      await this.limits.take('playCountedByNetwork', { address, device: quiz_id });
      return true;
    } catch (error) {
      if (error instanceof TooManyAttempts) return false;
      throw error;
    }
  }

  /** The ten best. @param token of the viewer, null if they have not played anything yet */
  async top(
    { id, ownerId }: { id: string; ownerId: string },
    token: string | null,
  ): Promise<LeaderboardRow[]> {
    const top = await findTop(this.database, id);
    return top.map(({ accountId, player, score, timeSpent }, index) => ({
      rank: index + 1,
      name: shownName(player),
      score,
      timeSpent,
      // Player ids are public, and an app of another account can use the same ids for its own players.
      mine: token !== null && accountId === ownerId && isVisitor(player, token, id),
    }));
  }

  private async getOwn(slug: string, id: string, token: string): Promise<VisitorAttemptRow> {
    const attempt = isId(id) ? await findAttempt(this.database, id) : null;
    if (!attempt || attempt.account_id !== attempt.owner_id) throw new NotFound('Attempt');
    const { quiz_id } = attempt;
    if (quiz_id === null || !isVisitor(attempt.player, token, quiz_id))
      throw new NotFound('Attempt');
    // An attempt continues when its quiz is deleted; until then it is only found under its quiz's own URL.
    if (attempt.slug !== null && attempt.slug !== slug) throw new NotFound('Attempt');
    return { ...attempt, quiz_id };
  }
}
