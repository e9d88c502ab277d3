import type { Actor } from '../../access/audit/audit-log';
import { Forbidden } from '../../platform/errors/domain-errors';
import type { Failure } from '../../platform/openapi/failures';

const LIVE_QUIZ =
  'This quiz is live, so others would see the change at once. That needs an API key with the scope `publish`: use one, or ask the owner to make the change or to unpublish the quiz first.';

/** What others see at once needs the scope `publish`, by the API and by assistants alike. @throws Forbidden */
export function requireMayChange({ scopes }: Actor, isLive: boolean): void {
  if (isLive && scopes && !scopes.includes('publish'))
    throw new Forbidden(LIVE_QUIZ, 'live-quiz-needs-publish');
}

/** Of everything that changes a quiz or its questions, beside OWNED_QUIZ and OWNED_QUESTION. */
export const LIVE_QUIZ_NEEDS_PUBLISH: Failure = {
  status: 403,
  name: 'live-quiz-needs-publish',
  title: 'The quiz is live, and the API key lacks the scope `publish`',
  error: LIVE_QUIZ,
  fix: 'Use a key with the scope `publish`, or unpublish the quiz in the dashboard, change it and publish it again. Drafts, and quizzes that wait for review, need only `write`.',
};
