import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AttemptLookup } from '../../access/rate-limit/attempt-lookup';
import { QuestionsService } from '../../catalog/questions/questions.service';
import { BoundedCache } from '../../platform/bounded-cache';
import { Clock } from '../../platform/clock';
import { GroupCommit } from '../../platform/database/group-commit';
import { Forbidden, NotFound } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { isId, newId } from '../../platform/text/ids';
import type { QuizAttempt } from './attempt.entity';
import {
  type AnswerToSave,
  findAnswers,
  findNamedAttempt,
  findTries,
  insertAttempt,
  lockAttempt,
  lockPlayer,
  saveAnswers,
  type StartedAttempt,
} from './attempt.queries';
import {
  bytesOfLong,
  drawnFor,
  endOf,
  invalidAnswer,
  isCorrectAnswer,
  isExpired,
  isOver,
  NotPlayable,
  noTriesLeft,
  parseAnswer,
  requireRoomFor,
  shuffledFor,
} from './attempt.rules';
import type { AttemptAnswer } from './attempt-answer.entity';
import {
  ANSWER_REVEALED,
  type AnswerRequest,
  ATTEMPT_EXPIRED,
  ATTEMPT_SUBMITTED,
  AttemptFilter,
  type DrawAttemptRequest,
  NO_ATTEMPTS_LEFT,
  NO_MATCH,
  NO_TIME_FACTOR,
  type StartAttemptRequest,
  TIME_OVER,
} from './attempts.dto';
import { PlayableQuizzesService } from './playable-quizzes.service';
import {
  type Snapshot,
  snapshotOf,
  type SnapshotQuestion,
  storeSnapshot,
} from './snapshot.queries';
import { SnapshotsService } from './snapshots.service';

/** What an attempt is started with. */
export interface PreparedAttempt {
  accountId: string;
  request: StartAttemptRequest;
  snapshot: Snapshot;
  /** In seconds. */
  timeLimit?: number | null;
  /** How many times the time limit the player has. */
  timeFactor?: number;
  /** Of each player; not of a preview. */
  maxAttempts?: number | null;
  /** How many questions it draws; null: all. */
  questionsPerAttempt?: number | null;
  /** The unlisted link by which a visitor starts it. */
  linkId?: string | null;
}

/** Starting attempts and recording answers. An attempt belongs to the account that started it. */
@Injectable()
export class AttemptsService implements AttemptLookup {
  /** What attempts in progress have from their start. Only a regrade changes any of it: the snapshot. */
  private readonly started = new BoundedCache<StartedAttempt>(
    LIMITS.requests.attemptsInMemory.value,
  );
  private readonly answers: GroupCommit<AnswerToSave, { id: string }>;

  constructor(
    private readonly database: DataSource,
    private readonly quizzes: PlayableQuizzesService,
    private readonly snapshots: SnapshotsService,
    private readonly questions: QuestionsService,
    private readonly clock: Clock,
  ) {
    this.answers = new GroupCommit((answers) => saveAnswers(database, answers));
  }

  /**
   * Prepares an attempt without starting it.
   * @param viewerId the account that may give its players more time
   * @throws NotFound, NotPlayable, Forbidden
   */
  async prepare(
    accountId: string,
    viewerId: string,
    quizId: string,
    request: StartAttemptRequest,
  ): Promise<PreparedAttempt> {
    const quiz = await this.quizzes.snapshot(accountId, quizId);
    const timeFactor = request.timeFactor ?? 1;
    if (timeFactor !== 1 && viewerId !== quiz.snapshot.ownerId)
      throw new Forbidden(NO_TIME_FACTOR.error, NO_TIME_FACTOR.name);
    return { accountId, request, ...quiz, timeFactor };
  }

  /**
   * Prepares an attempt across quizzes. Its questions are played in the order of their creation, or shuffled.
   * @param viewerId the account whose drafts may be drawn as well
   * @throws NotPlayable
   */
  async prepareDrawn(
    accountId: string,
    viewerId: string,
    request: DrawAttemptRequest,
  ): Promise<PreparedAttempt> {
    const drawn = await this.questions.draw(
      viewerId,
      request.filter ?? new AttemptFilter(),
      request.count,
    );
    if (drawn.length === 0) throw new NotPlayable(NO_MATCH);
    const inOrder = drawn.sort((a, b) => (a.id < b.id ? -1 : 1));
    const questions = await this.quizzes.withTypos(inOrder);
    return {
      accountId,
      request,
      snapshot: snapshotOf({ quizId: null, ownerId: accountId }, questions),
    };
  }

