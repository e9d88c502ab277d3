import { Injectable } from '@nestjs/common';
import { InjectEntityManager, InjectRepository } from '@nestjs/typeorm';
import { EntityManager, Repository } from 'typeorm';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import type { StoredQuestion } from '../../catalog/quizzes/quizzes.dto';
import { QuizzesService } from '../../catalog/quizzes/quizzes.service';
import { textLine } from '../../catalog/rendering/question-html';
import type { Difficulty } from '../../catalog/vocabulary';
import { Clock } from '../../platform/clock';
import type { Slice } from '../../platform/database/sql';
import { Forbidden, Malformed, NotFound } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { isId } from '../../platform/text/ids';
import { QuizAttempt } from '../attempts/attempt.entity';
import { findAnswers } from '../attempts/attempt.queries';
import { resultOf } from '../attempts/attempts.dto';
import { asPlayed } from '../attempts/attempts.service';
import type { SnapshotQuestion } from '../attempts/snapshot.queries';
import { SnapshotsService } from '../attempts/snapshots.service';
import { shownName } from '../attempts/visitor.rules';
import { checkKey, FEWEST_PLAYERS } from './check-key.rules';
import {
  analyseItem,
  correlationOf,
  ENOUGH_ATTEMPTS,
  flagsOf,
  keyedOf,
  measuredDifficulty,
  positionsOf,
  versionOf,
} from './item-analysis.rules';
import { countOpenReports } from './reports.queries';
import {
  pageTooLarge,
  type QuestionStatisticsResource,
  type QuizStatisticsResource,
  type SubmittedAttempt,
} from './results.dto';
import {
  countResults,
  findItemSums,
  findLatestResults,
  findQuestionFigures,
  findQuizFigures,
  findQuizSums,
  findResults,
  findScores,
  findUnfinished,
  type FoundSums,
  type QuestionFigures,
  type QuizFigures,
  type QuizSums,
  type ResultRow,
} from './results.queries';

export interface ResultsViewer {
  accountId: string;
  isAdmin: boolean;
}

export interface ResultsQuiz {
  id: string;
  title: string;
  slug: string;
  /** Of its texts; null: not said. */
  language: string | null;
  ownerId: string;
  isOwn: boolean;
}

/** A question as it is now, with its figures. */
export interface QuestionStatistics extends QuestionStatisticsResource {
  question: StoredQuestion;
}

/** A question whose key may be wrong, in the words of its author. */
export interface KeyWarning {
  quizId: string;
  questionId: string;
  position: number;
  /** How many players have answered. */
  players: number;
  /** How many chose an answer that may be the correct one, and the answer. */
  chosen: number;
  answer: string;
  /** How many chose the answer that is marked correct, and the answer. */
  keyed: number;
  keyedAnswer: string;
}

export interface QuizStatistics extends QuizSums {
  quiz: ResultsQuiz;
  questions: QuestionStatistics[];
  keyWarnings: KeyWarning[];
}

export type { QuizFigures };

/** What lists of questions show of their results. */
export interface QuestionMarks extends Pick<QuestionFigures, 'flags' | 'openReports'> {
  measured: Difficulty | null;
}

