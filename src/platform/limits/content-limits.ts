const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MIB = 1_048_576;

const textOfQuestion = {
  beyond: '422 that names the limit',
  test: 'test/api/content-limits.spec.ts › a question at the limit of every text is accepted, and one character more is refused',
} as const;

/** How much quizzes and accounts hold: a section of the table of limits (limits.ts). */
export const content = {
  questionsPerQuiz: {
    value: 1_000,
    unit: 'questions',
    what: 'Questions in a quiz',
    per: 'quiz',
    beyond: '422 that names the limit; an import continues in another quiz',
    test: 'test/api/content-limits.spec.ts › a quiz takes its 1,000th question and not the 1,001st',
  },
  questionText: {
    ...textOfQuestion,
    value: 4_000,
    unit: 'characters',
    what: 'Text of a question',
    per: 'question',
  },
  explanationText: {
    ...textOfQuestion,
    value: 4_000,
    unit: 'characters',
    what: 'Explanation of a question',
    per: 'question',
  },
  answerText: {
    ...textOfQuestion,
    value: 1_000,
    unit: 'characters',
    what: 'Text of an answer',
    per: 'answer',
  },
  answersPerQuestion: {
    ...textOfQuestion,
    value: 60,
    unit: 'answers',
    what: 'Answers of a question',
    per: 'question',
  },
  questionsPerPage: {
    value: 25,
    unit: 'questions',
    what: 'Questions on a page of the dashboard and of the review',
    per: 'page',
    beyond: 'more pages',
    test: 'test/api/content-limits.spec.ts › the dashboard and the review show a quiz of 1,000 questions page by page',
  },
  quizBytes: {
    value: 2 * MIB,
    unit: 'bytes',
    what: 'Questions of a quiz: their texts in UTF-8, with 200 bytes for each question and 100 for each answer',
    per: 'quiz',
    beyond: '422 that names the limit',
    test: 'test/api/content-limits.spec.ts › a quiz holds 2 MiB of questions and not a byte more',
  },
  starterBytes: {
    value: 64 * MIB,
    unit: 'bytes',
    what: 'Questions of all quizzes of a Starter account',
    per: 'account',
    beyond: '422 that names the limit and the plan',
    test: 'test/api/content-limits.spec.ts › an account cannot pass the bytes of its plan, however many batches come at once',
  },
  proBytes: {
    value: 640 * MIB,
    unit: 'bytes',
    what: 'Questions of all quizzes of a Pro account',
    per: 'account',
    beyond: '422 that names the limit and the plan',
    test: 'test/api/content-limits.spec.ts › the bytes of an account follow edits and deletions, and its limit is that of its plan',
  },
} as const;

/** What is stored for a time: a section of the table of limits (limits.ts). */
export const storage = {
  storedResponses: {
    value: 16 * MIB,
    unit: 'bytes',
    what: 'Stored responses of more than 4 KiB to requests with an Idempotency-Key',
    per: 'account',
    beyond:
      'the oldest are dropped; their keys still prevent a second change, and a repetition is 409',
    test: 'test/api/idempotency.spec.ts › stored responses take at most 16 MiB per account, and a key whose response was dropped still blocks a second creation',
  },
  snapshots: {
    value: 1_024 * MIB,
    unit: 'bytes',
    what: 'Versions of the questions of its quizzes that attempts play',
    per: 'account',
    beyond: '422 that names the limit where a changed quiz is to be played',
    test: "test/api/play.spec.ts › an owner's snapshots take at most 1 GiB, and stored ones can still be played beyond it",
  },
  submittedAttempts: {
    value: 90 * DAY,
    unit: 'ms',
    what: 'Submitted attempts and their answers (leaderboards and plays stay)',
    per: 'attempt',
    beyond: 'deleted',
    test: 'test/api/leaderboard-moderation.spec.ts › a submitted attempt is deleted after 90 days, and its place on the leaderboard stays',
  },
  emptyAttempts: {
    value: HOUR,
    unit: 'ms',
    what: 'Attempts of visitors that answer nothing; submitted ones a day',
    per: 'attempt',
    beyond: 'deleted',
    test: 'test/api/player-page.spec.ts › an attempt without an answer is kept for an hour, a submitted one for a day',
  },
} as const;