  /**
   * Starts what was prepared, mostly by one statement without a transaction.
   * @param within a transaction of the caller's
   * @throws NotPlayable
   */
  async start(prepared: PreparedAttempt, within?: EntityManager) {
    const { accountId, request, snapshot, timeLimit = null, linkId = null } = prepared;
    const { timeFactor = 1 } = prepared;
    const { player, shuffle, reveal } = request;
    const { quizId } = snapshot;
    const now = this.clock.now();
    const attempt = {
      id: newId(),
      quizId,
      snapshotId: snapshot.id,
      accountId,
      ownerId: snapshot.ownerId,
      player,
      shuffle,
      reveal,
      linkId,
      startedAt: now,
      endsAt: endOf(now, timeLimit, timeFactor),
      questionsPerAttempt: numberToDraw(prepared.questionsPerAttempt, snapshot.questions.length),
    };
    const insert = async (database: EntityManager) => {
      // The snapshot is usually stored already: then only its id is sent.
      while (!(await insertAttempt(database, attempt)))
        await storeSnapshot(database, snapshot, now);
    };
    const most = quizId === null ? null : (prepared.maxAttempts ?? null);
    if (most === null) await insert(within ?? this.database.manager);
    else
      await (within ?? this.database).transaction(async (tx) => {
        await lockPlayer(tx, attempt);
        const tries = await findTries(tx, attempt);
        if (tries.used >= most)
          throw new NotPlayable({ ...NO_ATTEMPTS_LEFT, error: noTriesLeft(most, tries.best) });
        await insert(tx);
      });
    this.started.set(attempt.id, attempt);
    const { id, endsAt } = attempt;
    const drawn = drawnFor(attempt, snapshot.questions);
    return { id, quizId, player, endsAt, questions: asPlayed(attempt, drawn) };
  }

  /**
   * An attempt as it was at the start, and its outcome once it is submitted.
   * @param accountId absent: of any account
   * @throws NotFound
   */
  async get(id: string, accountId?: string) {
    const attempt = await this.requireOwn(accountId, id);
    const questions = await this.snapshots.ofAttempt(this.database.manager, attempt);
    const { quizId, player, endsAt, score, timeSpent } = attempt;
    return {
      id: attempt.id,
      quizId,
      player,
      endsAt,
      questions: asPlayed(attempt, questions),
      score,
      timeSpent,
    };
  }

  /** @throws NotFound, for an attempt of another account as well */
  async requireOwn(accountId: string | undefined, id: string) {
    const attempt = isId(id) ? await findNamedAttempt(this.database.manager, id) : null;
    if (!attempt || attempt.accountId !== (accountId ?? attempt.accountId))
      throw new NotFound('Attempt');
    return attempt;
  }

  isInMemory(attemptId: string): boolean {
    return this.started.get(attemptId) !== undefined;
  }

  async exists(attemptId: string): Promise<boolean> {
    const attempt = await findNamedAttempt(this.database.manager, attemptId);
    if (attempt) this.started.set(attempt.id, attempt);
    return attempt !== null;
  }

  /** An attempt as it was at its start. One in progress is read once. @throws NotFound */
  async requireStarted(accountId: string, attemptId: string): Promise<StartedAttempt> {
    const id = attemptId.toLowerCase();
    const cached = this.started.get(id);
    if (cached?.accountId === accountId) return cached;
    const attempt = await this.requireOwn(accountId, id);
    this.started.set(id, attempt);
    return attempt;
  }