/** Results of a quiz, for its owner and for administrators (docs/playing.md#results). */
@Injectable()
export class ResultsService {
  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    @InjectRepository(Quiz) private readonly quizRepository: Repository<Quiz>,
    @InjectRepository(QuizAttempt) private readonly attemptRepository: Repository<QuizAttempt>,
    private readonly quizzes: QuizzesService,
    private readonly snapshots: SnapshotsService,
    private readonly clock: Clock,
  ) {}

  /**
   * The quiz, if the viewer may see its results: administrators those of published ones.
   * @param viewer null: the service itself
   * @param toChange others are told that it exists, as by every change
   * @throws NotFound, Forbidden
   */
  async quiz(
    viewer: ResultsViewer | null,
    quizId: string,
    refusal = 'This quiz belongs to another account. Only its owner sees its results.',
    toChange = false,
  ): Promise<ResultsQuiz> {
    const select = {
      id: true,
      title: true,
      slug: true,
      language: true,
      ownerId: true,
      published: true,
      isPublic: true,
    };
    const where = { id: quizId };
    const found = isId(quizId) ? await this.quizRepository.findOne({ select, where }) : null;
    if (!found) throw new NotFound('Quiz');
    const { id, title, slug, language, ownerId, published, isPublic } = found;
    const isOwn = ownerId === viewer?.accountId;
    if (!viewer || isOwn || (viewer.isAdmin && published))
      return { id, title, slug, language, ownerId, isOwn };
    // What others cannot see does not exist for them.
    if (!(isPublic || toChange)) throw new NotFound('Quiz');
    throw new Forbidden(refusal, 'not-owner');
  }

  /** Averages of the account's quizzes and what to look at, the last played first. */
  async latest(accountId: string, limit: number) {
    const latest = await findLatestResults(this.database, accountId, limit);
    const figures = await this.figures(latest.map(({ quizId }) => quizId));
    return Promise.all(
      latest.map(async (of) => ({
        ...of,
        openReports: figures.get(of.quizId)?.openReports ?? 0,
        keyWarnings: await this.keyWarnings(of.quizId).catch(noneOfDeleted),
      })),
    );
  }

  /** Questions of a quiz whose key may be wrong. @throws NotFound */
  async keyWarnings(quizId: string): Promise<KeyWarning[]> {
    const quiz = await this.quiz(null, quizId);
    // Most quizzes have been played too little, and a large one takes long to read.
    const { attempts } = await findQuizSums(this.database, quiz.id);
    return attempts < FEWEST_PLAYERS ? [] : (await this.statisticsOf(quiz)).keyWarnings;
  }

  /** @throws NotFound, Forbidden */
  async statistics(viewer: ResultsViewer, quizId: string): Promise<QuizStatistics> {
    return this.statisticsOf(await this.quiz(viewer, quizId));
  }

  /** Of any quiz, with its owner's rights. @throws NotFound */
  async analysis(quizId: string): Promise<QuizStatistics> {
    return this.statisticsOf(await this.quiz(null, quizId));
  }

  private async statisticsOf(quiz: ResultsQuiz): Promise<QuizStatistics> {
    const { questions, questionsPerAttempt } = await this.quizzes.get(quiz.ownerId, quiz.id);
    const played = Math.min(questionsPerAttempt ?? Infinity, questions.length);
    const [sums, items, reports] = await Promise.all([
      findQuizSums(this.database, quiz.id),
      findItemSums(
        this.database,
        quiz.id,
        questions.map((question) => ({ version: versionOf(question), keyed: keyedOf(question) })),
      ),
      countOpenReports(this.database, quiz.id),
    ]);
    const figures = questions.map((question, index) => ({
      question,
      order: index + 1,
      ...toStatistics(question, items.get(versionOf(question)), played - 1),
      openReports: reports.get(question.id) ?? 0,
    }));
    const keyWarnings = figures.flatMap((of) => keyWarningOf(quiz.id, of) ?? []);
    return { quiz, ...sums, questions: figures, keyWarnings };
  }

  /** How many attempts have which score in tenths, and who has started and not finished. @throws NotFound, Forbidden */
  async progress(viewer: ResultsViewer, quizId: string) {
    const { id } = await this.quiz(viewer, quizId);
    const [scores, unfinished] = await Promise.all([
      findScores(this.database, id),
      findUnfinished(this.database, id, LISTED),
    ]);
    const { players, total } = unfinished;
    return { scores, unfinished: { names: players.map(shownName), total } };
  }

  /** For lists of quizzes that the viewer may see. */
  figures(quizIds: readonly string[]): Promise<Map<string, QuizFigures>> {
    return findQuizFigures(this.database, quizIds, this.clock.now());
  }

  /** For lists of questions that the viewer may see, by the id. `measured`: null while too few have answered. */
  async questionFigures(
    questions: readonly (StoredQuestion & { quizId: string })[],
  ): Promise<Map<string, QuestionMarks>> {
    const keyed = questions.map((question) => ({
      id: question.id,
      quizId: question.quizId,
      version: versionOf(question),
      keyed: keyedOf(question),
    }));
    const found = await findQuestionFigures(this.database, keyed);
    return new Map(
      [...found].map(([id, { attempts, correct, flags, openReports }]) => {
        const isMeasured = attempts >= ENOUGH_ATTEMPTS;
        const measured = isMeasured ? measuredDifficulty((100 * correct) / attempts) : null;
        return [id, { measured, flags, openReports }];
      }),
    );
  }

  /**
   * Submitted attempts, newest first, and how many there are.
   * @throws NotFound, Forbidden; Malformed if they have more answers than a page may have
   */
  async attempts(
    viewer: ResultsViewer,
    quizId: string,
    { since = null, ...page }: Slice & { since?: Date | null },
  ): Promise<{ attempts: SubmittedAttempt[]; total: number }> {
    const quiz = await this.quiz(viewer, quizId);
    const bytes = LIMITS.requests.resultPageBytes.value;
    const [rows, total, questions] = await Promise.all([
      findResults(this.database, quiz.id, since, { ...page, bytes }),
      countResults(this.database, quiz.id, since),
      this.questionsOf(quiz),
    ]);
    const whole = withAnswers(rows);
    if (whole.length < rows.length)
      throw new Malformed(pageTooLarge(bytes, whole.length), 'page-too-large');
    return { attempts: inOrder(whole, questions), total };
  }

  /** The same for a list without answers. @throws NotFound, Forbidden */
  async players(viewer: ResultsViewer, quizId: string, page: Slice) {
    const { id } = await this.quiz(viewer, quizId);
    const [rows, total] = await Promise.all([
      findResults(this.database, id, null, { ...page, bytes: 0 }),
      countResults(this.database, id, null),
    ]);
    const attempts = rows.map((row) => ({ ...row, name: shownName(row.player) }));
    return { attempts, total };
  }

  /** The attempts of a file, as many as it may have, and the questions as they are now. @throws NotFound, Forbidden */
  async allAttempts(viewer: ResultsViewer, quizId: string, since: Date | null = null) {
    const quiz = await this.quiz(viewer, quizId);
    const questions = await this.questionsOf(quiz);
    // The columns of results-csv.ts.
    const columns = 7 + 2 * questions.length;
    const most = Math.floor(LIMITS.requests.resultCells.value / columns);
    return { quiz, questions, attempts: this.readAttempts(quiz, questions, since, most) };
  }

  /** Newest first, a page at a time: all of them may be more than the memory of the process. */
  private async *readAttempts(
    { id }: ResultsQuiz,
    questions: readonly StoredQuestion[],
    since: Date | null,
    most: number,
  ): AsyncGenerator<SubmittedAttempt> {
    let before: WholeRow | undefined;
    for (let left = most; left > 0;) {
      const bytes = LIMITS.requests.resultPageBytes.value;
      const page = { limit: Math.min(PAGE, left), offset: 0, bytes };
      const rows = await findResults(this.database, id, since, page, before);
      const whole = withAnswers(rows);
      yield* inOrder(whole, questions);
      if (whole.length === 0 || (whole.length === rows.length && rows.length < PAGE)) return;
      left -= whole.length;
      before = whole.at(-1);
    }
  }

  /** One submitted attempt with its questions as they were. @throws NotFound, Forbidden */
  async attempt(viewer: ResultsViewer, quizId: string, attemptId: string) {
    const quiz = await this.quiz(viewer, quizId);
    const attempt = isId(attemptId)
      ? await this.attemptRepository.findOneBy({ id: attemptId })
      : null;
    if (attempt?.quizId !== quiz.id || !attempt.submittedAt) throw new NotFound('Attempt');
    const [questions, answers] = await Promise.all([
      this.snapshots.ofAttempt(this.database, attempt),
      findAnswers(this.database, [attempt.id]),
    ]);
    const given = new Map(answers.map((answer) => [answer.questionId, answer]));
    return {
      quiz,
      name: shownName(attempt.player),
      score: attempt.score ?? 0,
      timeSpent: attempt.timeSpent ?? 0,
      submittedAt: attempt.submittedAt,
      questions: asPlayed(attempt, questions).map((question: SnapshotQuestion) => ({
        question,
        ...resultOf(question, given.get(question.id)),
      })),
    };
  }

  private async questionsOf({ id, ownerId }: ResultsQuiz): Promise<StoredQuestion[]> {
    return (await this.quizzes.get(ownerId, id)).questions;
  }
}

