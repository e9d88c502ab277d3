import { hash } from 'node:crypto';
import { Conflict } from '../../platform/errors/domain-errors';
import type { Plan } from '../accounts/plan.rules';

interface Decided {
  email: string;
  plan: Plan;
  requestedPlan: Plan | null;
  isAdmin: boolean;
  disabledAt: Date | null;
}

/** Identifies what administrators decide about an account. The forms of its page send it back. */
export const accountVersion = ({ email, plan, requestedPlan, isAdmin, disabledAt }: Decided) =>
  hash('sha256', JSON.stringify([email, plan, requestedPlan, isAdmin, disabledAt]));

/**
 * @param account locked by the caller
 * @param seen the version on which the administrator decides; undefined: whatever it is
 * @throws Conflict if it is another one by now: of two administrators, the second would undo what the first did unseen
 */
export function requireSeen(account: Decided, seen: string | undefined): void {
  if (seen !== undefined && seen !== accountVersion(account))
    throw new Conflict(
      'Nothing was changed, because this account has changed since you opened its page. Check it, then decide again.',
    );
}
