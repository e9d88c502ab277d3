import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import type { TopScore } from '../../events/event-map';
import { Outbox } from '../../events/outbox';
import { Clock } from '../../platform/clock';
import {
  findTop,
  keepFirst,
  lockBoard,
  lockPlayers,
  lockTop,
  setHidden,
  type Entry,
} from './leaderboard.queries';
import { reachesTop } from './leaderboard.rules';

/** The first attempt of each player at each quiz, best first. */
@Injectable()
export class LeaderboardService {
  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Up to ten entries, best first. */
  async top(quizId: string): Promise<TopScore[]> {
    return toTopScores(await findTop(this.database, quizId));
  }

  /**
   * Enters what a player has reached, with leaderboard.updated if that changes the visible top ten.
   *
   * Only entries that reach the top wait for one another, so that each of them sees what it changes. They are
   * few: of n players in random order about 10 ln(n / 10) + 10. The lock comes before the row is written:
   * two attempts of one player would otherwise wait for each other. Whoever does not reach the top holds the
   * players' lock instead, which keeps anybody above them from being taken off until they are entered.
   */
  async enter(
    tx: EntityManager,
    quiz: { id: string; ownerId: string },
    entry: Entry,
  ): Promise<void> {
    await lockPlayers(tx, quiz.id);
    if (!reachesTop(await findTop(tx, quiz.id), entry)) return keepFirst(tx, quiz.id, entry);
    await lockTop(tx, quiz.id);
    await this.announcing(tx, quiz, () => keepFirst(tx, quiz.id, entry));
  }

  /**
   * Takes a player from the board for good, or puts them back, with leaderboard.updated if that changes the
   * visible top ten. @returns the player; null when there was nothing to change
   */
  async setHidden(
    tx: EntityManager,
    quiz: { id: string; ownerId: string },
    attemptId: string,
    hidden: boolean,
  ): Promise<string | null> {
    await lockBoard(tx, quiz.id);
    return this.announcing(tx, quiz, () =>
      setHidden(tx, quiz.id, attemptId, hidden ? this.clock.now() : null),
    );
  }

  /** Does the work under the board's lock, and tells of it if the visible top ten is another one then. */
  private async announcing<T>(
    tx: EntityManager,
    quiz: { id: string; ownerId: string },
    work: () => Promise<T>,
  ): Promise<T> {
    const before = toTopScores(await findTop(tx, quiz.id));
    const result = await work();
    const after = toTopScores(await findTop(tx, quiz.id));
    if (JSON.stringify(before) === JSON.stringify(after)) return result;
    await this.outbox.record(tx, 'leaderboard.updated', quiz.ownerId, {
      quiz_id: quiz.id,
      top_scores: after,
      updated_at: this.clock.now().toISOString(),
    });
    return result;
  }
}

const toTopScores = (entries: readonly Entry[]): TopScore[] =>
  entries.map(({ player, score, time_spent }, index) => ({
    rank: index + 1,
    user_id: player,
    score,
    time_spent,
  }));
