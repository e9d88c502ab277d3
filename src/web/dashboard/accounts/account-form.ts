import { type Plan, PLANS } from '../../../access/accounts/plan.rules';
import { fieldError, type Form } from '../../http/form';

/** The plan in a form. @throws Invalid for anything else */
export function chosenPlan(form: Form): Plan {
  const plan = PLANS.find((name) => name === form.text('plan'));
  if (!plan) throw fieldError('plan', 'Choose one of the plans');
  return plan;
}
