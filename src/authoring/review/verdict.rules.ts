import type { Approval, RulesOfPlay } from '../../catalog/vocabulary';
import { Invalid } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { codePoints, isStorable, tidy } from '../../platform/text/text.rules';

interface QuizStatus extends RulesOfPlay {
  published: boolean;
  approval: Approval;
  rejectionReason: string | null;
  featured: boolean;
}

/** Where a quiz stands between its owner and the review, and its rules of play: they change at once. */
export type ModerationStatus = Partial<QuizStatus>;

export const DECISIONS: Record<Approval, string> = {
  pending: 'resubmitted',
  approved: 'approved',
  rejected: 'rejected',
};

/** A decision of an administrator. */
export type Verdict = { approved: true } | { approved: false; reason: string };

/** @throws Invalid without a reason, and for one that is too long */
export function statusAfter(verdict: Verdict): ModerationStatus {
  if (verdict.approved) return { approval: 'approved', rejectionReason: null };
  const rejectionReason = tidy(verdict.reason);
  const most = LIMITS.content.rejectionReason.value;
  const isTooLong = codePoints(rejectionReason) > most;
  if (!rejectionReason || isTooLong || !isStorable(rejectionReason))
    throw new Invalid('The review', [
      {
        path: 'reason',
        message: `reason must be a text of 1 to ${most} characters`,
        code: 'reason',
      },
    ]);
  return { approval: 'rejected', rejectionReason };
}
