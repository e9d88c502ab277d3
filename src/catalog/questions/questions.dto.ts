import { IsNotEmpty, IsString } from 'class-validator';
import {
  ChoiceField,
  ChoicesField,
  FlagField,
  IdsField,
  LanguagesField,
  LimitField,
  NamesField,
  OffsetField,
  QueryText,
} from '../../platform/http/request/query-fields';
import { LIMITS } from '../../platform/limits/limits';
import type { Failure } from '../../platform/openapi/failures';
import { Choice, Example, Field, Whole } from '../../platform/openapi/fields';
import {
  Answer,
  ANSWERS_EXAMPLE,
  AnyQuestion,
  EXAMPLE_QUESTION,
  EXAMPLE_QUIZ,
  foldedOrNone,
  IncludeQuery,
  INCLUDES,
  type StoredQuestion,
} from '../quizzes/quizzes.dto';
import { answersWithHtml, withHtml } from '../rendering/question-html';
import type { RenderedTexts } from '../rendering/rendered-texts';
import {
  DIFFICULTIES,
  type Difficulty,
  QUESTION_FORMATS,
  QUESTION_TYPES,
  type QuestionFormat,
  type QuestionType,
} from '../vocabulary';

/** Query of GET /questions in quiz mode (specification 4.6, mode 1): other parameters are ignored. */
export class QuizQuestionsQuery extends IncludeQuery {
  /**
   * Selects the mode: with it you get all questions of this quiz in order, and other filters are ignored. Without it
   * you browse.
   */
  @Example(EXAMPLE_QUIZ)
  // In the document `quiz_id` is one of the filters: only its mode requires it.
  @Field({ type: 'string', minLength: 1, optional: true })
  @IsString()
  @IsNotEmpty({
    message: 'quiz_id must not be empty: give the id of a quiz, or leave it out to browse',
  })
  quiz_id!: string;

  /**
   * With `quiz_id`: whether to include the answers. Browsing always includes them.
   * @example true
   */
  @FlagField()
  include_answers: boolean = false;
}

/** The filters of GET /questions in browse mode, and the query of GET /questions/counts. */
export class QuestionFilterQuery {
  /** Names of categories. @example ["Rivers & Lakes"] */
  @NamesField()
  category: string[] = [];

  /**
   * Difficulties, separated by commas or the parameter repeated; ignoring case.
   * @example ["EASY", "MEDIUM"]
   */
  // Ignores case, unlike the quiz list.
  @ChoicesField(DIFFICULTIES, { read: (item) => item.toUpperCase() })
  difficulty: Difficulty[] = [];

  /** Question types, separated by commas or the parameter repeated. @example ["TRUE_FALSE"] */
  @ChoicesField(QUESTION_TYPES)
  type: QuestionType[] = [];

  /** Tags. @example ["rivers", "europe"] */
  @NamesField()
  tags: string[] = [];

  /** `any`: one of the tags is enough. `all`: every one of them is needed. */
  @ChoiceField(['any', 'all'])
  tags_match: 'any' | 'all' = 'any';

  /** Languages of the quiz as BCP 47 tags; `de` also finds `de-AT`. @example ["de", "pt-BR"] */
  @LanguagesField()
  language: string[] = [];

  /**
   * Text that the title, the description or a tag of the quiz contains, ignoring case.
   * @example river
   */
  @QueryText({ max: LIMITS.requests.queryText.value, read: foldedOrNone })
  topic?: string;

  /**
   * Text that the question itself contains, ignoring case.
   * @example flows through
   */
  @QueryText({ max: LIMITS.requests.queryText.value, read: foldedOrNone })
  text?: string;

  /** Ids of questions to leave out, such as those a player has seen. */
  @Example([EXAMPLE_QUESTION])
  @IdsField(LIMITS.requests.excludedQuestions.value)
  exclude: string[] = [];
}

/** Query of GET /questions in browse mode (specification 4.6, mode 2). */
export class BrowseQuestionsQuery extends QuestionFilterQuery {
  /**
   * What to add to each question: `html` for its `format`, and its texts as HTML; `language` for the language of its
   * quiz.
   * @example ["html"]
   */
  @ChoicesField(INCLUDES)
  include: IncludeQuery['include'] = [];

  /** How many results to send. */
  @LimitField()
  limit: number = 10;

  /** Number of results to skip. Past the end the page is empty. */
  @OffsetField()
  offset: number = 0;

  /**
   * A position from `links.next`. With it, a page costs the same at any depth. It belongs to the `offset` of its link, and
   * is ignored with another one.
   */
  @QueryText({ max: LIMITS.requests.queryText.value })
  after?: string;

  /**
   * Shuffles all matching results before paging, so each request gets a different page. The links carry the `seed` of
   * this shuffle.
   * @example true
   */
  @FlagField()
  random: boolean = false;

  /**
   * With `random=true`: makes the shuffle repeatable, so that the pages of one seed contain each question once.
   * @example today
   */
  @QueryText({ max: LIMITS.requests.queryText.value })
  seed?: string;
}

