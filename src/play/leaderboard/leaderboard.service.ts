import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull, Not, Repository } from 'typeorm';
import type { Actor } from '../../access/audit/actor';
import { AuditLog } from '../../access/audit/audit-log';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { DomainEvents } from '../../events/domain-events';
import type { TopScore } from '../../events/event-map';
import { Clock } from '../../platform/clock';
import { CoalescedTask } from '../../platform/coalesced-task';
import { NotFound } from '../../platform/errors/domain-errors';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import { isId } from '../../platform/text/ids';
import type { LeaderboardEntry } from './leaderboard.dto';
import {
  findTop,
  findUnannounced,
  insertMissing,
  type LeaderboardRow,
  lockBoard,
  markAnnounced,
  setHidden,
  setScores,
} from './leaderboard.queries';
import { reachesTop } from './leaderboard.rules';
import { LeaderboardPlayer } from './leaderboard-player.entity';

export interface Board {
  quiz: { id: string; title: string };
  /** Whether it is the viewer's own quiz; false for an administrator who sees somebody else's. */
  isOwn: boolean;
  /** The ten best, as everybody sees them. `attemptId` identifies a player in `hide`. */
  top: LeaderboardRow[];
  /** The removed players, most recent first. */
  hidden: LeaderboardRow[];
}

type Viewer = Actor & { isAdmin: boolean };

