import {
  EXAMPLE_CATEGORY,
  EXAMPLE_QUIZ,
  NOT_OWNER,
  QUESTION_NOT_FOUND,
  QUIZ_NOT_FOUND,
  QuizQuestionDetail,
} from '../catalog/resources';
import { QUIZ_STATES, type Difficulty, type QuizState } from '../catalog/vocabulary';
import type { Actor } from '../access/audit/audit-log';
import { Forbidden, Invalid } from '../platform/errors/domain-errors';
import type { ApiErrorCode } from '../platform/errors/error-codes';
import type { Failure } from '../platform/openapi/failures';
import {
  Choice,
  Flag,
  ListOf,
  Named,
  Text,
  TextOrNull,
  Texts,
  Whole,
} from '../platform/openapi/fields';

/** The responses and errors of creating quizzes and importing questions (specification 4.4 and 4.7). */

export class CreatedQuiz {
  @Text('The id of the quiz, for its URLs in the API.', EXAMPLE_QUIZ) id!: string;
  @Text('The title of the quiz. Two quizzes may have the same one.', 'Rivers of Europe')
  title!: string;
  @TextOrNull(
    'The description that players read before they start; null if there is none.',
    'From source to sea.',
  )
  description!: string | null;
  @TextOrNull('The name of its category; null if it has none.', 'Rivers & Lakes') category!:
    string | null;
  @TextOrNull('The id of its category; null for a name of your own.', EXAMPLE_CATEGORY)
  categoryId!: string | null;
  @Named('Difficulty') difficulty!: Difficulty;
  @Texts('The tags of the quiz. Lists can be filtered by them.', 'A tag.', 'rivers')
  tags!: string[];
  @Flag('Whether it is published.', true) published!: boolean;
  @Flag('Whether it is featured.', false) featured!: boolean;
}

export class EditedQuiz extends CreatedQuiz {
  @Choice(
    '`draft`: not published. `pending`: published, and waits for review. `live`: everybody sees it. `rejected`: an administrator has rejected it.',
    QUIZ_STATES,
    { example: 'live' },
  )
  state!: QuizState;
  @TextOrNull('Why it was rejected; null if it was not, or was approved since.', null)
  rejectionReason!: string | null;
  @Whole('The time limit of an attempt in seconds; null: none.', 600, { nullable: true })
  timeLimit!: number | null;
  @Whole('How many attempts each player has; null: any number.', 2, { nullable: true })
  maxAttempts!: number | null;
}

export class ImportedQuestions {
  @Text('The quiz.', EXAMPLE_QUIZ) quizId!: string;
  @Whole('How many there are.', 1) questionsCreated!: number;
  @ListOf(QuizQuestionDetail, 'The new questions.') questions!: QuizQuestionDetail[];
}

export const QUIZ_LIMIT_REACHED: Failure = {
  status: 403,
  name: 'quota-reached',
  title: 'The account owns as many quizzes as its plan allows',
  error:
    'Your Starter plan allows 25 quizzes, and you have reached that limit. Delete a quiz or upgrade your plan.',
  fix: 'Delete a quiz, or upgrade the plan. You can still add questions to existing quizzes.',
};

const invalidBody = (path: string, message: string, code: string, cause: ApiErrorCode) =>
  new Invalid('The body', [{ path, message, code }], cause);

/** The failure of which the error is an example. */
const shown = ({ message, details }: Invalid) => ({ status: 422, error: message, details });

export const unknownCategory = () =>
  invalidBody(
    'categoryId',
    'categoryId is not the id of a category (GET /api/v1/categories lists them)',
    'unknown',
    'unknown-category',
  );

export const UNKNOWN_CATEGORY: Failure = {
  ...shown(unknownCategory()),
  name: 'unknown-category',
  title: 'There is no category with this id',
  fix: 'Take the id from `GET /api/v1/categories`, or send a name as `category` instead.',
};

export const CONTENT_LIMIT: Failure = {
  status: 422,
  name: 'content-limit',
  title: 'The quiz or the account has no room for the questions',
  error:
    'A quiz holds at most 1,000 questions, and this one has 980. Put the rest into another quiz.',
  fix: 'Put the questions into another quiz, shorten them, or delete questions that are no longer needed. See the guide on limits.',
};

const LIVE_QUIZ =
  'This quiz is live, so others would see the change at once. That needs an API key with the scope `publish`: use one, or ask the owner to make the change or to unpublish the quiz first.';

/** What others see at once needs the scope `publish`, by the API and by assistants alike. @throws Forbidden */
export function requireMayChange({ scopes }: Actor, isLive: boolean): void {
  if (isLive && scopes && !scopes.includes('publish'))
    throw new Forbidden(LIVE_QUIZ, LIVE_QUIZ_NEEDS_PUBLISH.name);
}

/** Errors of everything that changes a question. */
export const OWNED_QUESTION: Failure[] = [QUESTION_NOT_FOUND, NOT_OWNER];

export const notAPermutation = () =>
  invalidBody(
    'ids',
    'ids must contain the id of every question of the quiz exactly once; fetch the quiz again for the current ids',
    'permutation',
    'not-a-permutation',
  );

export const NOT_A_PERMUTATION: Failure = {
  ...shown(notAPermutation()),
  name: 'not-a-permutation',
  title: 'The ids are not all questions of the quiz',
  fix: 'Read the quiz, and send the id of each of its questions once.',
};

/** Errors of everything that changes a quiz. */
export const OWNED_QUIZ: Failure[] = [QUIZ_NOT_FOUND, NOT_OWNER];

/** Of everything that changes a quiz or its questions, beside OWNED_QUIZ and OWNED_QUESTION. */
export const LIVE_QUIZ_NEEDS_PUBLISH: Failure = {
  status: 403,
  name: 'live-quiz-needs-publish',
  title: 'The quiz is live, and the API key lacks the scope `publish`',
  error: LIVE_QUIZ,
  fix: 'Use a key with the scope `publish`, or unpublish the quiz in the dashboard, change it and publish it again. Drafts, and quizzes that wait for review, need only `write`.',
};

export const NOT_REJECTED: Failure = {
  status: 409,
  name: 'not-rejected',
  title: 'The quiz is not rejected',
  error: 'This quiz is not rejected, so there is nothing to send again.',
  fix: 'Look at the `state` of the quiz: a draft is published with `PATCH`, a pending quiz waits for review.',
};

/** CreatedQuiz (specification, part 2) */
export function toCreatedQuiz({ id, title, description, ...quiz }: CreatedQuiz): CreatedQuiz {
  const { category, categoryId, difficulty, tags, published, featured } = quiz;
  return { id, title, description, category, categoryId, difficulty, tags, published, featured };
}

export function toEditedQuiz(quiz: EditedQuiz): EditedQuiz {
  const { state, rejectionReason, timeLimit, maxAttempts } = quiz;
  return { ...toCreatedQuiz(quiz), state, rejectionReason, timeLimit, maxAttempts };
}