/** `meta` of the questions of one quiz. */
export class QuizQuestionsMeta {
  /** How many questions the quiz has. @example 1 */
  @Whole() total!: number;
  /** The id of the quiz. */
  @Example(EXAMPLE_QUIZ) quizId!: string;
}

export class PageLinks {
  /** The first page. @example /api/v1/questions?offset=0&limit=10 */
  first!: string;
  /** The last page. @example /api/v1/questions?offset=40&limit=10 */
  last!: string;
  /**
   * The next page; null on the last. If `total` becomes smaller while you follow it, questions were deleted, and pages may
   * have left out as many others: read the list again.
   * @example /api/v1/questions?offset=20&limit=10
   */
  next!: string | null;
  /** The page before; null on the first. @example /api/v1/questions?offset=0&limit=10 */
  prev!: string | null;
}

export class PaginationMeta {
  /** Results on all pages together. @example 42 */
  @Whole() total!: number;
  /** Results on this page. @example 10 */
  @Whole() pageTotal!: number;
  /** The number of this page, from 1. @example 2 */
  @Whole() page!: number;
  /** The number of the last page. @example 5 */
  @Whole() lastPage!: number;
  /** Results on a full page. @example 10 */
  @Whole() limit!: number;
  /** Results before this page. @example 10 */
  @Whole() offset!: number;
  /** Paths with your own filters; never with your API key. */
  links!: PageLinks;
}

/** A number for each name. */
const Counts = (continued?: string) =>
  Field({
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 0 },
    ...(continued && { continued }),
  });

export class QuestionCounts {
  /** All that match. @example 42 */
  @Whole() total!: number;
  /** By the name of the category, "" for none. @example {"Rivers & Lakes": 30, "": 12} */
  @Counts(`: the ${LIMITS.requests.countedCategories.value} with the most questions.`)
  byCategory!: Record<string, number>;
  /** By difficulty; every one of them. @example {"EASY": 30, "MEDIUM": 12, "HARD": 0, "EXPERT": 0} */
  @Counts()
  byDifficulty!: Record<string, number>;
  /**
   * By question type; every one of them.
   * @example {"MULTIPLE_CHOICE": 30, "TRUE_FALSE": 12, "OPEN_ENDED": 0}
   */
  @Counts()
  byType!: Record<string, number>;
}

export const QUESTION_ID = ['The id of the question.', EXAMPLE_QUESTION] as const;

export const QUESTION_NOT_FOUND: Failure = {
  status: 404,
  name: 'question-not-found',
  title: 'Question not found, or not visible to you',
  error: 'Question not found.',
  fix: 'Check the id: take it from a list of questions. A question is found as long as its quiz is visible to you.',
};

export class QuestionOfQuiz extends AnyQuestion {
  /** The quiz it belongs to. */
  @Example(EXAMPLE_QUIZ) quizId!: string;
  /** The category of its quiz; null if that has none. @example "Rivers & Lakes" */
  category!: string | null;
  /** With `include=language`: the language of its quiz (BCP 47); null: not said. @example en */
  language?: string | null;
}

export class QuizQuestion extends QuestionOfQuiz {
  /** Its answers: only with `include_answers=true`. */
  @Example(ANSWERS_EXAMPLE)
  answers?: Answer[];
}

export class BrowseQuestion extends QuestionOfQuiz {
  /** The tags of its quiz. @example ["rivers"] */
  tags!: string[];
  /** The title of its quiz. @example "Rivers of Europe" */
  quizTitle!: string;
  /** The answers of the question, in the order of its author. */
  @Example(ANSWERS_EXAMPLE)
  answers!: Answer[];
}

export class RenderedAnswer extends Answer {
  /** The text as HTML. @example "The Danube" */
  declare html: string;
}

/** BrowseQuestion, always with what `include` adds. */
export class SingleQuestion extends BrowseQuestion {
  /** The language of its quiz (BCP 47); null: not said. @example en */
  declare language: string | null;
  /** How its texts are written: shown as they are, or in Markdown. @example plain */
  @Choice(QUESTION_FORMATS)
  declare format: QuestionFormat;
  /**
   * The text as HTML, which needs no sanitising: no scripts, no styles, images of this service only, formulas as MathML.
   * @example "Which river flows through Vienna?"
   */
  declare html: string;
  /** The explanation as HTML. @example "The Danube flows through ten countries." */
  declare explanationHtml: string | null;
  /** The answers of the question, in the order of its author. */
  @Example(ANSWERS_EXAMPLE.map((answer) => ({ ...answer, html: answer.text })))
  declare answers: RenderedAnswer[];
}

/**
 * QuizQuestion: `answers` only on request.
 * @param texts to add HTML; absent: without it
 */
export function toQuizQuestion(
  { id, text, type, difficulty, format, explanation, answers }: StoredQuestion,
  { id: quizId, category }: { id: string; category: string | null },
  includeAnswers: boolean,
  texts?: RenderedTexts,
): QuizQuestion {
  const specified = { id, quizId, text, type, difficulty, explanation, category };
  const question = texts ? withHtml({ ...specified, format }, texts) : specified;
  if (!includeAnswers) return question;
  return { ...question, answers: texts ? answersWithHtml(answers, format, texts) : answers };
}
