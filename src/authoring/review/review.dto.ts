import type { Failure } from '../../platform/openapi/failures';
import { LIVE_QUIZ } from './live-quiz.rules';

/** The 403 of every endpoint that changes a quiz or its questions. List it beside OWNED_QUIZ or OWNED_QUESTION. */
export const LIVE_QUIZ_NEEDS_PUBLISH: Failure = {
  status: 403,
  name: 'live-quiz-needs-publish',
  title: 'The quiz is live, and the API key lacks the scope `publish`',
  error: LIVE_QUIZ,
  fix: 'Use a key with the scope `publish`, or unpublish the quiz in the dashboard, change it and publish it again. A quiz that is not live needs only `write`.',
};
