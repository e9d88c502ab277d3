import { LIMITS } from '../../platform/limits/limits';

/** Specification, part 1: what an account may do depends on its plan; administrators are exempt. */
export const PLANS = ['free', 'starter', 'pro'] as const;
export type Plan = (typeof PLANS)[number];

export const PLAN_NAMES: Record<Plan, string> = { free: 'Free', starter: 'Starter', pro: 'Pro' };

/**
 * Who may write by key and publish: Starter, Pro and administrators. On the dashboard a Free account writes a few
 * drafts, which it shares by unlisted links (LIMITS.content.freeQuizzes).
 */
export function mayWrite(holder: { plan: Plan; isAdmin: boolean }): boolean {
  return holder.isAdmin || holder.plan !== 'free';
}

/** Whether a plan above theirs allows more. */
export const canUpgrade = ({ plan }: { plan: Plan }) => plan !== 'pro';

/** Bytes that the questions of all the account's quizzes may have; null: no limit. */
export function contentLimit(holder: { plan: Plan; isAdmin: boolean }): number | null {
  if (holder.isAdmin) return null;
  const { freeBytes, starterBytes, proBytes } = LIMITS.content;
  return { free: freeBytes.value, starter: starterBytes.value, pro: proBytes.value }[holder.plan];
}
