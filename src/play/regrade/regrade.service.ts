import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Actor } from '../../access/audit/actor';
import { AuditLog } from '../../access/audit/audit-log';
import {
  type OwnedQuestion,
  type OwnedQuiz,
  OwnedQuizzesService,
} from '../../catalog/quizzes/owned-quizzes.service';
import { DomainEvents } from '../../events/domain-events';
import { Clock } from '../../platform/clock';
import { MINUTE } from '../../platform/durations';
import { Invalid, NotFound } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { Scheduled } from '../../platform/queue/scheduled';
import { findAnswersByAttempt } from '../attempts/attempt.queries';
import { drawnFor, NotPlayable } from '../attempts/attempt.rules';
import type { AttemptAnswer } from '../attempts/attempt-answer.entity';
import {
  readSnapshot,
  type Snapshot,
  snapshotOf,
  type SnapshotQuestion,
  storeSnapshot,
} from '../attempts/snapshot.queries';
import { LeaderboardService } from '../leaderboard/leaderboard.service';
import { changeSums } from '../results/results.queries';
import { scoreOf, SumsChange } from '../results/sums.rules';
import { type KeyChange, questionsRekeyedBy } from './key-change.rules';
import { LEFT_TO_WORKER, QuizRegrade } from './quiz-regrade.entity';
import type { Regraded } from './regrade.dto';
import {
  type AttemptToRegrade,
  countAnswered,
  countAttempts,
  countSubmitted,
  findRegradeForWorker,
  findSnapshots,
  isPlayed,
  lockAttempts,
  requestRegrade,
  writeScores,
  writeVerdicts,
} from './regrade.queries';
import { scoredBy, withPresentKeys } from './regrade.rules';

/** Submitted attempts whose key differs from the present one. */
export interface EarlierKeys {
  attempts: number;
  /** Of these attempts. */
  snapshotIds: string[];
  /** The questions in which they differ. */
  questionIds: string[];
}

/** What one transaction scored again, of submitted attempts. */
interface Batch {
  attempts: number;
  changed: number;
  /** It was the last one. */
  isLast: boolean;
}

interface QuizOf {
  id: string;
  ownerId: string;
}

/** At most this many attempts and answers per transaction: their players wait until it commits. */
const BATCH = { attempts: 500, answers: 20_000 };

/** Milliseconds between two looks for what was left to the worker. */
const RUN_EVERY = 5_000;

/**
 * Milliseconds after which the worker continues what a request has begun: by then its process has probably died. If not,
 * they share the work.
 */
const TAKEN_OVER_AFTER = 10 * MINUTE;

/**
 * Scores attempts again with the present key of their questions. An attempt keeps its questions as they were in a
 * snapshot, which many attempts share and which never changes: those of a snapshot with another key move to one that
 * differs in its key only. That goes for attempts in progress as well, so that a key that is corrected during a lesson
 * counts for everybody.
 *
 * A regrade is a row of `quiz_regrades`. Each transaction scores some attempts and notes what is left, so the request that
 * began it, the worker and further requests may share the work, and a killed process loses nothing. The last transaction
 * emits the events with the totals.
 */
