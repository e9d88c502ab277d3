import { mayWrite, type Plan } from '../../access/accounts/plan.rules';
import { requireActorScope, type Scope } from '../../access/accounts/scope.rules';
import { Forbidden, PlanRequired } from '../../platform/errors/domain-errors';

export const LIVE_QUIZ =
  'This quiz is live, so others would see the change at once. That needs an API key with the scope `publish`: use one, or ask the owner to make the change or to unpublish the quiz first.';

/**
 * What others see at once needs the scope `publish`, by the API and by assistants alike.
 * @param actor without scopes: a person who is signed in
 * @throws Forbidden
 */
export function requireMayChange(
  actor: { scopes?: readonly Scope[] | undefined },
  isLive: boolean,
): void {
  if (isLive)
    requireActorScope(actor, 'publish', new Forbidden(LIVE_QUIZ, 'live-quiz-needs-publish'));
}

/**
 * Publishing needs the scope `publish` and a plan. A quiz that is public already stays so when the plan ends.
 * @param actor without scopes: a person who is signed in
 * @throws Forbidden, PlanRequired
 */
export function requireMayPublish(
  actor: { scopes?: readonly Scope[] | undefined },
  owner: { plan: Plan; isAdmin: boolean },
): void {
  requireActorScope(actor, 'publish');
  if (!mayWrite(owner))
    throw new PlanRequired(
      'A public quiz needs a Starter or Pro plan. Keep it as a draft, or ask for a plan on the page Account.',
    );
}

/**
 * What is published when a plan ends stays so, but nothing is added to it (docs/adr/0009), whether or not it has been
 * approved.
 * @throws PlanRequired
 */
export function requireMayAdd(
  owner: { plan: Plan; isAdmin: boolean },
  quiz: { published: boolean },
): void {
  if (quiz.published && !mayWrite(owner))
    throw new PlanRequired('A Starter or Pro plan is needed to add questions to a published quiz.');
}
