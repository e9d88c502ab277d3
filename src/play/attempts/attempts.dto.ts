import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsObject,
  IsOptional,
  IsString,
  ValidateBy,
} from 'class-validator';
import { EXAMPLE_ANSWERS, EXAMPLE_QUESTION, EXAMPLE_QUIZ } from '../../catalog/quizzes/quizzes.dto';
import { answersWithHtml, textHtml } from '../../catalog/rendering/question-html';
import type { RenderedTexts } from '../../catalog/rendering/rendered-texts';
import {
  DIFFICULTIES,
  type Difficulty,
  QUESTION_FORMATS,
  QUESTION_TYPES,
  type QuestionFormat,
  type QuestionType,
  type StoredAnswer,
} from '../../catalog/vocabulary';
import { HOUR, SECOND } from '../../platform/durations';
import { listItems } from '../../platform/http/request/query-fields';
import {
  BooleanField,
  EachItem,
  MaxCodePoints,
  Nested,
  NotBlank,
  NumberField,
  TextField,
  WholeField,
} from '../../platform/http/request/text-fields';
import { LIMITS } from '../../platform/limits/limits';
import type { Failure } from '../../platform/openapi/failures';
import { Choice, Example, Field, Named, text, Whole } from '../../platform/openapi/fields';
import { MEBIBYTE } from '../../platform/sizes';
import { canonicalLanguage, LANGUAGE_FORM } from '../../platform/text/language.rules';
import { fold } from '../../platform/text/text.rules';
import {
  ATTEMPT_LASTS,
  GRACE,
  isMultiple,
  shuffledFor,
  spellingOf,
  TIME_FACTOR,
  tooManyVersions,
} from './attempt.rules';
import type { AttemptAnswer } from './attempt-answer.entity';
import type { SnapshotQuestion } from './snapshot.queries';
import { hasInvisible, RESERVED, tidyPlayer } from './visitor.rules';

/** The requests, responses and errors of attempts (docs/playing.md). */

const { answerText, playerId, questionsPerQuiz, quizBytes } = LIMITS.content;
const MOST_QUESTIONS = questionsPerQuiz.value.toLocaleString('en');
const MOST_TEXT = `${quizBytes.value / MEBIBYTE} MiB`;

const EXAMPLE_ATTEMPT = '019a9f3e-6c00-7000-8000-000000000040';

export const ATTEMPT_ID = ['The id of the attempt.', EXAMPLE_ATTEMPT] as const;

/** The player of an attempt, and how it shows its questions. */
export class AttemptRequest {
  /**
   * Your own ID for the player, not beginning with `web:` and without invisible characters. The leaderboard shows it,
   * so do not use an e-mail address.
   * @example user-17
   */
  // An id chosen by the caller, on one line and in Unicode's composed form, as names on the player's page are.
  @Field({ type: 'string', maxLength: playerId.value, minLength: 1, pattern: '\\S' })
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? tidyPlayer(value) : value,
  )
  @IsString({ message: '$path must be a string' })
  @NotBlank()
  @MaxCodePoints(playerId.value)
  @ValidateBy({
    name: 'reserved',
    validator: {
      validate: (value: unknown) =>
        typeof value !== 'string' || !value.toLowerCase().startsWith(RESERVED),
      defaultMessage: () =>
        `$path must not begin with "${RESERVED}", which is reserved for visitors of the player's page`,
    },
  })
  @ValidateBy({
    name: 'invisible',
    validator: {
      validate: (value: unknown) => typeof value !== 'string' || !hasInvisible(value),
      defaultMessage: () =>
        '$path must not contain invisible characters, such as a zero-width space: remove them',
    },
  })
  player!: string;

  /** Whether to shuffle the questions too; answers always are. @example true */
  @BooleanField({ optional: true })
  shuffle: boolean = false;

  /** Whether each answer is graded immediately. @example false */
  @BooleanField({ optional: true })
  reveal: boolean = false;
}

/** Body of POST /quizzes/{id}/attempts (docs/playing.md). */
export class StartAttemptRequest extends AttemptRequest {
  /**
   * Multiplies the quiz's time limit for this player, for example as an accommodation. Requires a key of the quiz's owner
   * with the scope `read`, because keys in web pages are public. `null` means 1. Has no effect without a time limit.
   * @example 1
   */
  @NumberField({ ...TIME_FACTOR, optional: true })
  timeFactor?: number | null;
}

