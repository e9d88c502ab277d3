import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AttemptLimits } from '../../access/sessions/attempt-limits';
import { PlayCounter } from '../../catalog/quizzes/play-counter.service';
import { DomainEvents } from '../../events/domain-events';
import type { DomainEvent } from '../../events/event-map';
import { Clock } from '../../platform/clock';
import { NotFound } from '../../platform/errors/domain-errors';
import { QuizAttempt } from '../attempts/attempt.entity';
import { findAnswers, hasSeenSolutions, lockAttempt } from '../attempts/attempt.queries';
import { timeSpentOf } from '../attempts/attempt.rules';
import type { AttemptAnswer } from '../attempts/attempt-answer.entity';
import { toResult } from '../attempts/attempts.dto';
import { asPlayed, requireUnexpired } from '../attempts/attempts.service';
import type { SnapshotQuestion } from '../attempts/snapshot.queries';
import { SnapshotsService } from '../attempts/snapshots.service';
import { namesOf } from '../attempts/visitor.rules';
import { LeaderboardService } from '../leaderboard/leaderboard.service';
import { addToSums } from '../results/results.queries';

export interface SubmittedBy {
  /** The client's, where players have no account of their own: on the page, and with a key that stands in a page. */
  address?: string | undefined;
}

/** Ending an attempt: its score, its play, its place on the leaderboard and its events, all or none. */
@Injectable()
export class SubmissionService {
  constructor(
    private readonly database: DataSource,
    private readonly snapshots: SnapshotsService,
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
    let isTop = false;
    const result = await this.database.transaction(async (tx) => {
      const attempt = await lockAttempt(tx, accountId, attemptId, true);
      if (!attempt) throw new NotFound('Attempt');
      const questions = await this.snapshots.questions(tx, attempt.snapshotId);
      const answers = await findAnswers(tx, attempt.id);
      const outcome =
        attempt.score === null || attempt.timeSpent === null
          ? await this.finish(tx, attempt, questions, answers, by)
          : { score: attempt.score, timeSpent: attempt.timeSpent, isTop: false };
      isTop = outcome.isTop;
      const given = new Map(answers.map((answer) => [answer.questionId, answer]));
      return {
        score: outcome.score,
        total: questions.length,
        timeSpent: outcome.timeSpent,
        results: asPlayed(attempt, questions).map((question) =>
          toResult(question, given.get(question.id)),
        ),
      };
    });
    // After the commit, so that no attempt locks the quiz's row.
    const announced = isTop ? this.leaderboard.announce() : undefined;
    await this.plays.count();
    await announced;
    return result;
  }

  private async finish(
    tx: EntityManager,
    attempt: QuizAttempt,
    questions: readonly SnapshotQuestion[],
    answers: AttemptAnswer[],
    by: SubmittedBy | null,
  ): Promise<{ score: number; timeSpent: number; isTop: boolean }> {
    const now = this.clock.now();
    requireUnexpired(attempt, now);
    const score = answers.filter((answer) => answer.isCorrect).length;
    const timeSpent = timeSpentOf(attempt, now);
    const { quizId, ownerId, player } = attempt;
    const isAnswered = answers.length > 0 && quizId !== null;
    // docs/adr/0011
    const isCounted = isAnswered && !(await hasSeenSolutions(tx, attempt));
    const isPlay = isAnswered && by !== null && (await this.isNewPlay(tx, attempt, by));
    const outcome = { submittedAt: now, score, timeSpent, counted: isCounted };
    await tx.update(QuizAttempt, { id: attempt.id }, outcome);
    // Events and leaderboards are a quiz's.
    if (quizId === null) return { score, timeSpent, isTop: false };
    const of = { accountId: ownerId };
    const events: DomainEvent[] = [
      {
        name: 'attempt.submitted',
        ...of,
        data: { attempt_id: attempt.id, quiz_id: quizId, user_id: player, score },
      },
    ];
    if (answers.length === questions.length)
      events.push({
        name: 'quiz.completed',
        ...of,
        data: {
          quiz_id: quizId,
          user_id: player,
          score,
          time_spent: timeSpent,
          total_questions: questions.length,
          completed_at: now.toISOString(),
        },
      });
    if (isPlay)
      events.push({ name: 'quiz.played', ...of, data: { quizId, attemptId: attempt.id } });
    await this.events.emitAll(tx, events);
    if (!isCounted) return { score, timeSpent, isTop: false };
    const entry = { player, score, timeSpent, reachedAt: now, attemptId: attempt.id };
    // Names of those who play by an unlisted link are shown to nobody but the owner.
    const isTop =
      attempt.linkId === null &&
      (await this.leaderboard.enter(
        tx,
        { id: quizId, ownerId },
        { accountId: attempt.accountId, ...entry },
      ));
    // Last, because it holds locks that other players wait for until the commit.
    await addToSums(tx, quizId, { score, timeSpent }, questions, answers);
    return { score, timeSpent, isTop };
  }

  /**
   * A quiz counts one play a day per player, and per network where anybody can be any number of players: plays decide
   * what is popular.
   */
  private async isNewPlay(
    tx: EntityManager,
    { quizId, accountId, player }: QuizAttempt,
    { address }: SubmittedBy,
  ): Promise<boolean> {
    const quiz = quizId ?? '';
    const byPlayer = { account: accountId, device: `${quiz} ${namesOf(player)[0]}` };
    if (!(await this.limits.allows(tx, 'playCountedByPlayer', byPlayer))) return false;
    if (address === undefined) return true;
    return this.limits.allows(tx, 'playCountedByNetwork', { address, device: quiz });
  }
}
