import { QUIZ_IN_PATH, QUIZ_NOT_FOUND } from '../catalog/catalog.openapi';
import {
  DIFFICULTY,
  EXAMPLE_ANSWERS,
  EXAMPLE_QUESTION,
  EXAMPLE_QUIZ,
  QUESTION_TYPE,
} from '../catalog/catalog.schemas';
import { bodyOf } from '../platform/openapi/class-fields';
import type { Failure, Operation, Trait } from '../platform/openapi/operation';
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
  type Schema,
} from '../platform/openapi/schema';
import { AnswerRequest } from './attempts/answer.request';
import { StartAttemptRequest } from './attempts/start-attempt.request';

/** What the reference says of playing (docs/playing.md). */

const ATTEMPT_ID = '019a9f3e-6c00-7000-8000-000000000040';
const ATTEMPT_IN_PATH = { id: { description: 'The id of the attempt.', example: ATTEMPT_ID } };

const CHOICE = object({
  id: text('Its id.', EXAMPLE_ANSWERS[0]),
  text: text('What it says.', 'The Danube'),
});

const PLAYED_QUESTION = named(
  'PlayedQuestion',
  object({
    id: text('Its id in the quiz.', EXAMPLE_QUESTION),
    text: text('The question.', 'Which river flows through Vienna?'),
    type: QUESTION_TYPE,
    difficulty: DIFFICULTY,
    order: integer('Its place in this attempt, from 1.', 1),
    answers: listOf('In an order of this attempt’s own; empty for OPEN_ENDED.', CHOICE),
  }),
);

const ATTEMPT = named(
  'Attempt',
  object({
    id: text('Its id.', ATTEMPT_ID),
    quizId: text('The quiz that is played.', EXAMPLE_QUIZ),
    player: text('Who plays, as you have named them.', 'user-17'),
    questions: listOf('The questions, without their solutions.', PLAYED_QUESTION),
  }),
);

const given: Record<string, Schema> = {
  questionId: text('The question.', EXAMPLE_QUESTION),
  answerIds: orNull(
    listOf('What was chosen; null for OPEN_ENDED.', text('An id.', EXAMPLE_ANSWERS[0])),
  ),
  text: {
    type: ['string', 'null'],
    description: 'What was typed, trimmed; null for choices.',
    examples: [null],
  },
};

const RECORDED_ANSWER = named('RecordedAnswer', object(given));

const {
  questionId,
  answerIds,
  text: typed,
} = given as Record<'questionId' | 'answerIds' | 'text', Schema>;
const RESULT = named(
  'Result',
  object({
    questionId,
    correct: flag('Whether it was answered right.', true),
    answerIds,
    text: typed,
    correctAnswers: listOf('The right answers; of OPEN_ENDED the accepted ones.', CHOICE),
    explanation: orNull(text('Why they are right.', 'The Danube flows through ten countries.')),
  }),
);

const SCORE = named(
  'Score',
  object({
    score: integer('How many answers were right.', 1),
    total: integer('How many questions there were.', 1),
    timeSpent: integer('Seconds from the start to the submit.', 73),
    results: listOf('One for each question, in the order of the attempt.', RESULT),
  }),
);

const LEADERBOARD_ENTRY = named(
  'LeaderboardEntry',
  object({
    rank: integer('From 1.', 1),
    userId: text('The player.', 'user-17'),
    score: integer('How many answers were right.', 12),
    timeSpent: integer('Seconds.', 73),
  }),
);

const EXPIRED: Failure = {
  status: 422,
  name: 'attempt-expired',
  title: 'The attempt has expired',
  error: 'This attempt has expired: it could be played for 24 hours. Start another.',
  fix: 'Start another attempt.',
};

const ATTEMPT_NOT_FOUND: Failure = {
  status: 404,
  name: 'attempt-not-found',
  title: 'There is no such attempt for you',
  error: 'Attempt not found.',
  fix: 'Check the id, and use a key of the account that has started the attempt: for all others it is not there.',
};

