import type { Failure } from '../../platform/openapi/failures';
import { LIVE_QUIZ } from './live-quiz.rules';

/** Of everything that changes a quiz or its questions, beside OWNED_QUIZ and OWNED_QUESTION. */
export const LIVE_QUIZ_NEEDS_PUBLISH: Failure = {
  status: 403,
  name: 'live-quiz-needs-publish',
  title: 'The quiz is live, and the API key lacks the scope `publish`',
  error: LIVE_QUIZ,
  fix: 'Use a key with the scope `publish`, or unpublish the quiz in the dashboard, change it and publish it again. Drafts, and quizzes that wait for review, need only `write`.',
};
