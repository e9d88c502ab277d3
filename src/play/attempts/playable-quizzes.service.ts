import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { QuizzesService } from '../../catalog/quizzes/quizzes.service';
import type { QuestionType, RulesOfPlay } from '../../catalog/vocabulary';
import { BoundedCache } from '../../platform/bounded-cache';
import { NotFound } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { isId } from '../../platform/text/ids';
import { NotPlayable } from './attempt.rules';
import { NOTHING_TO_PLAY, TOO_LARGE_TO_PLAY } from './attempts.dto';
import {
  findAcceptingTypos,
  findPlayableQuiz,
  type PlayableQuiz,
} from './playable-quizzes.queries';
import { type Snapshot, snapshotOf } from './snapshot.queries';
import { SnapshotsService } from './snapshots.service';

const { questionsPerQuiz, quizBytes } = LIMITS.content;

/** How a player comes to a quiz. */
export type PlayedVia = 'public' | 'link' | 'preview';

/** The quizzes that a caller may see, for playing. */
@Injectable()
export class PlayableQuizzesService {
  /** The ids of the snapshots of versions that were played: to read and hash all questions took most of a start. */
  private readonly played = new BoundedCache<string>(LIMITS.requests.versionsInMemory.value);

  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly quizzes: QuizzesService,
    private readonly snapshots: SnapshotsService,
  ) {}

  /** The owner, size and rules of a quiz that the caller may see. @throws NotFound */
  async find(accountId: string, quizId: string): Promise<PlayableQuiz> {
    const quiz = isId(quizId) ? await findPlayableQuiz(this.database, quizId, accountId) : null;
    if (!quiz) throw new NotFound('Quiz');
    return quiz;
  }

  /**
   * The quiz's present questions and rules.
   * @param via absent: as everybody plays it. Those of a preview belong to no quiz, so that it counts nowhere
   * @throws NotFound; NotPlayable without a question or with too many
   */
  async snapshot(
    accountId: string,
    quizId: string,
    via: PlayedVia = 'public',
  ): Promise<{ snapshot: Snapshot } & Omit<RulesOfPlay, 'acceptTypos'>> {
    const quiz = await this.find(accountId, quizId);
    // Checked before they are read: only quizzes from before these limits are larger.
    if (quiz.questions > questionsPerQuiz.value || quiz.bytes > quizBytes.value)
      throw new NotPlayable(TOO_LARGE_TO_PLAY);
    const of = { quizId: via === 'preview' ? null : quiz.id, ownerId: quiz.ownerId };
    const snapshot =
      (await this.playedBefore(of, quiz)) ?? (await this.playedFirst(accountId, of, quiz.id));
    const { timeLimit, maxAttempts, questionsPerAttempt } = quiz;
    return { snapshot, timeLimit, maxAttempts, questionsPerAttempt };
  }

  /** Questions of several quizzes with what their quizzes say about typing errors. */
  async withTypos<Question extends { type: QuestionType; quizId: string }>(
    questions: readonly Question[],
  ): Promise<(Question & { acceptTypos: boolean })[]> {
    const open = questions.filter(({ type }) => type === 'OPEN_ENDED').map(({ quizId }) => quizId);
    const found = open.length > 0 ? await findAcceptingTypos(this.database, open) : [];
    const ids = new Set(found.map(({ id }) => id));
    return questions.map((question) => ({ ...question, acceptTypos: ids.has(question.quizId) }));
  }

  private async playedBefore(of: SnapshotOf, quiz: PlayableQuiz): Promise<Snapshot | null> {
    const id = this.played.get(keyOf(of, quiz));
    const questions = id ? await this.snapshots.questions(this.database, id) : [];
    return id && questions.length > 0 ? { id, ...of, questions } : null;
  }

  /** @throws NotPlayable without a question */
  private async playedFirst(accountId: string, of: SnapshotOf, quizId: string): Promise<Snapshot> {
    // Perhaps from a replica: an earlier version, or a later one.
    const quiz = await this.quizzes.get(accountId, quizId);
    if (quiz.questions.length === 0) throw new NotPlayable(NOTHING_TO_PLAY);
    const { acceptTypos, language } = quiz;
    const questions = quiz.questions.map((question) => ({ ...question, acceptTypos, language }));
    const snapshot = snapshotOf(of, questions);
    this.played.set(keyOf(of, quiz), snapshot.id);
    return snapshot;
  }
}

type SnapshotOf = Pick<Snapshot, 'quizId' | 'ownerId'>;

/** Those of a preview belong to no quiz, so that they have another snapshot. */
const keyOf = (of: SnapshotOf, { id, version }: { id: string; version: string }): string =>
  `${id} ${version}${of.quizId === null ? ' preview' : ''}`;
