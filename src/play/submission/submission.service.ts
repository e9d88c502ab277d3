import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AttemptLimits } from '../../access/attempt-limits/attempt-limits.service';
import { PlayCounter } from '../../catalog/quizzes/play-counter.service';
import { RenderingService } from '../../catalog/rendering/rendering.service';
import { DomainEvents } from '../../events/domain-events';
import type { DomainEvent } from '../../events/event-map';
import { Clock } from '../../platform/clock';
import { GroupCommit } from '../../platform/database/group-commit';
import { NotFound } from '../../platform/errors/domain-errors';
import type { QuizAttempt } from '../attempts/attempt.entity';
import {
  findAnswers,
  findAnswersByAttempt,
  findWithSeenSolutions,
  lockAttempt,
  lockOpenAttempts,
  type ScoredAttempt,
  storeOutcomes,
} from '../attempts/attempt.queries';
import { isExpired, timeSpentOf } from '../attempts/attempt.rules';
import type { AttemptAnswer } from '../attempts/attempt-answer.entity';
import { toResult } from '../attempts/attempts.dto';
import { asPlayed, AttemptsService, requireUnexpired } from '../attempts/attempts.service';
import type { SnapshotQuestion } from '../attempts/snapshot.queries';
import { SnapshotsService } from '../attempts/snapshots.service';
import { namesOf } from '../attempts/visitor.rules';
import type { LeaderboardRow } from '../leaderboard/leaderboard.queries';
import { LeaderboardService } from '../leaderboard/leaderboard.service';
import { changeSums } from '../results/results.queries';
import { scoreOf, SumsChange } from '../results/sums.rules';

export interface SubmittedBy {
  /** The client's, where players have no account of their own: on the page, and with a key that stands in a page. */
  address?: string | undefined;
}

/** A request to end an attempt. */
interface Submission {
  /** The attempt. */
  id: string;
  accountId: string;
  quizId: string | null;
  by: SubmittedBy | null;
}

interface Submitted {
  /** The attempt. */
  id: string;
  attempt: ScoredAttempt;
  questions: readonly SnapshotQuestion[];
  answers: readonly AttemptAnswer[];
  /** Whether it has reached the top of the leaderboard. */
  isTop: boolean;
}

/** Ending an attempt: its score, its play, its place on the leaderboard and its events, all or none. */
@Injectable()
export class SubmissionService {
  private readonly together = new GroupCommit<Submission, Submitted>(
    (submissions) => this.submitTogether(submissions),
    ({ quizId }) => quizId ?? '',
  );

