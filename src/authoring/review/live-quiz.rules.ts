import type { Scope } from '../../access/accounts/scope.rules';
import { Forbidden } from '../../platform/errors/domain-errors';

export const LIVE_QUIZ =
  'This quiz is live, so others would see the change at once. That needs an API key with the scope `publish`: use one, or ask the owner to make the change or to unpublish the quiz first.';

/**
 * What others see at once needs the scope `publish`, by the API and by assistants alike.
 * @param actor without scopes: a person who is signed in
 * @throws Forbidden
 */
export function requireMayChange({ scopes }: { scopes?: readonly Scope[] }, isLive: boolean): void {
  if (isLive && scopes && !scopes.includes('publish'))
    throw new Forbidden(LIVE_QUIZ, 'live-quiz-needs-publish');
}
