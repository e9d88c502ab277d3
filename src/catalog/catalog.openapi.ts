import { queryOf } from '../platform/openapi/class-fields';
import type { Failure, Operation } from '../platform/openapi/operation';
import { LIMITS } from '../platform/limits/limits';
import { exampleOf, integer, listOf, object, success, text } from '../platform/openapi/schema';
import { BrowseQuestionsQuery, QuizQuestionsQuery } from './questions/browse-questions.query';
import {
  BROWSE_QUESTION,
  EXAMPLE_QUIZ,
  METADATA,
  PAGINATION_META,
  QUIZ_DETAIL,
  QUIZ_LIST_ITEM,
  QUIZ_QUESTION,
  TOPIC,
} from './catalog.schemas';
import { ListQuizzesQuery } from './quizzes/list-quizzes.query';

/** What the reference says of the catalogue's endpoints (specification 4.1, 4.2, 4.3, 4.5, 4.6). */

export const QUIZ_IN_PATH = { id: { description: 'The id of the quiz.', example: EXAMPLE_QUIZ } };

export const QUIZ_NOT_FOUND: Failure = {
  status: 404,
  name: 'quiz-not-found',
  title: 'There is no such quiz for you',
  error: 'Quiz not found.',
  fix: 'Check the id: take it from a list, or from the answer that has created the quiz. A quiz of somebody else is found only while it is published and approved.',
};

const LIMIT = { description: 'How many results to send.', examples: [10] };
const OFFSET = {
  type: ['integer', 'null'],
  description: 'How many results to skip. Past the end the page is empty.',
  examples: [0],
};
const TAGS_MATCH = {
  description: '`any`: one of the tags is enough. `all`: every one of them is needed.',
};
const LIST =
  `separated by commas, or the parameter repeated; in any case, at most ${LIMITS.requests.listItems.value}. ` +
  'A comma within one is written `\\,`, a backslash before a comma `\\\\`.';
const TAGS = {
  description: `Tags, ${LIST}`,
  examples: [['rivers', 'europe']],
};

export const GET_METADATA: Operation = {
  id: 'getMetadata',
  tag: 'Discovery',
  summary: 'Get the metadata',
  description:
    'Difficulties, question types, the categories and tags in use, and totals. Counts what everybody may see; at most a minute old.',
  answer: { description: 'The metadata.', schema: success(METADATA) },
};

export const LIST_CATEGORIES: Operation = {
  id: 'listCategories',
  tag: 'Discovery',
  summary: 'List topics and categories',
  description: 'Every topic with its categories. At most a minute old.',
  answer: { description: 'The topics.', schema: success(listOf('The topics.', TOPIC)) },
};

export const LIST_QUIZZES: Operation = {
  id: 'listQuizzes',
  tag: 'Quizzes',
  summary: 'List and search quizzes',
  description:
    'Quizzes that are published and approved, and your own. Filters narrow the list together; an empty filter narrows nothing.',
  query: queryOf(ListQuizzesQuery, {
    category: { description: 'The name of a category, in any case.', examples: ['Rivers & Lakes'] },
    difficulty: { description: 'One difficulty.', examples: ['MEDIUM'] },
    tags: TAGS,
    tags_match: TAGS_MATCH,
    topic: {
      description: 'Text that the title, the description or a tag contains, in any case.',
      examples: ['river'],
    },
    sort: {
      description:
        '`popular`: most played first. `newest`: last created first. `title`: alphabetical.',
    },
    limit: LIMIT,
    offset: OFFSET,
  }),
  answer: {
    description: 'A page of quizzes.',
    schema: success(
      listOf('The quizzes of this page.', QUIZ_LIST_ITEM),
      object({
        total: integer('Results on all pages together.', 48),
        limit: integer('As asked for.', 10),
        offset: integer('As asked for.', 0),
      }),
    ),
  },
};

export const GET_QUIZ: Operation = {
  id: 'getQuiz',
  tag: 'Quizzes',
  summary: 'Get a quiz',
  description:
    'A quiz with all its questions and answers, the right ones marked. Of your own quizzes also drafts.',
  path: QUIZ_IN_PATH,
  answer: { description: 'The quiz.', schema: success(QUIZ_DETAIL) },
  failures: [QUIZ_NOT_FOUND],
};

const QUIZ_MODE = queryOf(QuizQuestionsQuery, {
  quiz_id: {
    description:
      'Chooses the mode: with it you get the questions of this quiz, all of them and in order, and the other filters count for nothing. Without it you browse.',
    examples: [EXAMPLE_QUIZ],
  },
  include_answers: {
    description: 'With `quiz_id`: whether to include the answers. When browsing they always are.',
    examples: [true],
  },
});

const BROWSE_MODE = queryOf(BrowseQuestionsQuery, {
  category: {
    description: `Names of categories, ${LIST}`,
    examples: [['Rivers & Lakes']],
  },
  difficulty: {
    description: 'Difficulties, separated by commas or the parameter repeated; in any case.',
    examples: [['EASY', 'MEDIUM']],
  },
  type: {
    description: 'Question types, separated by commas or the parameter repeated.',
    examples: [['TRUE_FALSE']],
  },
  tags: TAGS,
  tags_match: TAGS_MATCH,
  limit: LIMIT,
  offset: OFFSET,
  random: {
    description:
      'Shuffles everything that matches and draws the page from that: a different one each time. The links carry the `seed` of this shuffle.',
    examples: [true],
  },
  seed: {
    description:
      'With `random=true`: makes the shuffle repeatable, so that the pages of one seed hold every question once.',
    examples: ['today'],
  },
});

const ONE_QUIZ = success(
  listOf('The questions, in order.', QUIZ_QUESTION),
  object({
    total: integer('How many questions the quiz has.', 1),
    quizId: text('The quiz.', EXAMPLE_QUIZ),
  }),
);
const BROWSED = success(listOf('The questions of this page.', BROWSE_QUESTION), PAGINATION_META);

export const FIND_QUESTIONS: Operation = {
  id: 'findQuestions',
  tag: 'Questions',
  summary: 'Get the questions of a quiz, or browse all',
  description:
    'Two modes, chosen by `quiz_id`. Of a quiz that is not there, or not for you, you get no questions: that is no failure.',
  // A quiz is one of the filters here: only its mode requires it.
  query: [...QUIZ_MODE.map((parameter) => ({ ...parameter, required: false })), ...BROWSE_MODE],
  answer: {
    description: 'The questions of the quiz, or a page of all that match.',
    schema: { anyOf: [BROWSED, ONE_QUIZ] },
    examples: {
      browse: { summary: 'Browsing', value: exampleOf(BROWSED) },
      quiz: { summary: 'With quiz_id', value: exampleOf(ONE_QUIZ) },
    },
  },
};