  constructor(
    private readonly database: DataSource,
    private readonly attempts: AttemptsService,
    private readonly snapshots: SnapshotsService,
    private readonly rendering: RenderingService,
    private readonly leaderboard: LeaderboardService,
    private readonly plays: PlayCounter,
    private readonly limits: AttemptLimits,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Submits an attempt. Repeated and concurrent submissions return the same result and change nothing. `plays` counts
   * the attempt when this returns.
   * @param by who submits it, for the limits on plays; null: it is no play
   * @throws NotFound, NotPlayable
   */
  async submit(accountId: string, attemptId: string, by: SubmittedBy | null = {}) {
    const { id, quizId } = await this.attempts.requireStarted(accountId, attemptId);
    const submission = { id, accountId, quizId, by };
    const shared = quizId === null ? undefined : await this.together.add(submission);
    const { attempt, questions, answers, isTop } = shared ?? (await this.submitAlone(submission));
    // After the commit, so that no attempt locks the quiz's row.
    const announced = isTop ? this.leaderboard.announce() : undefined;
    await this.plays.count();
    await announced;
    const given = new Map(answers.map((answer) => [answer.questionId, answer]));
    const texts = await this.rendering.forApi(questions);
    return {
      score: attempt.score,
      total: questions.length,
      timeSpent: attempt.timeSpent,
      results: asPlayed(attempt, questions).map((question) =>
        toResult(question, given.get(question.id), texts),
      ),
    };
  }

  /**
   * Submits attempts at a quiz in one transaction: players of a class end at the same time, and each alone would wait for the
   * others' sums. It leaves out those that are locked, submitted or expired, and further ones of a player.
   */
  private submitTogether(submissions: Submission[]): Promise<Submitted[]> {
    return this.database.transaction(async (tx) => {
      const now = this.clock.now();
      const open = await lockOpenAttempts(tx, submissions);
      const players = new Map(open.map((attempt) => [namesOf(attempt.player)[0], attempt]));
      const attempts = [...players.values()].filter((attempt) => !isExpired(attempt, now));
      return this.finish(tx, attempts, submissions);
    });
  }

  /** Waits for other requests with the attempt and of its player. @throws NotFound, NotPlayable */
  private submitAlone(submission: Submission): Promise<Submitted> {
    return this.database.transaction(async (tx) => {
      const attempt = await lockAttempt(tx, submission.accountId, submission.id, true);
      if (!attempt) throw new NotFound('Attempt');
      if (isSubmitted(attempt)) {
        const questions = await this.snapshots.ofAttempt(tx, attempt);
        const answers = await findAnswers(tx, [attempt.id]);
        return { id: attempt.id, attempt, questions, answers, isTop: false };
      }
      requireUnexpired(attempt, this.clock.now());
      const [submitted] = await this.finish(tx, [attempt], [submission]);
      return submitted!;
    });
  }

  /** @param attempts at one quiz or across quizzes, locked, of different players */
  private async finish(
    tx: EntityManager,
    attempts: readonly QuizAttempt[],
    submissions: readonly Submission[],
  ): Promise<Submitted[]> {
    if (attempts.length === 0) return [];
    const scored = await this.score(tx, attempts);
    const ended = scored.map(({ attempt }) => attempt);
    await storeOutcomes(tx, ended);
    const [{ quizId, ownerId }] = ended as [ScoredAttempt];
    // Events and leaderboards are a quiz's.
    if (quizId === null) return scored;
    await this.emit(tx, { quizId, ownerId }, scored, submissions);
    return this.enter(tx, quizId, scored);
  }

  private async emit(
    tx: EntityManager,
    { quizId, ownerId }: { quizId: string; ownerId: string },
    scored: readonly Submitted[],
    submissions: readonly Submission[],
  ): Promise<void> {
    const events = scored.flatMap((it) => eventsOf(quizId, it));
    const plays = await this.newPlays(tx, quizId, scored.filter(isAnswered), submissions);
    if (plays.length > 0)
      events.push({ name: 'quiz.played', accountId: ownerId, data: { quizId, attemptIds: plays } });
    await this.events.emitAll(tx, events);
  }

  /** Enters those that count into the leaderboard and the sums of the quiz. */
  private async enter(
    tx: EntityManager,
    quizId: string,
    scored: Submitted[],
  ): Promise<Submitted[]> {
    const counted = scored.filter(({ attempt }) => attempt.counted);
    if (counted.length === 0) return scored;
    // Names of those who play by an unlisted link are shown to nobody but the owner.
    const entries = counted.filter(({ attempt }) => attempt.linkId === null).map(entryOf);
    const top = await this.leaderboard.enter(tx, quizId, entries);
    // Last, because it holds locks that other players wait for until the commit.
    const change = new SumsChange();
    for (const { attempt, questions, answers } of counted)
      change.count(1, questions, answers, attempt.timeSpent);
    await changeSums(tx, quizId, change);
    return scored.map((it) => ({ ...it, isTop: top.has(it.id) }));
  }

  private async score(tx: EntityManager, attempts: readonly QuizAttempt[]): Promise<Submitted[]> {
    const now = this.clock.now();
    const answersOf = await findAnswersByAttempt(tx, attempts);
    const seen = await findWithSeenSolutions(tx, attempts);
    const haveSeen = new Set(seen.map(({ id }) => id));
    const scored: Submitted[] = [];
    for (const attempt of attempts) {
      const { id, quizId } = attempt;
      const answers = answersOf.get(id) ?? [];
      const questions = await this.snapshots.ofAttempt(tx, attempt);
      const outcome = {
        submittedAt: now,
        score: scoreOf(answers),
        timeSpent: timeSpentOf(attempt, now),
        // docs/adr/0011
        counted: answers.length > 0 && quizId !== null && !haveSeen.has(id),
      };
      scored.push({ id, attempt: { ...attempt, ...outcome }, questions, answers, isTop: false });
    }
    return scored;
  }

  /**
   * A quiz counts one play a day per player, and per network where anybody can be any number of players: plays decide
   * what is popular.
   * @returns the attempts that count
   */
  private async newPlays(
    tx: EntityManager,
    quizId: string,
    answered: readonly Submitted[],
    submissions: readonly Submission[],
  ): Promise<string[]> {
    const byId = new Map(submissions.map(({ id, by }) => [id, by]));
    const players = answered.flatMap(({ id, attempt: { accountId, player } }) => {
      const by = byId.get(id);
      const device = `${quizId} ${namesOf(player)[0]}`;
      return by ? [{ id, address: by.address, player: { account: accountId, device } }] : [];
    });
    const plays = await this.allowed(tx, 'playCountedByPlayer', players, ({ player }) => player);
    const ofNetworks = plays.filter(({ address }) => address !== undefined);
    const counted = new Set(
      await this.allowed(tx, 'playCountedByNetwork', ofNetworks, ({ address }) => ({
        address,
        device: quizId,
      })),
    );
    return plays.filter((it) => it.address === undefined || counted.has(it)).map(({ id }) => id);
  }

  /** Those that a limit allows. */
  private async allowed<Play>(
    tx: EntityManager,
    limit: Parameters<AttemptLimits['allows']>[1],
    plays: readonly Play[],
    by: (play: Play) => Parameters<AttemptLimits['allows']>[2][number],
  ): Promise<Play[]> {
    if (plays.length === 0) return [];
    const allowed = await this.limits.allows(tx, limit, plays.map(by));
    return plays.filter((_, at) => allowed[at]);
  }
}

const isSubmitted = (attempt: QuizAttempt): attempt is ScoredAttempt => attempt.score !== null;

const isAnswered = ({ answers }: Submitted) => answers.length > 0;

const entryOf = ({ attempt }: Submitted): LeaderboardRow => ({
  accountId: attempt.accountId,
  player: attempt.player,
  score: attempt.score,
  timeSpent: attempt.timeSpent,
  reachedAt: attempt.submittedAt,
  attemptId: attempt.id,
  questionsPerAttempt: attempt.questionsPerAttempt ?? 0,
});

function eventsOf(quizId: string, { attempt, questions, answers }: Submitted): DomainEvent[] {
  const { id, ownerId, player, score, timeSpent, submittedAt } = attempt;
  const submitted: DomainEvent = {
    name: 'attempt.submitted',
    accountId: ownerId,
    data: { attempt_id: id, quiz_id: quizId, user_id: player, score },
  };
  if (answers.length < questions.length) return [submitted];
  const completed: DomainEvent = {
    name: 'quiz.completed',
    accountId: ownerId,
    data: {
      quiz_id: quizId,
      user_id: player,
      score,
      time_spent: timeSpent,
      total_questions: questions.length,
      completed_at: submittedAt.toISOString(),
    },
  };
  return [submitted, completed];
}
