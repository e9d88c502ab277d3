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
import type { Regraded } from './regrade.dto';
import {
  type AttemptToRegrade,
  countAnswered,
  countSubmitted,
  endRegrade,
  findRequestedRegrade,
  findSnapshots,
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

/** What one transaction scored again. */
interface Batch {
  attempts: number;
  changed: number;
}

interface QuizOf {
  id: string;
  ownerId: string;
}

/** In one transaction, so many attempts and answers at most: their players wait for its end. */
const BATCH = { attempts: 500, answers: 20_000 };
const RUN_EVERY = 5_000;

/**
 * Scores attempts again with the present key of their questions. An attempt keeps its questions as they were in a
 * snapshot, which many attempts share and which never changes: those of a snapshot with another key move to one that
 * differs in its key only. That goes for attempts in progress as well, so that a key that is corrected during a lesson
 * counts for everybody.
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
    // Only these are read: each is a whole quiz, and an earlier regrade has left some without attempts.
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
    const { id, ownerId, title } = owned;
    const quiz = { id, ownerId };
    const present = await this.owned.questions(this.database.manager, id);
    const asked = questionIds?.map((it) => it.toLowerCase()) ?? null;
    requireQuestions(asked, present);
    const { manager } = this.database;
    const outdated = await this.outdated(owned, asked, await findSnapshots(manager, quiz));
    const snapshots = [...outdated.keys()];
    const submitted = await countSubmitted(manager, snapshots);
    const attempts = [...submitted.values()].reduce((sum, n) => sum + n, 0);
    const audit = (tx: EntityManager, detail: string) =>
      this.audit.record(tx, actor, 'quiz.regraded', { kind: 'quiz', id, name: title }, detail);
    if (attempts > LIMITS.requests.regradedAttempts.value) {
      await this.database.transaction(async (tx) => {
        await requestRegrade(tx, snapshots, asked ?? present.map((question) => question.id));
        await audit(tx, `${attempts} attempts, left to the worker`);
      });
      return { attempts, changed: null };
    }
    const done = await this.run(quiz, asked, (tx, first) => {
      const isAll = first.attempts === attempts;
      return audit(tx, `${attempts} attempts${isAll ? `, ${first.changed} scores changed` : ''}`);
    });
    if (done.attempts === 0) return done;
    await this.database.transaction((tx) => this.announce(tx, { ...quiz, title }, done));
    return done;
  }

  /** What was left to the worker. @returns whether more may wait */
  @Scheduled({ name: 'regrading of attempts', every: RUN_EVERY })
  async runRequested(): Promise<boolean> {
    const requested = await findRequestedRegrade(this.database.manager);
    if (!requested) return false;
    const { quizId, ownerId, questionIds } = requested;
    const quiz = { id: quizId, ownerId };
    const nothing = { attempts: 0, changed: 0 };
    const done = await this.run(quiz, questionIds).catch((error: unknown) => {
      // The quiz was deleted meanwhile.
      if (error instanceof NotFound) return nothing;
      if (error instanceof NotPlayable) return { ...nothing, refused: error.message };
      throw error;
    });
    await this.database.transaction(async (tx) => {
      await endRegrade(tx, quizId, questionIds);
      const refused = 'refused' in done ? done.refused : null;
      if (done.attempts === 0 && refused === null) return;
      const title = await this.owned.titleOf(tx, quizId);
      const { attempts, changed } = done;
      if (attempts > 0) await this.announce(tx, { ...quiz, title }, { attempts, changed });
      const ended = { quizId, title, attempts, changed, refused };
      await this.events.emit(tx, 'regrade.ended', ownerId, ended);
    });
    return true;
  }

  private async announce(
    tx: EntityManager,
    { id, ownerId, title }: QuizOf & { title: string },
    done: { attempts: number; changed: number },
  ): Promise<void> {
    const regraded_at = this.clock.now().toISOString();
    await this.events.emit(tx, 'quiz.regraded', ownerId, {
      quiz_id: id,
      title,
      ...done,
      regraded_at,
    });
  }

  /** @param begun called in the transaction of the first submitted attempts, so that none is changed without its entry */
  private async run(
    quiz: QuizOf,
    questionIds: readonly string[] | null,
    begun: (tx: EntityManager, first: Batch) => Promise<void> = () => Promise.resolve(),
  ) {
    const done = { attempts: 0, changed: 0 };
    for (const snapshotId of await findSnapshots(this.database.manager, quiz))
      for (;;) {
        const batch = await this.database.transaction(async (tx) => {
          const some = await this.regradeSome(tx, quiz, snapshotId, questionIds);
          if (some && some.attempts > 0 && done.attempts === 0) await begun(tx, some);
          return some;
        });
        if (!batch) break;
        done.attempts += batch.attempts;
        done.changed += batch.changed;
      }
    return done;
  }

  /**
   * Some attempts of a snapshot. The lock of the quiz keeps its key as it is meanwhile: with two regrades at the same
   * time the last one to read the key decides.
   * @returns null if the snapshot has the present key, or no attempt is left
   */
  private async regradeSome(
    tx: EntityManager,
    quiz: QuizOf,
    snapshotId: string,
    questionIds: readonly string[] | null,
  ) {
    const owned = await this.owned.lock(tx, quiz.ownerId, quiz.id);
    const present = await this.presentKeys(tx, owned, questionIds);
    const { questions: played } = await readSnapshot(tx, snapshotId);
    const corrected = withPresentKeys(played, present);
    if (!corrected) return null;
    const most = Math.ceil(Math.min(BATCH.attempts, BATCH.answers / played.length));
    const attempts = await lockAttempts(tx, snapshotId, most);
    if (attempts.length === 0) return null;
    const snapshot = snapshotOf({ quizId: quiz.id, ownerId: quiz.ownerId }, corrected);
    await storeSnapshot(tx, snapshot, this.clock.now(), snapshotId);
    return this.move(tx, quiz, attempts, played, snapshot);
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
  ): Promise<ReadonlyMap<string, string[]>> {
    const keys = await this.presentKeys(this.database.manager, quiz, questionIds);
    const outdated = new Map<string, string[]>();
    for (const id of snapshots) {
      const { questions: played } = await readSnapshot(this.database.manager, id);
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
    return new Map(
      present
        .filter(({ id }) => questionIds === null || questionIds.includes(id))
        .map((question) => [question.id, { ...question, acceptTypos }]),
    );
  }
}

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
