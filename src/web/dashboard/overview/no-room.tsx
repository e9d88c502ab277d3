import type { AccountsService } from '../../../access/accounts/accounts.service';
import { PLAN_NAMES } from '../../../access/accounts/plan.rules';
import { PostButton } from '../../components/button';
import { count } from '../../components/format';
import { Note } from '../../components/section';
import { usePage } from '../../http/page-context';

export type Offer = ReturnType<AccountsService['offer']>;

/** Why no quiz can be created, and how to get a plan that allows more. @param limit 0: the plan allows none */
export function NoRoom({ limit, offer }: { limit: number; offer: Offer }) {
  const { viewer } = usePage();
  if (!viewer) return null;
  const larger = offer.filter(({ quizzes }) => quizzes > limit);
  const plan = PLAN_NAMES[viewer.plan];
  return (
    <Note
      variant="busy"
      title={limit === 0 ? 'You need a plan to write quizzes' : 'Your plan is full'}
    >
      <p>
        {limit === 0
          ? `Your ${plan} account can read and play every public quiz.`
          : `Your ${plan} plan allows ${count(limit, 'quiz', 'quizzes')}, and all of them are in use. Delete a quiz to make room.`}
        {larger.length > 0 && ' You can ask an administrator for a plan that allows more.'}
      </p>
      <PlanRequest />
      <div class="buttons">
        {larger
          .filter((it) => it.plan !== viewer.requestedPlan)
          .map((it) => (
            <PostButton
              action="/dashboard/account/plan"
              fields={{ plan: it.plan }}
              text={`Ask for ${PLAN_NAMES[it.plan]} (${count(it.quizzes, 'quiz', 'quizzes')})`}
            />
          ))}
      </div>
    </Note>
  );
}

/** What the viewer has asked for and nobody has decided yet. */
export function PlanRequest() {
  const plan = usePage().viewer?.requestedPlan;
  return plan ? (
    <p>You have asked for the {PLAN_NAMES[plan]} plan. An administrator will decide.</p>
  ) : null;
}