/** A quiz may be deleted after the list has named it. */
function noneOfDeleted(error: unknown): [] {
  if (error instanceof NotFound) return [];
  throw error;
}

/** Attempts that a file reads at once: as many as a page of the API. */
const PAGE = 50;

/** How many players who have not finished are listed. */
const LISTED = 50;

function keyWarningOf(quizId: string, of: QuestionStatistics): KeyWarning | null {
  const { question, checkKey, options, attempts, unanswered } = of;
  if (!checkKey) return null;
  const { answerId, chosen, keyed } = checkKey;
  const texts = (which: (option: (typeof options)[number]) => boolean) =>
    options.flatMap((it) => (which(it) ? [textLine(it.text, question.format)] : [])).join('; ');
  return {
    quizId,
    questionId: question.id,
    position: question.position,
    players: attempts - unanswered,
    chosen,
    answer: texts((option) => option.answerId === answerId),
    keyed,
    keyedAnswer: texts(({ isCorrect }) => isCorrect),
  };
}

/** Statistics as the API and assistants return them. */
export const toQuizStatistics = (of: QuizStatistics): QuizStatisticsResource => ({
  quizId: of.quiz.id,
  attempts: of.attempts,
  averagePercent: of.percent,
  averageTime: of.seconds,
  questions: of.questions.map(({ question: _, ...statistics }) => statistics),
});