export const VISIBLE_QUIZ: Trait = { failures: [QUIZ_NOT_FOUND] };
export const OWN_ATTEMPT: Trait = { failures: [ATTEMPT_NOT_FOUND] };

export const START_ATTEMPT: Operation = {
  id: 'startAttempt',
  tag: 'Playing',
  summary: 'Start playing a quiz',
  description:
    'Gives the questions without their solutions. The attempt can be played for 24 hours, with the quiz as it is now.',
  path: QUIZ_IN_PATH,
  body: named(
    'StartAttemptRequest',
    bodyOf(StartAttemptRequest, {
      player: {
        description:
          'An id of your own for who plays, not beginning with `web:`. The leaderboard shows it, so do not use an e-mail address.',
        examples: ['user-17'],
      },
      shuffle: {
        description: 'Whether to shuffle the questions too; answers always are.',
        examples: [true],
      },
      reveal: {
        description: 'Whether each answer is told at once to be right or wrong.',
        examples: [false],
      },
    }),
  ),
  answer: { description: 'The attempt.', schema: success(ATTEMPT) },
  failures: [
    {
      status: 422,
      name: 'nothing-to-play',
      title: 'The quiz cannot be played',
      error: 'This quiz has no questions yet, so it cannot be played.',
      fix: 'Choose a quiz with questions (`questionCount`); at most 1,000 questions and 4 MiB of text can be played.',
    },
  ],
};

export const ANSWER_QUESTION: Operation = {
  id: 'answerQuestion',
  tag: 'Playing',
  summary: 'Answer a question',
  description:
    'Send `answerIds` for MULTIPLE_CHOICE and TRUE_FALSE, `text` for OPEN_ENDED. Answer again as often as you like: the last answer counts, with `reveal` the first.',
  path: ATTEMPT_IN_PATH,
  body: named(
    'AnswerRequest',
    bodyOf(AnswerRequest, {
      questionId: { description: 'A question of this attempt.', examples: [EXAMPLE_QUESTION] },
      answerIds: {
        description: 'What was chosen. TRUE_FALSE takes exactly one.',
        examples: [[EXAMPLE_ANSWERS[0]]],
      },
      text: { description: 'What was typed.', examples: [null] },
    }),
  ),
  answer: {
    description: 'What was recorded; with `reveal` also whether it was right.',
    schema: success({ anyOf: [RESULT, RECORDED_ANSWER] }),
    examples: {
      recorded: {
        summary: 'Recorded',
        value: exampleOf(success(RECORDED_ANSWER)),
      },
      revealed: {
        summary: 'With reveal',
        value: exampleOf(success(RESULT)),
      },
    },
  },
  failures: [
    EXPIRED,
    {
      status: 422,
      name: 'attempt-submitted',
      title: 'The attempt is over',
      error: 'This attempt is submitted, so it takes no more answers.',
      fix: 'Start another attempt to play again.',
    },
    {
      status: 422,
      name: 'answer-revealed',
      title: 'The right answer was told already',
      error: 'This question is answered, and the right answer was told: the first answer counts.',
      fix: 'Go on with the next question.',
    },
  ],
};

export const SUBMIT_ATTEMPT: Operation = {
  id: 'submitAttempt',
  tag: 'Playing',
  summary: 'Finish an attempt',
  description:
    'Needs no body. Tells the score and the solutions; what was not answered is wrong. Asking again gets the same answer and changes nothing.',
  path: ATTEMPT_IN_PATH,
  answer: { description: 'The score.', schema: success(SCORE) },
  failures: [EXPIRED],
};

export const GET_LEADERBOARD: Operation = {
  id: 'getLeaderboard',
  tag: 'Playing',
  summary: 'Get the leaderboard of a quiz',
  description:
    'The ten best players, each with their first attempt: by score, then by time. An attempt without an answer is not ranked.',
  path: QUIZ_IN_PATH,
  answer: {
    description: 'At most ten entries, the best first.',
    schema: success(listOf('The entries.', LEADERBOARD_ENTRY, { maxItems: 10 })),
  },
};
