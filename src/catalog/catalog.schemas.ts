import {
  choice,
  flag,
  integer,
  listOf,
  named,
  object,
  orNull,
  text,
  type Schema,
} from '../platform/openapi/schema';
import { DIFFICULTIES, QUESTION_TYPES } from './vocabulary';

/** The resources of the specification, part 2, as the OpenAPI document shows them. */

export const EXAMPLE_QUIZ = '019a9f3e-6c00-7000-8000-000000000001';
export const EXAMPLE_QUESTION = '019a9f3e-6c00-7000-8000-000000000010';
export const EXAMPLE_ANSWERS = [
  '019a9f3e-6c00-7000-8000-000000000020',
  '019a9f3e-6c00-7000-8000-000000000021',
] as const;

export const DIFFICULTY = named('Difficulty', choice('How hard it is.', DIFFICULTIES, 'MEDIUM'));

export const QUESTION_TYPE = named(
  'QuestionType',
  choice('The kind of question.', QUESTION_TYPES, 'MULTIPLE_CHOICE'),
);

export const ANSWER = named(
  'Answer',
  object({
    id: text('Its id.', EXAMPLE_ANSWERS[0]),
    text: text('What it says.', 'The Danube'),
    isCorrect: flag('Whether it is right. Of OPEN_ENDED: one of the accepted answers.', true),
  }),
);

const ANSWERS_SHOWN = {
  examples: [
    [
      { id: EXAMPLE_ANSWERS[0], text: 'The Danube', isCorrect: true },
      { id: EXAMPLE_ANSWERS[1], text: 'The Rhine', isCorrect: false },
    ],
  ],
};

const id = text('Its id; opaque to you.', EXAMPLE_QUIZ);
const tags = listOf('Its tags.', text('A tag.', 'rivers'));
const explanation = orNull(
  text('Why the right answer is right.', 'The Danube flows through ten countries.'),
);
const questionId = text('Its id; opaque to you.', EXAMPLE_QUESTION);
const questionText = text('The question.', 'Which river flows through Vienna?');

const listItem: Record<string, Schema> = {
  id,
  title: text('Its title.', 'Rivers of Europe'),
  description: text('What it is about; empty if nobody has said.', 'From source to sea.'),
  category: text('The name of its category; empty if it has none.', 'Rivers & Lakes'),
  difficulty: DIFFICULTY,
  tags,
  questionCount: integer('How many questions it has.', 12),
  plays: integer('How often it was played.', 340),
  slug: text('Its name in addresses, such as `/play/{slug}`.', 'rivers-of-europe'),
};

export const QUIZ_LIST_ITEM = named('QuizListItem', object(listItem));

export const QUIZ_QUESTION_DETAIL = named(
  'QuizQuestionDetail',
  object({
    id: questionId,
    text: questionText,
    type: QUESTION_TYPE,
    difficulty: DIFFICULTY,
    explanation,
    order: integer('Its place in the quiz, from 1.', 1),
    answers: listOf('Its answers.', ANSWER, ANSWERS_SHOWN),
  }),
);

export const QUIZ_DETAIL = named(
  'QuizDetail',
  object({ ...listItem, questions: listOf('Its questions, in order.', QUIZ_QUESTION_DETAIL) }),
);

const category = orNull(text('The category of its quiz; null if that has none.', 'Rivers & Lakes'));
const quizId = text('The quiz it belongs to.', EXAMPLE_QUIZ);

export const QUIZ_QUESTION = named(
  'QuizQuestion',
  object(
    {
      id: questionId,
      quizId,
      text: questionText,
      type: QUESTION_TYPE,
      difficulty: DIFFICULTY,
      explanation,
      category,
      answers: listOf('Its answers: only with `include_answers=true`.', ANSWER, ANSWERS_SHOWN),
    },
    { optional: ['answers'] },
  ),
);

export const BROWSE_QUESTION = named(
  'BrowseQuestion',
  object({
    id: questionId,
    text: questionText,
    type: QUESTION_TYPE,
    difficulty: DIFFICULTY,
    explanation,
    category,
    tags: listOf('The tags of its quiz.', text('A tag.', 'rivers')),
    quizId,
    quizTitle: text('The title of its quiz.', 'Rivers of Europe'),
    answers: listOf('Its answers.', ANSWER, ANSWERS_SHOWN),
  }),
);

const link = (description: string, offset: number) =>
  text(description, `/api/v1/questions?offset=${offset}&limit=10`);

export const PAGINATION_META = named(
  'PaginationMeta',
  object({
    total: integer('Results on all pages together.', 42),
    pageTotal: integer('Results on this page.', 10),
    page: integer('The number of this page, from 1.', 2),
    lastPage: integer('The number of the last page.', 5),
    limit: integer('Results on a full page.', 10),
    offset: integer('Results before this page.', 10),
    links: {
      ...object({
        first: link('The first page.', 0),
        last: link('The last page.', 40),
        next: orNull(link('The next page; null on the last.', 20)),
        prev: orNull(link('The page before; null on the first.', 0)),
      }),
      description: 'Paths with your own filters; never with your API key.',
    },
  }),
);

export const METADATA = named(
  'Metadata',
  object({
    difficulties: listOf('Every difficulty.', DIFFICULTY, { examples: [DIFFICULTIES] }),
    questionTypes: listOf('Every question type.', QUESTION_TYPE, { examples: [QUESTION_TYPES] }),
    categories: listOf('Names of categories in use, sorted.', text('A name.', 'Rivers & Lakes')),
    tags: listOf('Tags in use, the most used first; at most 100.', text('A tag.', 'rivers')),
    stats: object({
      totalQuizzes: integer('Public quizzes.', 48),
      totalQuestions: integer('Their questions.', 576),
    }),
  }),
);

export const CATEGORY = named(
  'Category',
  object({
    id: text('Its id: the `categoryId` of a new quiz.', '019a9f3e-6c00-7000-8000-000000000031'),
    name: text('Its name.', 'Rivers & Lakes'),
    slug: text('Its name in addresses.', 'rivers-lakes'),
    quizCount: integer('Its public quizzes.', 4),
    tags: listOf('The tags its quizzes have most often; at most 20.', text('A tag.', 'rivers')),
  }),
);

export const TOPIC = named(
  'Topic',
  object({
    id: text('Its id.', '019a9f3e-6c00-7000-8000-000000000030'),
    name: text('Its name.', 'Geography'),
    slug: text('Its name in addresses.', 'geography'),
    icon: orNull(text('An emoji.', '🌍')),
    categories: listOf('Its categories.', CATEGORY),
  }),
);
