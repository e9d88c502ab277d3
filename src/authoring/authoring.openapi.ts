import { DIFFICULTY, EXAMPLE_QUIZ, QUIZ_QUESTION_DETAIL } from '../catalog/catalog.schemas';
import { QUIZ_IN_PATH, QUIZ_NOT_FOUND } from '../catalog/catalog.openapi';
import { bodyOf } from '../platform/openapi/class-fields';
import type { Operation, Trait } from '../platform/openapi/operation';
import {
  exampleOf,
  flag,
  integer,
  listOf,
  named,
  object,
  orNull,
  success,
  text,
} from '../platform/openapi/schema';
import { LIMITS } from '../platform/limits/limits';
import {
  BatchAnswerInput,
  BatchImportRequest,
  BatchQuestionInput,
} from './questions/batch-import.request';
import { CreateQuizRequest } from './quizzes/create-quiz.request';
import { LONGEST_TAG } from './quizzes/tag-fields';

/** What the reference says of creating quizzes and importing questions (specification 4.4 and 4.7). */

const CATEGORY_ID = '019a9f3e-6c00-7000-8000-000000000031';

const CREATE_QUIZ_REQUEST = named(
  'CreateQuizRequest',
  bodyOf(CreateQuizRequest, {
    title: { description: 'Its title.', examples: ['Rivers of Europe'] },
    difficulty: { description: 'How hard it is.', examples: ['MEDIUM'] },
    description: { description: 'What it is about.', examples: ['From source to sea.'] },
    category: {
      description:
        'The name of a category, or one of your own. A known name is linked to its category, in any case.',
      examples: ['Rivers & Lakes'],
    },
    categoryId: {
      description: 'The id of a category, from the list of categories. Wins over `category`.',
      examples: [CATEGORY_ID],
    },
    tags: {
      description: 'Its tags. Each counts once, in any case.',
      items: { type: 'string', minLength: 1, maxLength: LONGEST_TAG },
      examples: [['rivers', 'europe']],
    },
    published: {
      description: 'Whether everybody shall see it, once it is approved.',
      examples: [true],
    },
    featured: {
      description: 'Honoured for administrators only, ignored for others.',
      examples: [false],
    },
  }),
);

/** Without the id, which would be that of no category: the example is there to be sent. */
const NEW_QUIZ = Object.fromEntries(
  Object.entries(exampleOf(CREATE_QUIZ_REQUEST) as object).filter(
    ([name]) => name !== 'categoryId' && name !== 'featured',
  ),
);

const CREATED_QUIZ = named(
  'CreatedQuiz',
  object({
    id: text('Its id.', EXAMPLE_QUIZ),
    title: text('Its title.', 'Rivers of Europe'),
    description: orNull(text('What it is about.', 'From source to sea.')),
    category: orNull(text('The name of its category.', 'Rivers & Lakes')),
    categoryId: orNull(text('The id of its category; null for a name of your own.', CATEGORY_ID)),
    difficulty: DIFFICULTY,
    tags: listOf('Its tags.', text('A tag.', 'rivers')),
    published: flag('Whether it is published.', true),
    featured: flag('Whether it is featured.', false),
  }),
);