@Injectable()
export class RegradeService {
  constructor(
    private readonly database: DataSource,
    private readonly owned: OwnedQuizzesService,
    private readonly leaderboard: LeaderboardService,
    private readonly audit: AuditLog,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * What a regrade of one of the account's quizzes would score again.
   * @param questionIds null: all questions
   * @throws NotFound
   */
  async earlierKeys(
    accountId: string,
    quizId: string,
    questionIds: readonly string[] | null = null,
  ): Promise<EarlierKeys> {
    const quiz = await this.owned.get(accountId, quizId);
    const { manager } = this.database;
    const submitted = await countSubmitted(manager, await findSnapshots(manager, quiz));
    // Only these are read: each is a whole quiz.
    const outdated = await this.outdated(quiz, questionIds, [...submitted.keys()]);
    const attempts = [...outdated.keys()].reduce((sum, it) => sum + (submitted.get(it) ?? 0), 0);
    return {
      attempts,
      snapshotIds: [...outdated.keys()],
      questionIds: [...new Set([...outdated.values()].flat())],
    };
  }

  /** How many of the attempts with earlier keys have answered a question whose key has changed. */
  countAnswered({ snapshotIds, questionIds }: EarlierKeys): Promise<number> {
    return countAnswered(this.database.manager, snapshotIds, questionIds);
  }

  /**
   * How many attempts there are to score again after a change of a quiz.
   * @returns null if the change sets no key
   * @throws NotFound
   */
  async countEarlier(accountId: string, quizId: string, change: KeyChange): Promise<number | null> {
    const questionIds = questionsRekeyedBy(change);
    if (questionIds?.length === 0) return null;
    return (await this.earlierKeys(accountId, quizId, questionIds)).attempts;
  }

  /**
   * Scores the attempts at one of the actor's quizzes again: their scores, the leaderboard and the statistics follow,
   * and the events leaderboard.updated and quiz.regraded. Can be repeated; attempts that have the present key stay. Above
   * the limit the worker does it, and a notice says when it is done.
   * @param questionIds null: all questions
   * @throws NotFound; NotPlayable without room for another version; Invalid for an id that is not a question of the quiz
   */
  async regrade(
    actor: Actor,
    quizId: string,
    questionIds: readonly string[] | null = null,
  ): Promise<Regraded> {
    const owned = await this.owned.get(actor.accountId, quizId);
    const present = await this.owned.questions(this.database.manager, owned.id);
    const asked = questionIds?.map((it) => it.toLowerCase()) ?? null;
    requireQuestions(asked, present);
    return this.regradeAsked(actor, owned, asked ?? present.map(({ id }) => id));
  }

  private async regradeAsked(
    actor: Actor,
    owned: OwnedQuiz,
    questionIds: readonly string[],
  ): Promise<Regraded> {
    const { id, ownerId } = owned;
    const { manager } = this.database;
    const listed = await findSnapshots(manager, owned);
    const outdated = [...(await this.outdated(owned, questionIds, listed)).keys()];
    if (outdated.length === 0) return { attempts: 0, changed: 0 };

    const { attempts, batch: first } = await this.database.transaction(async (tx) => {
      const locked = await this.owned.lock(tx, ownerId, id);
      // Until it gave the lock away, another regrade may have moved attempts to snapshots that were not listed.
      const known = new Set(listed);
      const later = (await findSnapshots(tx, locked)).filter((it) => !known.has(it));
      const alsoOutdated = await this.outdated(locked, questionIds, later, tx);
      return this.begin(tx, actor, locked, questionIds, [...outdated, ...alsoOutdated.keys()]);
    });
    if (!first) return { attempts, changed: null };
    const done = { attempts: first.attempts, changed: first.changed };
    for (let { isLast } = first; !isLast;) {
      const batch = await this.scoreNext({ id, ownerId });
      if (!batch) {
        // Another process has ended it: with the last attempts, or without room for another version.
        const quiz = await this.owned.get(actor.accountId, id);
        const rest = await this.regradeAsked(actor, quiz, questionIds);
        const changed = rest.changed === null ? null : done.changed + rest.changed;
        return { attempts: done.attempts + rest.attempts, changed };
      }
      done.attempts += batch.attempts;
      done.changed += batch.changed;
      ({ isLast } = batch);
    }
    return done;
  }

  /**
   * Begins or joins the regrade of a locked quiz, and scores its first attempts.
   * @param outdated at least one
   * @returns how many submitted attempts there are; and what was scored, null: the worker does it
   */
  private async begin(
    tx: EntityManager,
    actor: Actor,
    quiz: OwnedQuiz,
    questionIds: readonly string[],
    outdated: readonly string[],
  ): Promise<{ attempts: number; batch: Batch | null }> {
    const quizId = quiz.id;
    const submitted = await countSubmitted(tx, outdated);
    const attempts = [...submitted.values()].reduce((sum, n) => sum + n, 0);
    // Abandoned attempts take as long as submitted ones.
    const isLarge = (await countAttempts(tx, outdated)) > LIMITS.requests.regradedAttempts.value;
    const joins = await tx.existsBy(QuizRegrade, { quizId });
    const now = this.clock.now();
    const workerFrom = await requestRegrade(tx, {
      quizId,
      snapshotIds: outdated,
      questionIds,
      workerFrom: isLarge ? LEFT_TO_WORKER : new Date(now.getTime() + TAKEN_OVER_AFTER),
      now,
    });
    const batch = workerFrom > now ? await this.regradeSome(tx, quiz) : null;
    // With the first attempts, so that none is changed without its entry.
    const detail = detailOf(attempts, batch, joins);
    if (detail) {
      const object = { kind: 'quiz', id: quizId, name: quiz.title };
      await this.audit.record(tx, actor, 'quiz.regraded', object, detail);
    }
    return { attempts, batch };
  }

  /** Scores some attempts again of what was left to the worker. @returns whether more may be left */
  @Scheduled({ name: 'regrading of attempts', every: RUN_EVERY })
  async runRequested(): Promise<boolean> {
    const quiz = await findRegradeForWorker(this.database.manager, this.clock.now());
    if (!quiz) return false;
    await this.scoreNext(quiz).catch((error: unknown) => {
      // The regrade has ended with a notice, or its quiz was deleted.
      if (!(error instanceof NotPlayable || error instanceof NotFound)) throw error;
    });
    return true;
  }

  /**
   * Scores the next attempts of a regrade again.
   * @returns null: it has ended
   * @throws NotFound; NotPlayable without room for another version: it ends
   */
  private async scoreNext({ id, ownerId }: QuizOf): Promise<Batch | null> {
    const inTransaction = <T>(work: (tx: EntityManager, quiz: OwnedQuiz) => Promise<T>) =>
      this.database.transaction(async (tx) => work(tx, await this.owned.lock(tx, ownerId, id)));
    try {
      return await inTransaction((tx, quiz) => this.regradeSome(tx, quiz));
    } catch (error) {
      if (error instanceof NotPlayable)
        await inTransaction(async (tx, quiz) => {
          const regrade = await tx.findOneBy(QuizRegrade, { quizId: id });
          if (regrade) await this.end(tx, quiz, regrade, error.message);
        });
      throw error;
    }
  }

  /** @param quiz locked: its key stays as it is until the commit. @returns null: no regrade of it is under way */
  private async regradeSome(tx: EntityManager, quiz: OwnedQuiz): Promise<Batch | null> {
    const { id: quizId } = quiz;
    const regrade = await tx.findOneBy(QuizRegrade, { quizId });
    const [snapshotId, ...others] = regrade?.snapshotIds ?? [];
    if (!regrade || !snapshotId) return null;
    const batch = await this.regradeSnapshot(tx, quiz, snapshotId, regrade.questionIds);
    const snapshotIds = batch.isLast ? others : regrade.snapshotIds;
    const attempts = regrade.attempts + batch.attempts;
    const changed = regrade.changed + batch.changed;
    const isLast = snapshotIds.length === 0;
    if (isLast) await this.end(tx, quiz, { ...regrade, attempts, changed }, null);
    else await tx.update(QuizRegrade, { quizId }, { snapshotIds, attempts, changed });
    return { ...batch, isLast };
  }

  /** @param refused why attempts are left */
  private async end(
    tx: EntityManager,
    { id, ownerId, title }: OwnedQuiz,
    { attempts, changed, workerFrom }: QuizRegrade,
    refused: string | null,
  ): Promise<void> {
    await tx.delete(QuizRegrade, { quizId: id });
    const now = this.clock.now();
    const isLeftToWorker = workerFrom <= now;
    // Promised even if the key has been changed back since. A request that died was promised nothing.
    const isPromised = workerFrom.getTime() === LEFT_TO_WORKER.getTime();
    if (attempts === 0 && refused === null && !isPromised) return;
    if (attempts > 0 || refused === null)
      await this.events.emit(tx, 'quiz.regraded', ownerId, {
        quiz_id: id,
        title,
        attempts,
        changed,
        regraded_at: now.toISOString(),
      });
    if (!isLeftToWorker) return;
    const ended = { quizId: id, title, attempts, changed, refused };
    await this.events.emit(tx, 'regrade.ended', ownerId, ended);
  }

  /** Some attempts of a snapshot. `isLast` if no attempt is left, or the snapshot already has the present key. */
  private async regradeSnapshot(
    tx: EntityManager,
    quiz: OwnedQuiz,
    snapshotId: string,
    questionIds: readonly string[],
  ): Promise<Batch> {
    const present = await this.presentKeys(tx, quiz, questionIds);
    const { questions: played } = await readSnapshot(tx, snapshotId);
    const corrected = withPresentKeys(played, present);
    const most = Math.max(1, Math.floor(Math.min(BATCH.attempts, BATCH.answers / played.length)));
    const attempts = corrected ? await lockAttempts(tx, snapshotId, most) : [];
    if (!corrected || attempts.length === 0) return { attempts: 0, changed: 0, isLast: true };
    const snapshot = snapshotOf({ quizId: quiz.id, ownerId: quiz.ownerId }, corrected);
    await storeSnapshot(tx, snapshot, this.clock.now(), snapshotId);
    const moved = await this.move(tx, quiz, attempts, played, snapshot);
    return { ...moved, isLast: !(await isPlayed(tx, snapshotId)) };
  }

  private async move(
    tx: EntityManager,
    quiz: QuizOf,
    attempts: readonly AttemptToRegrade[],
    played: readonly SnapshotQuestion[],
    { id: snapshotId, questions }: Pick<Snapshot, 'id' | 'questions'>,
  ) {
    const answersOf = await findAnswersByAttempt(tx, attempts);
    const byId = new Map(questions.map((question) => [question.id, question]));
    const change = new SumsChange();
    const verdicts: AttemptAnswer[] = [];
    const scored = attempts.map((attempt) => {
      const { id, score, timeSpent, counted } = attempt;
      const before = answersOf.get(id) ?? [];
      const after = scoredBy(byId, before);
      const differing = after.filter((it, at) => it.isCorrect !== before[at]?.isCorrect);
      verdicts.push(...differing);
      if (counted && differing.length > 0) {
        change.count(-1, drawnFor(attempt, played), before, timeSpent ?? 0);
        change.count(1, drawnFor(attempt, questions), after, timeSpent ?? 0);
      }
      return { id, before: score, score: score === null ? null : scoreOf(after) };
    });
    await writeVerdicts(tx, verdicts);
    await writeScores(tx, snapshotId, scored);
    const changed = scored.flatMap(({ id, before, score }) =>
      score === null || score === before ? [] : { attemptId: id, score },
    );
    // Last, as in a submission: others wait for these locks until the commit.
    await this.leaderboard.rescore(tx, quiz, changed);
    await changeSums(tx, quiz.id, change);
    const submitted = scored.filter(({ score }) => score !== null);
    return { attempts: submitted.length, changed: changed.length };
  }

  /** Those of the snapshots with another key than the present one, each with the questions in which it differs. */
  private async outdated(
    quiz: Pick<OwnedQuiz, 'id' | 'acceptTypos'>,
    questionIds: readonly string[] | null,
    snapshots: readonly string[],
    tx = this.database.manager,
  ): Promise<ReadonlyMap<string, string[]>> {
    if (snapshots.length === 0) return new Map();
    const keys = await this.presentKeys(tx, quiz, questionIds);
    const outdated = new Map<string, string[]>();
    for (const id of snapshots) {
      const { questions: played } = await readSnapshot(tx, id);
      const corrected = withPresentKeys(played, keys);
      if (!corrected) continue;
      const changed = corrected.filter((question, at) => question !== played[at]);
      outdated.set(
        id,
        changed.map((question) => question.id),
      );
    }
    return outdated;
  }

  private async presentKeys(
    tx: EntityManager,
    { id, acceptTypos }: Pick<OwnedQuiz, 'id' | 'acceptTypos'>,
    questionIds: readonly string[] | null,
  ) {
    const present = await this.owned.questions(tx, id);
    const asked = questionIds && new Set(questionIds);
    return new Map(
      present
        .filter((question) => !asked || asked.has(question.id))
        .map((question) => [question.id, { ...question, acceptTypos }]),
    );
  }
}

/**
 * What the audit log says: how many scores changed only if it is certain.
 * @param attempts that had another key
 * @param first null: the worker scores them
 * @param joins another request asked for some of them as well
 * @returns null: nothing
 */
function detailOf(attempts: number, first: Batch | null, joins: boolean): string | null {
  const isAll = first?.isLast && !joins;
  if ((isAll ? first.attempts : attempts) === 0) return null;
  if (isAll) return `${count(first.attempts, 'attempt')}, ${count(first.changed, 'score')} changed`;
  return `${count(attempts, 'attempt')}${first ? '' : ', left to the worker'}`;
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** @throws Invalid */
function requireQuestions(asked: readonly string[] | null, present: readonly OwnedQuestion[]) {
  const known = new Set(present.map(({ id }) => id));
  const issues = (asked ?? []).flatMap((id, index) => {
    const path = `questionIds[${index}]`;
    const message = `${path} is not the id of a question of this quiz`;
    return known.has(id) ? [] : [{ path, message, code: 'unknown' }];
  });
  const [first, ...others] = issues;
  if (first) throw new Invalid('The regrade', [first, ...others]);
}