/** The first attempt of each player at each quiz, best first. */
@Injectable()
export class LeaderboardService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly announcements = new CoalescedTask(() => this.announceAll());

  constructor(
    private readonly database: DataSource,
    @InjectRepository(Quiz) private readonly quizzes: Repository<Quiz>,
    @InjectRepository(LeaderboardPlayer) private readonly players: Repository<LeaderboardPlayer>,
    private readonly audit: AuditLog,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Up to ten entries, best first. */
  async top(quizId: string): Promise<LeaderboardEntry[]> {
    const top = await findTop(this.database.manager, quizId);
    return top.map(({ player, score, timeSpent }, index) => ({
      rank: index + 1,
      userId: player,
      score,
      timeSpent,
    }));
  }

  /** Announces what a killed process has left behind, once there are listeners. */
  onApplicationBootstrap(): Promise<void> {
    return this.announce();
  }

  onModuleDestroy(): Promise<void> {
    return this.announcements.close();
  }

  /**
   * Enters results of different players. Until the commit nobody above them is removed; players do not wait for one another.
   * @returns the attempts that reached the top ten: `announce` them after the commit
   */
  async enter(
    tx: EntityManager,
    quizId: string,
    entries: readonly LeaderboardRow[],
  ): Promise<Set<string>> {
    if (entries.length === 0) return new Set();
    await lockBoard(tx, quizId, 'players');
    const top = await findTop(tx, quizId);
    const placed = entries.map((entry) => ({ ...entry, announced: !reachesTop(top, entry) }));
    await insertMissing(tx, quizId, placed);
    return new Set(placed.filter((it) => !it.announced).map(({ attemptId }) => attemptId));
  }

  /**
   * Sends leaderboard.updated for entries that were committed before the call: one for each quiz, if they have changed
   * its visible top ten. Concurrent callers share it. In the submission's own transaction each player who reached the
   * top waited for the commits of all others: 40 ms on average with 300 players at once. Never fails.
   */
  announce(): Promise<void> {
    return this.announcements.run();
  }

  /** @returns whether entries are left, for a later run */
  private async announceAll(): Promise<boolean> {
    let isLeft = false;
    const fail = (error: unknown) => {
      isLeft = true;
      this.logger.warn({ err: error }, 'leaderboards could not be announced yet');
    };
    const quizzes = await findUnannounced(this.database.manager).catch(fail);
    // One quiz that fails must not keep the others waiting.
    for (const quiz of quizzes ?? [])
      await this.database
        .transaction(async (tx) => {
          await lockBoard(tx, quiz.id, 'players');
          await lockBoard(tx, quiz.id, 'top');
          await this.announcing(tx, quiz);
        })
        .catch(fail);
    return isLeft;
  }

  /** Gives attempts that were scored again their scores, with leaderboard.updated if that changes the top ten. */
  async rescore(
    tx: EntityManager,
    quiz: { id: string; ownerId: string },
    scores: readonly { attemptId: string; score: number }[],
  ): Promise<void> {
    if (scores.length === 0) return;
    await lockBoard(tx, quiz.id, 'board');
    await this.announcing(tx, quiz, () => setScores(tx, quiz.id, scores));
  }

  /** For the quiz's owner, and for published quizzes administrators: names come from strangers. @throws NotFound */
  async board(viewer: Viewer, quizId: string): Promise<Board> {
    const { id, title, isOwn } = await this.moderated(viewer, quizId);
    const [top, hidden] = await Promise.all([
      findTop(this.database.manager, id),
      this.players.find({
        where: { quizId: id, hiddenAt: Not(IsNull()) },
        order: { hiddenAt: 'DESC', attemptId: 'ASC' },
        take: 100,
      }),
    ]);
    return { quiz: { id, title }, isOwn, top, hidden };
  }

  /**
   * Removes the player of this attempt from the leaderboard, with this and all later attempts, or restores them, with
   * leaderboard.updated if that changes the visible top ten. Can be repeated. The audit log records what an
   * administrator does to somebody else's quiz.
   * @throws NotFound
   */
  async hide(viewer: Viewer, quizId: string, attemptId: string, hidden: boolean): Promise<void> {
    const quiz = await this.moderated(viewer, quizId);
    if (!isId(attemptId)) throw new NotFound('Player');
    await this.database.transaction(async (tx) => {
      await lockBoard(tx, quiz.id, 'board');
      const isChanged = await this.announcing(tx, quiz, () =>
        setHidden(tx, quiz.id, attemptId, hidden ? this.clock.now() : null),
      );
      if (!isChanged || quiz.isOwn) return;
      await this.audit.record(
        tx,
        viewer,
        hidden ? 'leaderboard.player-removed' : 'leaderboard.player-restored',
        { kind: 'quiz', id: quiz.id, name: quiz.title },
        // Not the name: entries are kept for a year, and cannot follow a player who is deleted.
        `attempt ${attemptId}`,
      );
    });
  }

  /**
   * Does the work under the leaderboard's lock, and emits the event if the visible top ten is no longer the one that was
   * announced last.
   */
  private async announcing<T>(
    tx: EntityManager,
    quiz: { id: string; ownerId: string },
    work?: () => Promise<T>,
  ): Promise<T | undefined> {
    // Entries that are committed meanwhile belong to the next event, so both boards are without them.
    const announced = async () => toTopScores(await findTop(tx, quiz.id, { announcedOnly: true }));
    const before = await announced();
    const result = await work?.();
    await markAnnounced(tx, quiz.id);
    const after = await announced();
    if (JSON.stringify(before) === JSON.stringify(after)) return result;
    await this.events.emit(tx, 'leaderboard.updated', quiz.ownerId, {
      quiz_id: quiz.id,
      top_scores: after,
      updated_at: this.clock.now().toISOString(),
    });
    return result;
  }

  /** A quiz whose leaderboard the viewer moderates. @throws NotFound for all others */
  private async moderated(viewer: Viewer, quizId: string) {
    if (!isId(quizId)) throw new NotFound('Quiz');
    const { accountId, isAdmin } = viewer;
    const own = { id: quizId, ownerId: accountId };
    const quiz = await this.quizzes.findOne({
      select: { id: true, title: true, ownerId: true },
      where: isAdmin ? [own, { id: quizId, published: true }] : own,
    });
    if (!quiz) throw new NotFound('Quiz');
    const { id, title, ownerId } = quiz;
    return { id, title, ownerId, isOwn: ownerId === accountId };
  }
}

const toTopScores = (entries: readonly LeaderboardRow[]): TopScore[] =>
  entries.map(({ player, score, timeSpent }, index) => ({
    rank: index + 1,
    user_id: player,
    score,
    time_spent: timeSpent,
  }));