/** An array, or a comma-separated string, as in the query parameters of lists. */
const ListOfStrings = (read: (item: string) => string, values?: readonly string[]) => {
  const most = LIMITS.requests.listItems.value;
  const items = { type: 'string', ...(values && { enum: values }) };
  const one = values ? `one of: ${values.join(', ')}` : 'a string';
  return applyDecorators(
    Field({
      continued: `: an array of at most ${most}, or a comma-separated string.`,
      anyOf: [{ type: 'array', items, maxItems: most }, { type: 'string' }],
      optional: true,
    }),
    Transform(({ value }: { value: unknown }) => {
      const given =
        typeof value === 'string' ? listItems(value) : ([value ?? []].flat() as unknown[]);
      const texts = given.map((item) => (typeof item === 'string' ? read(item) : item));
      return [...new Set(texts.filter((text) => text !== ''))];
    }),
    ArrayMaxSize(most, { message: `$path must list at most ${most} values` }),
    EachItem(
      values ? 'isIn' : 'itemType',
      (item) => typeof item === 'string' && (!values || values.includes(item)),
      `must be ${one}`,
    ),
  );
};

/** Which questions an attempt across quizzes draws from: the filters of browsing. */
export class AttemptFilter {
  /** Names of categories. @example ["Rivers & Lakes"] */
  @ListOfStrings(fold)
  category: string[] = [];

  /** Difficulties. @example ["EASY", "MEDIUM"] */
  @ListOfStrings((item) => item.toUpperCase(), DIFFICULTIES)
  difficulty: Difficulty[] = [];

  /** Question types. @example ["MULTIPLE_CHOICE"] */
  @ListOfStrings((item) => item, QUESTION_TYPES)
  type: QuestionType[] = [];

  /** Tags, of which one is enough. @example ["rivers"] */
  @ListOfStrings(fold)
  tags: string[] = [];

  /** Languages of the quiz as BCP 47 tags; `de` also finds `de-AT`. @example ["de"] */
  @ListOfStrings((item) => canonicalLanguage(item) ?? item)
  @EachItem(
    'language',
    (item) => typeof item !== 'string' || canonicalLanguage(item) !== null,
    `must be ${LANGUAGE_FORM}`,
  )
  language: string[] = [];
}

/** Body of POST /attempts (docs/playing.md). */
export class DrawAttemptRequest extends AttemptRequest {
  /** Absent: all questions. */
  @Field({ type: AttemptFilter, optional: true })
  @IsOptional()
  @IsObject({ message: '$path must be an object' })
  @Nested(() => AttemptFilter)
  filter?: AttemptFilter | null;

  /** How many questions to draw. If fewer match, the attempt has those. @example 10 */
  @WholeField({ minimum: 1, maximum: LIMITS.requests.drawnQuestions.value })
  count!: number;
}

/** Body of POST /attempts/{id}/answers (docs/playing.md): one of `answerIds` and `text`. */
export class AnswerRequest {
  /** A question of this attempt. */
  @Example(EXAMPLE_QUESTION)
  @TextField()
  questionId!: string;

  /** The ids of the chosen answers. TRUE_FALSE takes exactly one. */
  @Example([EXAMPLE_ANSWERS[0]])
  @Field({ type: 'array', nullable: true, optional: true, items: { type: 'string' }, minItems: 1 })
  @IsOptional()
  @IsArray({ message: '$path must be an array of answer ids' })
  @IsString({ each: true, message: '$path must be an array of answer ids' })
  @ArrayMinSize(1, { message: '$path must hold at least 1 answer id' })
  answerIds?: string[] | null;

  /** The typed answer. Texts of more than 100 bytes in UTF-8 may have 16 KiB together in an attempt. */
  @Example(null)
  @TextField({ max: answerText.value, optional: true, filled: true })
  text?: string | null;
}

/** An answer to choose, without whether it is correct. */
export class PlayedAnswer {
  /** The id of the answer, as `answerIds` takes it. */
  @Example(EXAMPLE_ANSWERS[0]) id!: string;
  /** The answer as players read it. @example "The Danube" */
  text!: string;
  /** The same as HTML. @example "The Danube" */
  html!: string;
}