  /**
   * Records an answer; the last one to a question counts. If the attempt reveals after each answer, the first one
   * counts, and only that can be repeated.
   * @returns `revealed` if the attempt reveals after each answer
   * @throws NotFound, NotPlayable, Invalid
   */
  async answer(
    accountId: string,
    attemptId: string,
    body: AnswerRequest,
  ): Promise<{ answer: AttemptAnswer; revealed: SnapshotQuestion | null }> {
    const attempt = await this.requireStarted(accountId, attemptId);
    this.requireTime(attempt);
    const { snapshotId } = attempt;
    const questions = await this.snapshots.ofAttempt(this.database.manager, attempt);
    // A regrade has moved the attempt to another snapshot, and the one that it began with was deleted.
    if (questions.length === 0) return this.answerAlone(accountId, attemptId, body);
    const { answer, question } = grade(attempt, questions, body);
    // It counts with the others, which stay as they are only under the lock.
    if (bytesOfLong(answer.text) > 0) return this.answerAlone(accountId, attemptId, body);
    const id = attempt.id + question.id;
    const isStored = await this.answers.add({ id, ...answer, accountId, snapshotId });
    if (isStored) return { answer, revealed: attempt.reveal ? question : null };
    return this.answerAlone(accountId, attemptId, body);
  }

  /** Under the attempt's lock: waits for its other requests, counts long answers, and tells why it takes no answer. */
  private answerAlone(accountId: string, attemptId: string, body: AnswerRequest) {
    return this.database.transaction(async (tx) => {
      const attempt = await this.lockOpen(tx, accountId, attemptId);
      this.started.set(attempt.id, attempt);
      const questions = await this.snapshots.ofAttempt(tx, attempt);
      const { answer, question } = grade(attempt, questions, body);
      const revealed = attempt.reveal ? question : null;
      const [first] = attempt.reveal ? await findAnswers(tx, [attempt.id], question.id) : [];
      if (first && !isSame(first, answer)) throw new NotPlayable(ANSWER_REVEALED);
      if (first) return { answer: first, revealed };
      if (bytesOfLong(answer.text) > 0) {
        const answers = await findAnswers(tx, [attempt.id]);
        requireRoomFor(
          answer,
          answers.filter(({ questionId }) => questionId !== question.id),
        );
      }
      const { snapshotId } = attempt;
      await saveAnswers(tx, [{ id: question.id, ...answer, accountId, snapshotId }]);
      return { answer, revealed };
    });
  }

  private async lockOpen(
    tx: EntityManager,
    accountId: string,
    attemptId: string,
  ): Promise<QuizAttempt> {
    const attempt = await lockAttempt(tx, accountId, attemptId);
    if (!attempt) throw new NotFound('Attempt');
    if (attempt.submittedAt) throw new NotPlayable(ATTEMPT_SUBMITTED);
    this.requireTime(attempt);
    return attempt;
  }

  /** @throws NotPlayable */
  private requireTime(attempt: StartedAttempt): void {
    const now = this.clock.now();
    requireUnexpired(attempt, now);
    if (isOver(attempt, now)) throw new NotPlayable(TIME_OVER);
  }
}

/** @throws Invalid */
function grade(
  attempt: StartedAttempt,
  questions: readonly SnapshotQuestion[],
  body: AnswerRequest,
): { answer: AttemptAnswer; question: SnapshotQuestion } {
  const questionId = body.questionId.toLowerCase();
  const question = questions.find(({ id }) => id === questionId);
  if (!question)
    throw invalidAnswer('questionId', 'is not the id of a question of this attempt', 'unknown');
  const given = parseAnswer(question, body);
  const answer = {
    attemptId: attempt.id,
    questionId,
    answerIds: 'answerIds' in given ? [...given.answerIds] : null,
    text: 'text' in given ? given.text : null,
    isCorrect: isCorrectAnswer(question, given),
  };
  return { answer, question };
}

/** How many questions an attempt draws; null: all of them, also where the author has set as many or more. */
const numberToDraw = (set: number | null = null, questions: number): number | null =>
  set !== null && set < questions ? set : null;

/** The questions in the order of the attempt. */
export function asPlayed(
  attempt: { id: string; shuffle: boolean },
  questions: readonly SnapshotQuestion[],
): readonly SnapshotQuestion[] {
  return attempt.shuffle ? shuffledFor(attempt.id, questions) : questions;
}

/** @throws NotPlayable */
export function requireUnexpired(attempt: StartedAttempt, now: Date): void {
  if (isExpired(attempt, now)) throw new NotPlayable(ATTEMPT_EXPIRED);
}

function isSame(first: AttemptAnswer, { text, answerIds }: AttemptAnswer): boolean {
  if (answerIds === null) return first.text === text;
  const ids = new Set(answerIds);
  return first.answerIds?.length === ids.size && first.answerIds.every((id) => ids.has(id));
}
