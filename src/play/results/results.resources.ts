import { EXAMPLE_ANSWERS, EXAMPLE_QUESTION, EXAMPLE_QUIZ } from '../../catalog/resources';
import type { Difficulty, QuestionType } from '../../catalog/vocabulary';
import { ChoiceField, LimitField, OffsetField } from '../../platform/http/request/query-fields';
import { TimeField } from '../../platform/http/request/text-fields';
import {
  Choice,
  Field,
  Flag,
  ListOf,
  Named,
  Text,
  Texts,
  Whole,
} from '../../platform/openapi/fields';
import { RecordedAnswer } from '../play.resources';
import { ENOUGH_ATTEMPTS, FLAG_KINDS, type FlagKind } from './item-analysis.rules';

/** The requests and responses of results (docs/playing.md#results). */

const FORMAT = ChoiceField(['json', 'csv'], {
  description:
    '`csv` is a file for spreadsheets, with all results: `limit` and `offset` are ignored.',
});

/** Query of GET /quizzes/{id}/statistics. */
export class StatisticsQuery {
  @FORMAT
  format: 'json' | 'csv' = 'json';
}

/** Query of GET /quizzes/{id}/attempts. */
export class ListAttemptsQuery extends StatisticsQuery {
  @TimeField({
    optional: true,
    description: 'Attempts submitted from this time on.',
    example: '2026-01-01T00:00:00Z',
  })
  since?: Date;

  @LimitField('Maximum number of attempts.')
  limit: number = 10;

  @OffsetField('Number of attempts to skip.')
  offset: number = 0;
}

class GivenAnswer extends RecordedAnswer {
  @Flag('Whether the answer is correct.', true) correct!: boolean;
}

export class SubmittedAttempt {
  @Text('The id of the attempt.', '019a9f3e-6c00-7000-8000-000000000040') id!: string;
  @Text('The player, as your app or the player’s page named them.', 'user-17') player!: string;
  @Text('The name that is shown.', 'user-17') name!: string;
  @Whole('Number of correct answers.', 1) score!: number;
  @Whole('Number of questions.', 1) total!: number;
  @Whole('Seconds from the start to the submission.', 73) timeSpent!: number;
  @Text('When it was started.', '2026-01-01T12:00:00.000Z') startedAt!: Date;
  @Text('When it was submitted.', '2026-01-01T12:01:13.000Z') submittedAt!: Date;
  @Flag(
    'Whether it counts in the statistics: the first of its player, with at least one answer.',
    true,
  )
  counted!: boolean;
  @ListOf(GivenAnswer, 'The given answers; unanswered questions are left out.')
  answers!: GivenAnswer[];
}

const percent = (description: string, example: number, nullable = false) =>
  Field({ type: 'number', description, example, ...(nullable && { nullable }) });

class ItemAnalysis {
  @percent('Facility index: the share of correct answers, in percent.', 62.5) facility!: number;
  @percent('Standard deviation of the mark, in percent.', 48.9) standardDeviation!: number;
  @percent('Correlation with the score on the other questions, in percent.', 41.2, true)
  discriminationIndex!: number | null;
  @percent('Covariance with that score, in percent of the largest possible.', 55.1, true)
  discriminativeEfficiency!: number | null;
  @Named('Difficulty') measuredDifficulty!: Difficulty;
}

class OptionStatistics {
  @Text('The answer.', EXAMPLE_ANSWERS[0]) answerId!: string;
  @Text('The answer as players read it.', 'The Danube') text!: string;
  @Flag('Whether it is correct.', true) isCorrect!: boolean;
  @Whole('How many attempts have this answer.', 20) chosen!: number;
  @percent(
    'Correlation of choosing it with the score on the other questions, in percent.',
    41.2,
    true,
  )
  discrimination!: number | null;
}

class QuestionFlag {
  @Choice(
    '`key`: good players choose another answer. `discrimination`: good players answer correctly less often. `difficulty`: far from the declared one.',
    FLAG_KINDS,
  )
  kind!: FlagKind;
  @Texts('With `key`: the answers that good players choose.', 'An id.', EXAMPLE_ANSWERS[1])
  answerIds!: string[];
}

export class QuestionStatisticsResource {
  @Text('The question.', EXAMPLE_QUESTION) questionId!: string;
  @Whole('Its place in the quiz, from 1.', 1) order!: number;
  @Text('The question.', 'Which river flows through Vienna?') text!: string;
  @Named('QuestionType') type!: QuestionType;
  @Named('Difficulty') difficulty!: Difficulty;
  @Whole('Attempts at the question as it is now.', 32) attempts!: number;
  @Whole('How many of them are correct.', 20) correct!: number;
  @Whole('How many left it out.', 2) unanswered!: number;
  @ListOf(OptionStatistics, 'Its answers; empty for OPEN_ENDED.') options!: OptionStatistics[];
  @Field({
    type: ItemAnalysis,
    nullable: true,
    description: `Moodle’s item analysis; null below ${ENOUGH_ATTEMPTS} attempts.`,
  })
  analysis!: ItemAnalysis | null;
  @ListOf(QuestionFlag, 'What to look at.') flags!: QuestionFlag[];
  @Whole('Reports of players that are not closed.', 0) openReports!: number;
}

export class QuizStatisticsResource {
  @Text('The quiz.', EXAMPLE_QUIZ) quizId!: string;
  @Whole('The first attempts of players, with at least one answer.', 32)
  attempts!: number;
  @percent('Mean score in percent; null without an attempt.', 62.5, true)
  averagePercent!: number | null;
  @percent('Mean time in seconds; null without an attempt.', 73.4, true)
  averageTime!: number | null;
  @ListOf(QuestionStatisticsResource, 'The questions as they are now, in order.', {
    maxItems: 1_000,
  })
  questions!: QuestionStatisticsResource[];
}
