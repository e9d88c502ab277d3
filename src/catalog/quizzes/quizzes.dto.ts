import {
  ChoiceField,
  ChoicesField,
  FlagField,
  LanguagesField,
  LimitField,
  NamesField,
  OffsetField,
  QueryText,
} from '../../platform/http/request/query-fields';
import { LIMITS } from '../../platform/limits/limits';
import type { Failure } from '../../platform/openapi/failures';
import { Choice, Example, Named, Whole } from '../../platform/openapi/fields';
import { fold } from '../../platform/text/text.rules';
import {
  DIFFICULTIES,
  type Difficulty,
  QUESTION_FORMATS,
  type QuestionFormat,
  type QuestionType,
  QUIZ_ORDERS,
  QUIZ_STATES,
  type QuizOrder,
  type QuizState,
  type StoredAnswer,
} from '../vocabulary';

export const foldedOrNone = (text: string) => fold(text) || undefined;

/** What responses can have beside what is specified. */
export const INCLUDES = ['html', 'language'] as const;

export class IncludeQuery {
  /**
   * What to add: `html` for the `format` of each question, and its texts as HTML; `language` for the language of the
   * quiz.
   * @example ["html"]
   */
  @ChoicesField(INCLUDES)
  include: (typeof INCLUDES)[number][] = [];
}

/** Query of GET /quizzes (specification 4.3). An empty filter is ignored. */
export class ListQuizzesQuery {
  /** Names of categories. @example ["Rivers & Lakes"] */
  // One name in the specification: a name with a comma is found as it is.
  @NamesField({ orWhole: true })
  category: string[] = [];

  /**
   * Difficulties, separated by commas or the parameter repeated; in upper case.
   * @example ["EASY", "MEDIUM"]
   */
  // In upper case, as the specification has it here; GET /questions ignores case.
  @ChoicesField(DIFFICULTIES)
  difficulty: Difficulty[] = [];

  /** Tags. @example ["rivers", "europe"] */
  @NamesField()
  tags: string[] = [];

  /** `any`: one of the tags is enough. `all`: every one of them is needed. */
  @ChoiceField(['any', 'all'])
  tags_match: 'any' | 'all' = 'any';

  /** Languages as BCP 47 tags; `de` also finds `de-AT`. @example ["de", "pt-BR"] */
  @LanguagesField()
  language: string[] = [];

  /** Text that the title, the description or a tag contains, ignoring case. @example river */
  @QueryText({ max: LIMITS.requests.queryText.value, read: foldedOrNone })
  topic?: string;

  /** What to add: `language` for the language of each quiz. @example ["language"] */
  @ChoicesField(['language'])
  include: 'language'[] = [];

  /**
   * Only your own quizzes, in every state; each has its `state`, `rejectionReason`, language and rules of play.
   * @example true
   */
  @FlagField()
  mine: boolean = false;

  /** With `mine=true`: only quizzes in this state. */
  @ChoiceField(QUIZ_STATES)
  state?: QuizState;

  /** `popular`: most played first. `newest`: last created first. `title`: alphabetical. */
  @ChoiceField(QUIZ_ORDERS)
  sort: QuizOrder = 'popular';

  /** Maximum number of results. */
  @LimitField()
  limit: number = 10;

  /** Number of results to skip. Past the end the page is empty. */
  @OffsetField()
  offset: number = 0;
}

/**
 * The resources of the specification, part 2: the one place that names their fields, first for the OpenAPI document,
 * then for responses. Only these fields are ever sent, whatever a row holds. PostgreSQL builds long responses, which
 * are passed on as text (see JsonText): for those the fields are named in SQL.
 */

export const EXAMPLE_QUIZ = '019a9f3e-6c00-7000-8000-000000000001';

export const EXAMPLE_QUESTION = '019a9f3e-6c00-7000-8000-000000000010';

export const EXAMPLE_ANSWERS = [
  '019a9f3e-6c00-7000-8000-000000000020',
  '019a9f3e-6c00-7000-8000-000000000021',
] as const;

export const QUIZ_ID = ['The id of the quiz.', EXAMPLE_QUIZ] as const;

export const QUIZ_NOT_FOUND: Failure = {
  status: 404,
  name: 'quiz-not-found',
  title: 'Quiz not found, or not visible to you',
  error: 'Quiz not found.',
  fix: 'Check the id: take it from a list, or from the response that created the quiz. You see another account’s quiz only while it is published and approved.',
};