type WholeRow = Omit<SubmittedAttempt, 'name'>;

/** Those whose answers had room. */
const withAnswers = (rows: readonly ResultRow[]): WholeRow[] =>
  rows.flatMap(({ answers, ...row }) => (answers ? [{ ...row, answers }] : []));

function inOrder(rows: WholeRow[], questions: readonly StoredQuestion[]): SubmittedAttempt[] {
  const place = new Map(questions.map(({ id }, index) => [id, index]));
  const placeOf = ({ questionId }: { questionId: string }) => place.get(questionId) ?? Infinity;
  return rows.map((row) => ({
    ...row,
    name: shownName(row.player),
    answers: row.answers.sort((a, b) => placeOf(a) - placeOf(b) || 0),
  }));
}

function toStatistics(
  question: StoredQuestion,
  found: FoundSums | undefined,
  others: number,
): Omit<QuestionStatisticsResource, 'order' | 'openReports'> {
  const { type, text, answers, difficulty } = question;
  const sums = found?.sums;
  const choices = found?.choices ?? [];
  const enough = sums !== undefined && sums.attempts >= ENOUGH_ATTEMPTS;
  const chosenBy = answers.map(() => ({ attempts: 0, rest: 0 }));
  for (const { chosen, attempts, rest } of choices)
    for (const position of new Set(positionsOf(chosen))) {
      const of = chosenBy[position];
      if (of) {
        of.attempts += attempts;
        of.rest += rest;
      }
    }
  const options = answers.map(({ id, text, isCorrect }, index) => {
    const of = chosenBy[index]!;
    const discrimination = enough ? 100 * correlationOf(of, sums) : null;
    return { answerId: id, text, isCorrect, chosen: of.attempts, discrimination };
  });
  const analysis = enough ? analyseItem(sums) : null;
  const doubted =
    found && type !== 'OPEN_ENDED'
      ? checkKey(found.cells, { keyed: keyedOf(question), answers: answers.length, others })
      : null;
  return {
    questionId: question.id,
    text,
    type,
    difficulty,
    attempts: sums?.attempts ?? 0,
    correct: sums?.correct ?? 0,
    unanswered: choices.find(({ chosen }) => chosen === '')?.attempts ?? 0,
    options: type === 'OPEN_ENDED' ? [] : options,
    analysis: analysis && {
      ...analysis,
      measuredDifficulty: measuredDifficulty(analysis.facility),
    },
    checkKey: doubted && {
      answerId: answers[doubted.position]?.id ?? '',
      chosen: doubted.chosen,
      keyed: doubted.keyed,
    },
    flags: !sums
      ? []
      : flagsOf(difficulty, sums, choices).map(({ kind, positions }) => ({
          kind,
          answerIds: positions.flatMap((position) => answers[position]?.id ?? []),
        })),
  };
}
