import { EXAMPLE_ANSWERS, EXAMPLE_QUESTION, EXAMPLE_QUIZ } from '../../catalog/quizzes/quizzes.dto';
import type { Difficulty, QuestionType } from '../../catalog/vocabulary';
import { ChoiceField, LimitField, OffsetField } from '../../platform/http/request/query-fields';
import { TimeField } from '../../platform/http/request/text-fields';
import { LIMITS } from '../../platform/limits/limits';
import type { Failure } from '../../platform/openapi/failures';
import { Choice, Example, Field, Named, Whole } from '../../platform/openapi/fields';
import { MEBIBYTE } from '../../platform/sizes';
import { RecordedAnswer } from '../attempts/attempts.dto';
import { FLAG_KINDS, type FlagKind } from './item-analysis.rules';

/** The requests and responses of results (docs/playing.md#results). */

/** Query of GET /quizzes/{id}/statistics. */
export class StatisticsQuery {
  /** `csv` is a file for spreadsheets. */
  @ChoiceField(['json', 'csv'])
  format: 'json' | 'csv' = 'json';
}

/** Query of GET /quizzes/{id}/attempts. */
export class ListAttemptsQuery {
  /** `csv` is a file for spreadsheets, with all results: `limit` and `offset` are ignored. */
  @ChoiceField(['json', 'csv'])
  format: 'json' | 'csv' = 'json';

  /** Attempts submitted from this time on. @example 2026-01-01T00:00:00Z */
  @TimeField({ optional: true })
  since?: Date;

  /** Maximum number of attempts. */
  @LimitField()
  limit: number = 10;

  /** Number of attempts to skip. */
  @OffsetField()
  offset: number = 0;
}

/** @param fitting how many of the attempts fit */
export const pageTooLarge = (bytes: number, fitting: number): string =>
  `The answers of these attempts are larger than ${bytes / MEBIBYTE} MiB: set limit to ${fitting}, or use format=csv.`;

export const PAGE_TOO_LARGE: Failure = {
  status: 400,
  name: 'page-too-large',
  title: 'The attempts of the page have too many answers',
  error: pageTooLarge(LIMITS.requests.resultPageBytes.value, 12),
  fix: 'Set `limit` to the number in the message or a smaller one, or use `format=csv`.',
};

export class GivenAnswer extends RecordedAnswer {
  /** Whether the answer is correct. @example true */
  correct!: boolean;
}

export class SubmittedAttempt {
  /** The id of the attempt. @example 019a9f3e-6c00-7000-8000-000000000040 */
  id!: string;
  /** The player, as your app or the player’s page named them. @example user-17 */
  player!: string;
  /** The name that is shown. @example user-17 */
  name!: string;
  /** Number of correct answers. @example 1 */
  @Whole() score!: number;
  /** Number of questions. @example 1 */
  @Whole() total!: number;
  /** Seconds from the start to the submission. @example 73 */
  @Whole() timeSpent!: number;
  /** When it was started. @example 2026-01-01T12:00:00.000Z */
  startedAt!: Date;
  /** When it was submitted. @example 2026-01-01T12:01:13.000Z */
  submittedAt!: Date;
  /**
   * Whether it counts in the statistics: the first of its player, with at least one answer.
   * @example true
   */
  counted!: boolean;
  /** The given answers; without the unanswered questions. */
  answers!: GivenAnswer[];
}

export class ItemAnalysis {
  /** Facility index: the share of correct answers, in percent. @example 62.5 */
  facility!: number;
  /** Standard deviation of the mark, in percent. @example 48.9 */
  standardDeviation!: number;
  /**
   * Correlation with the score on the other questions, in percent; null if all answers or all of these scores are equal.
   * @example 41.2
   */
  discriminationIndex!: number | null;
  /** Covariance with that score, in percent of the largest possible; null where that is 0. @example 55.1 */
  discriminativeEfficiency!: number | null;
  @Named('Difficulty') measuredDifficulty!: Difficulty;
}

export class OptionStatistics {
  /** The id of the answer. */
  @Example(EXAMPLE_ANSWERS[0]) answerId!: string;
  /** The answer as players read it. @example "The Danube" */
  text!: string;
  /** Whether it is correct. @example true */
  isCorrect!: boolean;
  /** How many attempts have this answer. @example 20 */
  @Whole() chosen!: number;
  /**
   * Correlation of choosing it with the score on the other questions, in percent; null below 30 attempts.
   * @example 41.2
   */
  discrimination!: number | null;
}

export class QuestionFlag {
  /**
   * `key`: good players choose another answer. `discrimination`: good players answer correctly less often.
   * `difficulty`: far from the declared one.
   */
  @Choice(FLAG_KINDS)
  kind!: FlagKind;
  /** With `key`: the answers that good players choose. */
  @Example([EXAMPLE_ANSWERS[1]])
  answerIds!: string[];
}

export class KeyToCheck {
  /** The answer that may be the correct one. */
  @Example(EXAMPLE_ANSWERS[1]) answerId!: string;
  /** How many players chose it. @example 19 */
  @Whole() chosen!: number;
  /** How many chose the answers that are marked as correct, and no other. @example 4 */
  @Whole() keyed!: number;
}

export class QuestionStatisticsResource {
  /** The id of the question. */
  @Example(EXAMPLE_QUESTION) questionId!: string;
  /** Its place in the quiz, from 1. @example 1 */
  @Whole() order!: number;
  /** The question. @example "Which river flows through Vienna?" */
  text!: string;
  @Named('QuestionType') type!: QuestionType;
  @Named('Difficulty') difficulty!: Difficulty;
  /** Attempts at the question with its present text and answers, under any key. @example 32 */
  @Whole() attempts!: number;
  /** How many of them are correct by the present key. @example 20 */
  @Whole() correct!: number;
  /** How many left it out. @example 2 */
  @Whole() unanswered!: number;
  /** Its answers; empty for OPEN_ENDED. */
  options!: OptionStatistics[];
  /** Moodle’s item analysis; null below 30 attempts. */
  analysis!: ItemAnalysis | null;
  /**
   * The key may be wrong: from 5 players on, if they choose another answer in the way that players choose a correct
   * one. Null: nothing speaks against the key.
   */
  checkKey!: KeyToCheck | null;
  /** What to look at. */
  flags!: QuestionFlag[];
  /** Reports of players that are not closed. @example 0 */
  @Whole() openReports!: number;
}

export class QuizStatisticsResource {
  /** The id of the quiz. */
  @Example(EXAMPLE_QUIZ) quizId!: string;
  /** The first attempts of players, with at least one answer. @example 32 */
  @Whole()
  attempts!: number;
  /**
   * Mean score in percent; null without an attempt. Scores follow a changed key only with `POST /quizzes/{id}/regrade`,
   * while `correct` of a question always counts by the present key.
   * @example 62.5
   */
  averagePercent!: number | null;
  /** Mean time in seconds; null without an attempt. @example 73.4 */
  averageTime!: number | null;
  /** The questions as they are now, in order. */
  @Field({ maxItems: LIMITS.content.questionsPerQuiz.value })
  questions!: QuestionStatisticsResource[];
}
