import type { Failure } from '../platform/openapi/failures';
import {
  Choice,
  Flag,
  ListOf,
  Named,
  Part,
  ref,
  Text,
  TextOrNull,
  Texts,
  Whole,
  Field,
} from '../platform/openapi/fields';
import type { Schema } from '../platform/openapi/openapi-objects';
import {
  DIFFICULTIES,
  QUESTION_TYPES,
  type Answer as StoredAnswer,
  type Difficulty,
  type QuestionType,
  QUIZ_STATES,
  type QuizState,
} from './vocabulary';

/**
 * The resources of the specification, part 2: the one place that names their fields, first for the OpenAPI document,
 * then for responses. Only these fields are ever sent, whatever a row holds. PostgreSQL builds long responses, which
 * are passed on as text (see JsonText): for those the fields are named in SQL.
 */

export const EXAMPLE_QUIZ = '019a9f3e-6c00-7000-8000-000000000001';
export const EXAMPLE_QUESTION = '019a9f3e-6c00-7000-8000-000000000010';
export const EXAMPLE_CATEGORY = '019a9f3e-6c00-7000-8000-000000000031';
export const EXAMPLE_ANSWERS = [
  '019a9f3e-6c00-7000-8000-000000000020',
  '019a9f3e-6c00-7000-8000-000000000021',
] as const;

export const QUESTION_ID = ['The id of the question.', EXAMPLE_QUESTION] as const;

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

export const QUESTION_NOT_FOUND: Failure = {
  status: 404,
  name: 'question-not-found',
  title: 'Question not found, or not visible to you',
  error: 'Question not found.',
  fix: 'Check the id: take it from a list of questions. A question is found as long as its quiz is visible to you.',
};

const choice = (description: string, values: readonly string[], example: string): Schema => ({
  type: 'string',
  description,
  enum: values,
  examples: [example],
});

export const VOCABULARY_SCHEMAS: Record<string, Schema> = {
  Difficulty: choice(
    'The difficulty that the author has chosen. Lists can be filtered by it.',
    DIFFICULTIES,
    'MEDIUM',
  ),
  QuestionType: choice('The kind of question.', QUESTION_TYPES, 'MULTIPLE_CHOICE'),
};

class Answer {
  @Text('The id of the answer, as `answerIds` takes it.', EXAMPLE_ANSWERS[0]) id!: string;
  @Text('The answer as players read it.', 'The Danube') text!: string;
  @Flag('Whether it is correct. Of OPEN_ENDED: one of the accepted answers.', true)
  isCorrect!: boolean;
}

const ANSWERS = [
  { id: EXAMPLE_ANSWERS[0], text: 'The Danube', isCorrect: true },
  { id: EXAMPLE_ANSWERS[1], text: 'The Rhine', isCorrect: false },
];

class AnyQuiz {
  @Text('Its id; opaque to you.', EXAMPLE_QUIZ) id!: string;
  @Text('The title of the quiz. Two quizzes may have the same one.', 'Rivers of Europe')
  title!: string;
  @Text('The description; empty if there is none.', 'From source to sea.') description!: string;
  @Text('The name of its category; empty if it has none.', 'Rivers & Lakes') category!: string;
  @Named('Difficulty') difficulty!: Difficulty;
  @Texts('The tags of the quiz. Lists can be filtered by them.', 'A tag.', 'rivers')
  tags!: string[];
  @Whole('How many questions it has.', 12) questionCount!: number;
  @Whole('How often it was played.', 340) plays!: number;
  @Text('Its name in URLs, such as `/play/{slug}`.', 'rivers-of-europe') slug!: string;
}

export class QuizListItem extends AnyQuiz {
  @Choice('With `mine=true`: where it is between you and the review.', QUIZ_STATES, {
    example: 'live',
    optional: true,
  })
  state?: QuizState;
  @TextOrNull('With `mine=true`: why it was rejected.', null, { optional: true })
  rejectionReason?: string | null;
  @Whole('With `mine=true`: the time limit of an attempt in seconds; null: none.', 600, {
    nullable: true,
    optional: true,
  })
  timeLimit?: number | null;
  @Whole('With `mine=true`: how many attempts each player has; null: any number.', 2, {
    nullable: true,
    optional: true,
  })
  maxAttempts?: number | null;
}

class AnyQuestion {
  @Text('Its id; opaque to you.', EXAMPLE_QUESTION) id!: string;
  @Text('The question.', 'Which river flows through Vienna?') text!: string;
  @Named('QuestionType') type!: QuestionType;
  @Named('Difficulty') difficulty!: Difficulty;
  @TextOrNull('Why the correct answer is correct.', 'The Danube flows through ten countries.')
  explanation!: string | null;
}