export const CREATE_QUIZ: Operation = {
  id: 'createQuiz',
  tag: 'Quizzes',
  summary: 'Create a quiz',
  description:
    'Needs a Starter or Pro plan. The quiz is yours and has no questions yet; others see it when it is published and has passed review.',
  body: CREATE_QUIZ_REQUEST,
  example: NEW_QUIZ,
  answer: {
    description: 'The new quiz.',
    schema: success(CREATED_QUIZ),
    headers: {
      Location: {
        description: 'The address of the new quiz.',
        schema: { type: 'string', examples: [`/api/v1/quizzes/${EXAMPLE_QUIZ}`] },
      },
    },
  },
  failures: [
    {
      status: 403,
      name: 'quiz-limit-reached',
      title: 'The account owns as many quizzes as its plan allows',
      error:
        'Your Starter plan allows 25 quizzes, and you have reached that limit. Delete a quiz or upgrade your plan.',
      fix: 'Delete a quiz on the account page, or have the plan changed. Questions can still be added to the quizzes that are there.',
    },
    {
      status: 422,
      name: 'unknown-category',
      title: 'There is no category with this id',
      error:
        'The body is not valid: categoryId is not the id of a category: take one from GET /api/v1/categories.',
      fix: 'Take the id from `GET /api/v1/categories`, or send a name as `category` instead.',
      details: [
        {
          path: 'categoryId',
          message: 'categoryId is not the id of a category: take one from GET /api/v1/categories',
          code: 'unknown',
        },
      ],
    },
  ],
};

const ANSWER_INPUT = named(
  'BatchAnswerInput',
  bodyOf(BatchAnswerInput, {
    text: { description: 'What it says.', examples: ['The Danube'] },
    isCorrect: {
      description: 'Whether it is right. Of OPEN_ENDED: whether it is accepted.',
      examples: [true],
    },
  }),
);

const QUESTION_INPUT = named(
  'BatchQuestionInput',
  bodyOf(BatchQuestionInput, {
    text: { description: 'The question.', examples: ['Which river flows through Vienna?'] },
    type: { description: 'The kind of question.', examples: ['MULTIPLE_CHOICE'] },
    difficulty: { description: 'How hard it is.', examples: ['EASY'] },
    explanation: {
      description: 'Why the right answer is right.',
      examples: ['The Danube flows through ten countries.'],
    },
    answers: {
      description:
        'At least two, no two alike. MULTIPLE_CHOICE and OPEN_ENDED: at least one is right. TRUE_FALSE: exactly two, of which one is right.',
      items: ANSWER_INPUT,
      minItems: 2,
      maxItems: LIMITS.content.answersPerQuestion.value,
      examples: [
        [
          { text: 'The Danube', isCorrect: true },
          { text: 'The Rhine', isCorrect: false },
        ],
      ],
    },
  }),
);

export const IMPORT_QUESTIONS: Operation = {
  id: 'importQuestions',
  tag: 'Questions',
  summary: 'Import questions into a quiz',
  description:
    'Appends 1 to 50 questions to a quiz of your own: all of them, or none if one has a fault. Needs a Starter or Pro plan. A quiz holds at most 1,000 questions and 4 MiB of them, and an account as much as its plan allows (Starter 64 MiB, Pro 640 MiB).',
  path: QUIZ_IN_PATH,
  body: named(
    'BatchImportRequest',
    bodyOf(BatchImportRequest, {
      questions: {
        description: 'The questions, in the order they shall have.',
        items: QUESTION_INPUT,
      },
    }),
  ),
  failures: [
    {
      status: 422,
      name: 'content-limit',
      title: 'The quiz or the account has no room for the questions',
      error:
        'A quiz holds at most 1,000 questions, and this one has 980. Put the rest into another quiz.',
      fix: 'Put the questions into another quiz, shorten them, or delete questions that are no longer needed. See the guide on limits.',
    },
  ],
  answer: {
    description: 'The new questions.',
    schema: success(
      object({
        quizId: text('The quiz.', EXAMPLE_QUIZ),
        questionsCreated: integer('How many there are.', 1),
        questions: listOf('The new questions.', QUIZ_QUESTION_DETAIL),
      }),
    ),
  },
};

/** Stands before whatever changes a quiz. */
export const OWNED_QUIZ: Trait = {
  failures: [
    QUIZ_NOT_FOUND,
    {
      status: 403,
      name: 'quiz-not-yours',
      title: 'The quiz belongs to another account',
      error: 'This quiz belongs to another account. Import into a quiz of your own.',
      fix: 'Use a key of the account that has created the quiz, or create one of your own.',
    },
  ],
};
