import { mayWrite, type Plan } from '../../access/accounts/plan.rules';
import type { Scope } from '../../access/accounts/scope.rules';
import { Forbidden, PlanRequired } from '../../platform/errors/domain-errors';

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

/**
 * What everybody sees needs a plan. A quiz that is public already stays so when the plan ends.
 * @throws PlanRequired
 */
export function requireMayPublish(owner: { plan: Plan; isAdmin: boolean }): void {
  if (!mayWrite(owner))
    throw new PlanRequired(
      'A public quiz needs a Starter or Pro plan. Keep it as a draft, or ask for a plan on the page Account.',
    );
}