export class PlayedQuestion {
  /** Its id in the quiz. */
  @Example(EXAMPLE_QUESTION) id!: string;
  /** The question. @example "Which river flows through Vienna?" */
  text!: string;
  /** How its texts are written: shown as they are, or in Markdown. @example plain */
  @Choice(QUESTION_FORMATS)
  format!: QuestionFormat;
  /** The language of its texts (BCP 47); null if unknown. @example en */
  language!: string | null;
  /**
   * The question as HTML, which needs no sanitising: no scripts, no styles, images of this service only, formulas as MathML.
   * @example "Which river flows through Vienna?"
   */
  html!: string;
  @Named('QuestionType') type!: QuestionType;
  @Named('Difficulty') difficulty!: Difficulty;
  /** Its place in this attempt, from 1. @example 1 */
  @Whole() order!: number;
  /**
   * Whether more than one answer is correct: show check boxes. Otherwise show radio buttons.
   * @example false
   */
  multiple!: boolean;
  /** Shuffled for this attempt; empty for OPEN_ENDED. */
  answers!: PlayedAnswer[];
}

export class Attempt {
  /** The id of the attempt, for its URLs in the API. */
  @Example(EXAMPLE_ATTEMPT) id!: string;
  /** The quiz; null for an attempt across quizzes. */
  @Example(EXAMPLE_QUIZ)
  quizId!: string | null;
  /** The player's ID, as you sent it. @example user-17 */
  player!: string;
  /** When the time limit ends; null without one. */
  @Example(null)
  endsAt!: Date | null;
  /** The questions, without their solutions. */
  questions!: PlayedQuestion[];
}

export class AttemptState extends Attempt {
  /** How many answers were correct; null until it is submitted. @example 1 */
  @Whole()
  score!: number | null;
  /** How many questions there are. @example 1 */
  @Whole() total!: number;
  /** Seconds from the start to the submit; null until then. @example 73 */
  @Whole()
  timeSpent!: number | null;
}

export class RecordedAnswer {
  /** The id of the question. */
  @Example(EXAMPLE_QUESTION) questionId!: string;
  /** The ids of the chosen answers; null for OPEN_ENDED and, in results, for an unanswered question. */
  @Field({ type: 'array', nullable: true, items: text('An id.', EXAMPLE_ANSWERS[0]) })
  answerIds!: string[] | null;
  /** The typed answer, trimmed; null for a choice and, in results, for an unanswered question. */
  @Example(null) text!: string | null;
}

export class Result extends RecordedAnswer {
  /** Whether the answer is correct. @example true */
  correct!: boolean;
  /** The correct answers; for OPEN_ENDED the accepted ones. */
  correctAnswers!: PlayedAnswer[];
  /**
   * The accepted answer, where `text` counts as correct in spite of a typing error (`acceptTypos` of the quiz); otherwise
   * null.
   */
  @Example(null) spelling!: string | null;
  /** Why they are correct. @example "The Danube flows through ten countries." */
  explanation!: string | null;
  /** The same as HTML. @example "The Danube flows through ten countries." */
  explanationHtml!: string | null;
}

export const NOTHING_TO_PLAY: Failure = {
  status: 422,
  name: 'nothing-to-play',
  title: 'The quiz cannot be played',
  error: 'This quiz has no questions yet, so it cannot be played.',
  fix: `Choose a quiz with questions (\`questionCount\`); at most ${MOST_QUESTIONS} questions and ${MOST_TEXT} of text can be played.`,
};

/** Of a quiz from before these limits. */
export const TOO_LARGE_TO_PLAY = {
  ...NOTHING_TO_PLAY,
  error: `This quiz is too large to be played: the limits are ${MOST_QUESTIONS} questions and ${MOST_TEXT} of text.`,
};

export const NO_TIME_FACTOR: Failure = {
  status: 403,
  name: 'time-factor-not-allowed',
  title: 'Only the owner of the quiz can give players more time',
  error:
    "Only the quiz's owner gives players more time. Leave `timeFactor` out, or use a key of that account with the scope `read`.",
  fix: 'Leave `timeFactor` out, or send the request from your server with a key of the account that owns the quiz.',
};

export const TOO_MANY_VERSIONS: Failure = {
  status: 422,
  ...tooManyVersions(LIMITS.storage.snapshots.value),
  title: 'Too many versions of changed quizzes are stored',
  fix: 'Try again later: versions are deleted when their attempts are.',
};

export const NO_MATCH: Failure = {
  status: 422,
  name: 'no-question-matches',
  title: 'No question matches the filter',
  error: 'No question matches the filter, so there is nothing to play. Choose a wider filter.',
  fix: 'Ask `GET /questions/counts` which categories, difficulties and types have questions.',
};

export const ATTEMPT_EXPIRED: Failure = {
  status: 422,
  name: 'attempt-expired',
  title: 'The attempt has expired',
  error: `This attempt has expired: it could be played for ${ATTEMPT_LASTS / HOUR} hours. Start another.`,
  fix: 'Start another attempt.',
};

