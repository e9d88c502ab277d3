import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import type { TopScore } from '../events/event-map';
import { Outbox } from '../events/outbox';
import { Clock } from '../platform/clock';
import { findTop, keepBest, lockTop, type Entry } from './leaderboard.queries';
import { reachesTop } from './leaderboard.rules';

/** The best attempts at each quiz, one for each player. */
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
   * two attempts of one player would otherwise wait for each other.
   */
  async enter(
    tx: EntityManager,
    quiz: { id: string; ownerId: string },
    entry: Entry,
  ): Promise<void> {
    if (!reachesTop(await findTop(tx, quiz.id), entry)) return keepBest(tx, quiz.id, entry);
    await lockTop(tx, quiz.id);
    const before = toTopScores(await findTop(tx, quiz.id));
    await keepBest(tx, quiz.id, entry);
    const after = toTopScores(await findTop(tx, quiz.id));
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    await this.outbox.record(tx, 'leaderboard.updated', quiz.ownerId, {
      quiz_id: quiz.id,
      top_scores: after,
      updated_at: this.clock.now().toISOString(),
    });
  }
}

const toTopScores = (entries: readonly Entry[]): TopScore[] =>
  entries.map(({ player, score, time_spent }, index) => ({
    rank: index + 1,
    user_id: player,
    score,
    time_spent,
  }));