export const NOT_OWNER: Failure = {
  status: 403,
  name: 'not-owner',
  title: 'It belongs to another account',
  error: 'This quiz belongs to another account. Only its owner changes it.',
  fix: 'Use a key of the account that owns the quiz.',
};

export class Answer {
  /** The id of the answer, as `answerIds` takes it. */
  @Example(EXAMPLE_ANSWERS[0]) id!: string;
  /** The answer as players read it. @example "The Danube" */
  text!: string;
  /** Whether it is correct. Of OPEN_ENDED: one of the accepted answers. @example true */
  isCorrect!: boolean;
  /** With `include=html`: the text as HTML. @example "The Danube" */
  html?: string;
}

export const ANSWERS_EXAMPLE = [
  { id: EXAMPLE_ANSWERS[0], text: 'The Danube', isCorrect: true },
  { id: EXAMPLE_ANSWERS[1], text: 'The Rhine', isCorrect: false },
];

export class AnyQuiz {
  /** Its id; opaque to you. */
  @Example(EXAMPLE_QUIZ) id!: string;
  /** The title of the quiz. Two quizzes may have the same one. @example "Rivers of Europe" */
  title!: string;
  /** The description; empty if there is none. @example "From source to sea." */
  description!: string;
  /** The name of its category; empty if it has none. @example "Rivers & Lakes" */
  category!: string;
  @Named('Difficulty') difficulty!: Difficulty;
  /** The tags of the quiz. Lists can be filtered by them. @example ["rivers"] */
  tags!: string[];
  /** How many questions it has. @example 12 */
  @Whole() questionCount!: number;
  /** How often it was played. @example 340 */
  @Whole() plays!: number;
  /** Its name in URLs, such as `/play/{slug}`. @example rivers-of-europe */
  slug!: string;
}

export class QuizListItem extends AnyQuiz {
  /** With `include=language`, and with `mine=true`: the language of its texts (BCP 47); null: not said. @example en */
  language?: string | null;
  /** With `mine=true`: where it is between you and the review. @example live */
  @Choice(QUIZ_STATES)
  state?: QuizState;
  /** With `mine=true`: why it was rejected. */
  @Example(null)
  rejectionReason?: string | null;
  /** With `mine=true`: the time limit of an attempt in seconds; null: none. @example 600 */
  @Whole()
  timeLimit?: number | null;
  /** With `mine=true`: how many attempts each player has; null: any number. @example 2 */
  @Whole()
  maxAttempts?: number | null;
  /** With `mine=true`: whether a typed answer with one typing error counts as correct. @example false */
  acceptTypos?: boolean;
  /** With `mine=true`: how many questions each attempt draws; null: all of them. @example 20 */
  @Whole()
  questionsPerAttempt?: number | null;
}

export class AnyQuestion {
  /** Its id; opaque to you. */
  @Example(EXAMPLE_QUESTION) id!: string;
  /** The question. @example "Which river flows through Vienna?" */
  text!: string;
  @Named('QuestionType') type!: QuestionType;
  @Named('Difficulty') difficulty!: Difficulty;
  /** Why the correct answer is correct. @example "The Danube flows through ten countries." */
  explanation!: string | null;
  /** With `include=html`: how its texts are written. @example plain */
  @Choice(QUESTION_FORMATS)
  format?: QuestionFormat;
  /**
   * With `include=html`: the text as HTML, which needs no sanitising: no scripts, no styles, images of this service only,
   * formulas as MathML.
   * @example "Which river flows through Vienna?"
   */
  html?: string;
  /** With `include=html`: the explanation as HTML. @example "The Danube flows through ten countries." */
  explanationHtml?: string | null;
}

export class QuizQuestionDetail extends AnyQuestion {
  /** Its place in the quiz, from 1. @example 1 */
  @Whole() order!: number;
  /** The answers of the question, in the order of its author. */
  @Example(ANSWERS_EXAMPLE)
  answers!: Answer[];
}

export class QuizDetail extends AnyQuiz {
  /** With `include=language`: the language of its texts (BCP 47); null: not said. @example en */
  language?: string | null;
  /** Its questions, in order. */
  questions!: QuizQuestionDetail[];
}

/** A question as it is stored. */
export interface StoredQuestion extends AnyQuestion {
  position: number;
  format: QuestionFormat;
  answers: StoredAnswer[];
}

/** QuizQuestionDetail */
export function toQuizQuestionDetail(question: StoredQuestion): QuizQuestionDetail {
  const { id, text, type, difficulty, explanation, position: order, answers } = question;
  return { id, text, type, difficulty, explanation, order, answers };
}