export const ATTEMPT_SUBMITTED: Failure = {
  status: 422,
  name: 'attempt-submitted',
  title: 'The attempt is over',
  error: 'This attempt has been submitted and accepts no more answers.',
  fix: 'Start another attempt to play again.',
};

export const TIME_OVER: Failure = {
  status: 422,
  name: 'time-over',
  title: 'The time for the attempt is over',
  error:
    'The time for this attempt is over. Submit it: the answers that were given in time are scored.',
  fix: `Submit the attempt. Its \`endsAt\` says when its time is over; answers are accepted for another ${GRACE / SECOND} seconds.`,
};

export const NO_ATTEMPTS_LEFT: Failure = {
  status: 422,
  name: 'no-attempts-left',
  title: 'The player has no attempts left',
  error:
    'No attempts are left: the author of this quiz allows 2 for each player. The best result is 3 of 5.',
  fix: 'Choose another quiz. Its author can allow more with `maxAttempts`.',
};

export const ANSWER_REVEALED: Failure = {
  status: 422,
  name: 'answer-revealed',
  title: 'The correct answer was already revealed',
  error: 'This question has been answered and its solution revealed: the first answer counts.',
  fix: 'Continue with the next question.',
};

export const ATTEMPT_NOT_FOUND: Failure = {
  status: 404,
  name: 'attempt-not-found',
  title: 'The attempt does not exist or is not yours',
  error: 'Attempt not found.',
  fix: 'Check the id, and use a key of the account that started the attempt. Other accounts get 404.',
};

interface AttemptToShow {
  id: string;
  quizId: string | null;
  player: string;
  endsAt: Date | null;
  questions: readonly SnapshotQuestion[];
}

/** An attempt at its start: nothing in it tells a correct answer from a wrong one. */
export const toStartedAttempt = (attempt: AttemptToShow, texts: RenderedTexts) => ({
  id: attempt.id,
  quizId: attempt.quizId,
  player: attempt.player,
  endsAt: attempt.endsAt,
  questions: attempt.questions.map((question, index) => ({
    id: question.id,
    text: question.text,
    format: question.format ?? 'plain',
    language: question.language ?? null,
    html: textHtml(question.text, question.format, texts),
    type: question.type,
    difficulty: question.difficulty,
    order: index + 1,
    multiple: isMultiple(question),
    // The answers of an OPEN_ENDED question are its solution.
    answers:
      question.type === 'OPEN_ENDED'
        ? []
        : toPlayedAnswers(question, shuffledFor(attempt.id, question.answers), texts),
  })),
});

/** An attempt as it was started, with its outcome. It has no solutions, submitted or not. */
export const toAttemptState = (
  attempt: AttemptToShow & { score: number | null; timeSpent: number | null },
  texts: RenderedTexts,
) => ({
  ...toStartedAttempt(attempt, texts),
  score: attempt.score,
  total: attempt.questions.length,
  timeSpent: attempt.timeSpent,
});

/** The recorded answer, without whether it is correct. */
export const toRecordedAnswer = (answer: AttemptAnswer) => ({
  questionId: answer.questionId,
  answerIds: answer.answerIds,
  text: answer.text,
});

/** The answer to a question, if any, and the correct answers. */
export const resultOf = (question: SnapshotQuestion, answer: AttemptAnswer | null | undefined) => ({
  questionId: question.id,
  correct: answer?.isCorrect ?? false,
  answerIds: answer?.answerIds ?? null,
  text: answer?.text ?? null,
  correctAnswers: question.answers.filter(isCorrect).map(({ id, text }) => ({ id, text })),
  spelling: answer?.isCorrect && answer.text ? spellingOf(question, answer.text) : null,
  explanation: question.explanation,
});

/** The same with HTML. */
export const toResult = (
  question: SnapshotQuestion,
  answer: AttemptAnswer | null | undefined,
  texts: RenderedTexts,
) => {
  const result = resultOf(question, answer);
  const { correctAnswers, explanation } = result;
  return {
    ...result,
    correctAnswers: toPlayedAnswers(question, correctAnswers, texts),
    explanationHtml: explanation && textHtml(explanation, question.format, texts, true),
  };
};

type PlayedText = Pick<StoredAnswer, 'id' | 'text'>;

const toPlayedAnswers = (
  { format }: SnapshotQuestion,
  answers: readonly PlayedText[],
  texts: RenderedTexts,
) =>
  answersWithHtml(
    answers.map(({ id, text }) => ({ id, text })),
    format,
    texts,
  );

const isCorrect = (answer: StoredAnswer) => answer.isCorrect;
