import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { OwnedQuizzesService } from '../../catalog/quizzes/owned-quizzes.service';
import { Clock } from '../../platform/clock';
import { NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { isStorable } from '../../platform/text/text.rules';
import { findAnswers, findNamedAttempt, findTries } from '../attempts/attempt.queries';
import { NotPlayable, timeWith } from '../attempts/attempt.rules';
import { type AnswerRequest, NOTHING_TO_PLAY } from '../attempts/attempts.dto';
import { asPlayed, AttemptsService } from '../attempts/attempts.service';
import { PlayableQuizzesService } from '../attempts/playable-quizzes.service';
import { snapshotOf } from '../attempts/snapshot.queries';
import { SnapshotsService } from '../attempts/snapshots.service';
import { isVisitor, playerOf, shownName } from '../attempts/visitor.rules';
import { findTop } from '../leaderboard/leaderboard.queries';
import { isLink } from '../links/quiz-links.rules';
import { QuizLinksService } from '../links/quiz-links.service';
import { ReportsService } from '../results/reports.service';
import { SubmissionService } from '../submission/submission.service';
import {
  type OpenQuiz,
  toVisitorAttempt,
  type Tries,
  type VisitorAttempt,
  type VisitorAttemptRow,
  type VisitorLeaderboardRow,
} from './visitor-play.dto';
import { findPublicQuiz } from './visitor-play.queries';

const NOTHING_TO_PRACTISE = {
  ...NOTHING_TO_PLAY,
  error: 'Every question of this attempt was answered correctly.',
};

/**
 * Where a visitor plays: the slug of a public quiz or of an unlisted link, as in the URL; or the preview of a quiz by
 * the account that owns it.
 */
export type PlayedAt = { slug: string } | { previewOf: string; accountId: string };

/**
 * Playing without a key, on the player's page. Such attempts belong to the account of the quiz's owner; within it
 * each belongs to the browser with the token it was started with, and to nobody else.
 */
@Injectable()
export class VisitorPlayService {
  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly owned: OwnedQuizzesService,
    private readonly links: QuizLinksService,
    private readonly quizzes: PlayableQuizzesService,
    private readonly attempts: AttemptsService,
    private readonly snapshots: SnapshotsService,
    private readonly submissions: SubmissionService,
    private readonly reports: ReportsService,
    private readonly clock: Clock,
  ) {}

  /**
   * A quiz as a visitor may open it.
   * @throws NotFound, also for a quiz that is not public; Gone for a link that has closed
   */
  async open(at: PlayedAt): Promise<OpenQuiz> {
    if ('previewOf' in at)
      return this.openOwned(at.accountId, at.previewOf, {
        via: 'preview',
        linkId: null,
        timeFactor: 1,
      });
    if (isLink(at.slug)) {
      const { linkId, quizId, ownerId, timeFactor } = await this.links.open(at.slug);
      return this.openOwned(ownerId, quizId, { via: 'link', linkId, timeFactor });
    }
    const quiz = isStorable(at.slug) ? await findPublicQuiz(this.database, at.slug) : null;
    if (!quiz) throw new NotFound('Quiz');
    return quiz;
  }

  private async openOwned(
    accountId: string,
    quizId: string,
    by: Pick<OpenQuiz, 'via' | 'linkId' | 'timeFactor'>,
  ) {
    const quiz = await this.owned.get(accountId, quizId);
    const { id, ownerId, slug, title, description, language, category, difficulty } = quiz;
    // Not the plays: they are those of the public quiz.
    const shown = { id, ownerId, slug, title, description, language, category, difficulty };
    const maxAttempts = by.via === 'preview' ? null : quiz.maxAttempts;
    const timeLimit = quiz.timeLimit && timeWith(quiz.timeLimit, by.timeFactor);
    const { questionCount, questionsPerAttempt } = quiz;
    return {
      ...shown,
      questionCount,
      plays: 0,
      timeLimit,
      maxAttempts,
      questionsPerAttempt,
      ...by,
    };
  }

  /**
   * Starts an attempt. @returns its id
   * @param name tidied, 1 to LIMITS.content.visitorName characters
   * @throws NotFound, NotPlayable
   */
  async start(
    at: PlayedAt,
    token: string,
    { name, reveal }: { name: string; reveal: boolean },
  ): Promise<string> {
    const { id, ownerId: accountId, via, linkId, timeFactor } = await this.open(at);
    const request = { player: playerOf(token, id, name), shuffle: false, reveal };
    const played = await this.quizzes.snapshot(accountId, id, via);
    const of = { accountId, request, ...played, linkId, timeFactor };
    const attempt = await this.attempts.start(of);
    return attempt.id;
  }

  /**
   * How many tries a browser has left, and its best result; null where it has any number.
   * @param token null for a browser that has not played anything yet
   */
  async tries({ id, ownerId, maxAttempts }: OpenQuiz, token: string | null): Promise<Tries | null> {
    if (maxAttempts === null) return null;
    if (token === null) return { most: maxAttempts, left: maxAttempts, best: null };
    const of = { quizId: id, accountId: ownerId, player: playerOf(token, id, '') };
    const { used, best } = await findTries(this.database, of);
    return { most: maxAttempts, left: Math.max(0, maxAttempts - used), best };
  }

  /** @throws NotFound, also for an attempt of another browser */
  async find(at: PlayedAt, attemptId: string, token: string): Promise<VisitorAttempt> {
    const attempt = await this.getOwn(at, attemptId, token);
    const drawn = await this.snapshots.ofAttempt(this.database, attempt);
    const questions = asPlayed(attempt, drawn);
    const answers = await findAnswers(this.database, [attempt.id]);
    return toVisitorAttempt(attempt, questions, answers, this.clock.now());
  }

  /** @throws NotFound, NotPlayable, Invalid */
  async answer(at: PlayedAt, attemptId: string, token: string, body: AnswerRequest): Promise<void> {
    const attempt = await this.getOwn(at, attemptId, token);
    await this.attempts.answer(attempt.accountId, attempt.id, body);
  }

  /**
   * Starts practice with the questions that a submitted attempt has not answered correctly. It reveals after each answer.
   * @returns its id
   * @throws NotFound; Gone for a link that has closed; NotPlayable without such a question
   */
  async practise(at: PlayedAt, attemptId: string, token: string): Promise<string> {
    const attempt = await this.getOwn(at, attemptId, token);
    if (!attempt.submittedAt) throw new NotFound('Attempt');
    const { accountId, ownerId, player } = attempt;
    // Practice is found by the quiz: not where that was deleted, or the link has closed.
    await this.open(at);
    const questions = await this.snapshots.ofAttempt(this.database, attempt);
    const answers = await findAnswers(this.database, [attempt.id]);
    const correct = new Set(
      answers.filter(({ isCorrect }) => isCorrect).map(({ questionId }) => questionId),
    );
    const wrong = questions.filter((question) => !correct.has(question.id));
    if (wrong.length === 0) throw new NotPlayable(NOTHING_TO_PRACTISE);
    const practice = await this.attempts.start({
      accountId,
      request: { player, shuffle: false, reveal: true },
      snapshot: snapshotOf({ quizId: null, ownerId }, wrong),
    });
    return practice.id;
  }

  /**
   * Reports a question whose answer was revealed to this visitor, to the author of the quiz.
   * @throws NotFound, Invalid, TooManyAttempts, Conflict
   */
  async report(
    at: PlayedAt,
    attemptId: string,
    by: { token: string; address: string },
    questionId: string,
    given: { reason: string; text: string },
  ): Promise<void> {
    const { quiz, questions } = await this.find(at, attemptId, by.token);
    const question = questions.find(({ id }) => id === questionId);
    if ('previewOf' in at || !question?.result) throw new NotFound('Question');
    await this.reports.report(quiz.id, question.id, by, given);
  }

  /**
   * Once submitted it does not change, however often this is called.
   * @param address the client's, according to the proxy settings
   * @throws NotFound, NotPlayable
   */
  async submit(at: PlayedAt, attemptId: string, token: string, address: string): Promise<void> {
    const attempt = await this.getOwn(at, attemptId, token);
    await this.submissions.submit(attempt.accountId, attempt.id, { address });
  }

  /**
   * The ten best of a public quiz; null for others, which have no leaderboard that anybody may see.
   * @param token of the viewer, null if they have not played anything yet
   */
  async top(
    { id, ownerId, via }: OpenQuiz,
    token: string | null,
  ): Promise<VisitorLeaderboardRow[] | null> {
    if (via !== 'public') return null;
    const top = await findTop(this.database, id);
    return top.map(({ accountId, player, score, timeSpent }, index) => ({
      rank: index + 1,
      name: shownName(player),
      score,
      timeSpent,
      // Player ids are public, and an app of another account can use the same ids for its own players.
      isOwn: token !== null && accountId === ownerId && isVisitor(player, token, id),
    }));
  }

  private async getOwn(at: PlayedAt, id: string, token: string): Promise<VisitorAttemptRow> {
    const attempt = isId(id) ? await findNamedAttempt(this.database, id) : null;
    if (!attempt || attempt.accountId !== attempt.ownerId) throw new NotFound('Attempt');
    const { quizId } = attempt;
    const isPreview = 'previewOf' in at;
    if (quizId === null) {
      // A preview, or practice: it belongs to no quiz, so that it counts nowhere.
      const quiz = await this.open(at);
      if (!isVisitor(attempt.player, token, quiz.id)) throw new NotFound('Attempt');
      return { ...attempt, quizId: quiz.id, title: quiz.title, isPractice: !isPreview };
    }
    if (isPreview || !isVisitor(attempt.player, token, quizId)) throw new NotFound('Attempt');
    // An attempt continues when its quiz is deleted, or its link revoked; otherwise it is only found under the URL
    // of its quiz or of a link.
    const isElsewhere = attempt.linkId ? !isLink(at.slug) : attempt.slug !== at.slug;
    if (attempt.slug !== null && isElsewhere) throw new NotFound('Attempt');
    return { ...attempt, quizId, isPractice: false };
  }
}