export class QuizQuestionDetail extends AnyQuestion {
  @Whole('Its place in the quiz, from 1.', 1) order!: number;
  @ListOf(Answer, 'The answers of the question, in the order of its author.', { example: ANSWERS })
  answers!: Answer[];
}

export class QuizDetail extends AnyQuiz {
  @ListOf(QuizQuestionDetail, 'Its questions, in order.') questions!: QuizQuestionDetail[];
}

class QuestionOfQuiz extends AnyQuestion {
  @Text('The quiz it belongs to.', EXAMPLE_QUIZ) quizId!: string;
  @TextOrNull('The category of its quiz; null if that has none.', 'Rivers & Lakes')
  category!: string | null;
}

export class QuizQuestion extends QuestionOfQuiz {
  @ListOf(Answer, 'Its answers: only with `include_answers=true`.', {
    example: ANSWERS,
    optional: true,
  })
  answers?: Answer[];
}

export class BrowseQuestion extends QuestionOfQuiz {
  @Texts('The tags of its quiz.', 'A tag.', 'rivers') tags!: string[];
  @Text('The title of its quiz.', 'Rivers of Europe') quizTitle!: string;
  @ListOf(Answer, 'The answers of the question, in the order of its author.', { example: ANSWERS })
  answers!: Answer[];
}

class MetadataStats {
  @Whole('Public quizzes.', 48) totalQuizzes!: number;
  @Whole('Their questions.', 567) totalQuestions!: number;
}

const every = (name: string, description: string, values: readonly string[]) =>
  Field({ type: 'array', description, items: ref(name), example: values });

export class Metadata {
  @every('Difficulty', 'Every difficulty.', DIFFICULTIES) difficulties!: Difficulty[];
  @every('QuestionType', 'Every question type.', QUESTION_TYPES) questionTypes!: QuestionType[];
  @Texts('Names of categories in use, sorted.', 'A name.', 'Rivers & Lakes') categories!: string[];
  @Texts('Tags in use, the most used first; at most 100.', 'A tag.', 'rivers') tags!: string[];
  @Part(MetadataStats) stats!: MetadataStats;
}

class Category {
  @Text('Its id: the `categoryId` of a new quiz.', EXAMPLE_CATEGORY) id!: string;
  @Text('The name of the category, as the filter `category` takes it.', 'Rivers & Lakes')
  name!: string;
  @Text('Its name in URLs.', 'rivers-lakes') slug!: string;
  @Whole('Its public quizzes.', 4) quizCount!: number;
  @Texts('The most used tags of its quizzes; at most 20.', 'A tag.', 'rivers') tags!: string[];
}

export class Topic {
  @Text('The id of the topic.', '019a9f3e-6c00-7000-8000-000000000030') id!: string;
  @Text('The name of the topic, such as `Geography`.', 'Geography') name!: string;
  @Text('Its name in URLs.', 'geography') slug!: string;
  @TextOrNull('An emoji.', '🌍') icon!: string | null;
  @ListOf(Category, 'The categories of the topic, in its order.') categories!: Category[];
}

/** A question as it is stored. */
export interface QuestionRow extends AnyQuestion {
  position: number;
  answers: StoredAnswer[];
}

/**
 * The fields of QuizListItem from `quizzes` as z, for PostgreSQL to build its JSON. A missing description or category
 * is "" here (contract, "Null in lists").
 */
export const QUIZ_LIST_ITEM = `z.id, z.title, coalesce(z.description, '') AS description,
  coalesce(z.category, '') AS category, z.difficulty, z.tags, z.question_count AS "questionCount", z.plays, z.slug`;

/** From `questions` as q: QuizQuestionDetail. */
export const QUIZ_QUESTION_DETAIL = `q.id, q.text, q.type, q.difficulty, q.explanation, q.position AS "order", q.answers`;

/** From `questions` as q and their `quizzes` as z: BrowseQuestion. */
export const BROWSE_QUESTION = `q.id, q.text, q.type, q.difficulty, q.explanation, z.category, z.tags,
  z.id AS "quizId", z.title AS "quizTitle", q.answers`;

/** QuizQuestionDetail */
export function toQuizQuestionDetail({ position, ...question }: QuestionRow): QuizQuestionDetail {
  const { id, text, type, difficulty, explanation, answers } = question;
  return { id, text, type, difficulty, explanation, order: position, answers };
}

/** QuizQuestion: `answers` only on request. */
export function toQuizQuestion(
  { id, text, type, difficulty, explanation, answers }: QuestionRow,
  { id: quizId, category }: { id: string; category: string | null },
  includeAnswers: boolean,
): QuizQuestion {
  const question = { id, quizId, text, type, difficulty, explanation, category };
  return includeAnswers ? { ...question, answers } : question;
}
