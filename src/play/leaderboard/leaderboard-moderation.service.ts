import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditLog, type Actor } from '../../access/accounts/audit-log';
import { NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { findHidden, findTop, type Entry } from './leaderboard.queries';
import { LeaderboardService } from './leaderboard.service';
import { shownName } from '../visitors/visitor.rules';

/** A player on a leaderboard, for who looks after it. */
export interface LeaderboardPlayer {
  /** Of the entry; names the player in `setHidden`. */
  attemptId: string;
  /** What the leaderboard shows. */
  name: string;
  /** As events have it. */
  player: string;
  score: number;
  /** Seconds. */
  timeSpent: number;
  reachedAt: Date;
}

export interface Board {
  quiz: { id: string; title: string };
  /** Whether it is the viewer's own quiz, and not one that they see as an administrator. */
  isOwn: boolean;
  /** The ten best, as everybody sees them. */
  top: LeaderboardPlayer[];
  /** Who was taken off, the latest first. */
  hidden: LeaderboardPlayer[];
}

type Viewer = Actor & { isAdmin: boolean };

/**
 * Names on leaderboards come from strangers: a quiz's owner, and for published quizzes an administrator, take
 * off what should not be read there. For all others there is no such quiz.
 */
@Injectable()
export class LeaderboardModerationService {
  constructor(
    private readonly database: DataSource,
    private readonly leaderboard: LeaderboardService,
    private readonly audit: AuditLog,
  ) {}

  /** @throws NotFound */
  async board(viewer: Viewer, quizId: string): Promise<Board> {
    const { id, title, isOwn } = await this.quiz(viewer, quizId);
    const [top, hidden] = await Promise.all([
      findTop(this.database.manager, id),
      findHidden(this.database.manager, id),
    ]);
    return {
      quiz: { id, title },
      isOwn,
      top: top.map(toLeaderboardPlayer),
      hidden: hidden.map(toLeaderboardPlayer),
    };
  }

  /**
   * Takes the player of this attempt off the board, with this and all later attempts, or puts them back.
   * Once done it may be asked again. What an administrator does to a quiz of somebody else is in the audit log.
   * @throws NotFound
   */
  async setHidden(
    viewer: Viewer,
    quizId: string,
    attemptId: string,
    hidden: boolean,
  ): Promise<void> {
    const quiz = await this.quiz(viewer, quizId);
    if (!isId(attemptId)) throw new NotFound('Player');
    await this.database.transaction(async (tx) => {
      const player = await this.leaderboard.setHidden(tx, quiz, attemptId, hidden);
      if (player === null || quiz.isOwn) return;
      await this.audit.record(
        tx,
        viewer,
        hidden ? 'leaderboard.player-removed' : 'leaderboard.player-restored',
        { kind: 'quiz', id: quiz.id, name: quiz.title },
        player,
      );
    });
  }

  private async quiz(viewer: Viewer, quizId: string) {
    const [quiz] = isId(quizId)
      ? await this.database.query<{ id: string; title: string; ownerId: string; isOwn: boolean }[]>(
          `SELECT id, title, owner_id AS "ownerId", owner_id = $2 AS "isOwn" FROM quizzes
           WHERE id = $1 AND (owner_id = $2 OR ($3 AND published))`,
          [quizId, viewer.accountId, viewer.isAdmin],
        )
      : [];
    if (!quiz) throw new NotFound('Quiz');
    return quiz;
  }
}

const toLeaderboardPlayer = (entry: Entry): LeaderboardPlayer => ({
  attemptId: entry.attempt_id,
  name: shownName(entry.player),
  player: entry.player,
  score: entry.score,
  timeSpent: entry.time_spent,
  reachedAt: entry.reached_at,
});
