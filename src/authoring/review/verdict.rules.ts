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

/** What takes effect without a new version of the content: publishing, the review's decision and the rules of play. */
export type QuizStatusChange = Partial<QuizStatus>;

/** What somebody did to a quiz that now has this status, for messages. */
export const DECISIONS: Record<Approval, string> = {
  pending: 'resubmitted',
  approved: 'approved',
  rejected: 'rejected',
};

/** A decision of an administrator. */
export type Verdict = { approved: true } | { approved: false; reason: string };

/** @throws Invalid without a reason, and for one that is too long or that PostgreSQL cannot store */
export function statusAfter(verdict: Verdict): QuizStatusChange {
  if (verdict.approved) return { approval: 'approved', rejectionReason: null };
  const rejectionReason = tidy(verdict.reason);
  const most = LIMITS.content.rejectionReason.value;
  const isTooLong = codePoints(rejectionReason) > most;
  if (!rejectionReason || isTooLong || !isStorable(rejectionReason))
    throw new Invalid('The review', [
      {
        path: 'reason',
        message: `reason must be a text of 1 to ${most.toLocaleString('en')} characters`,
        code: 'reason',
      },
    ]);
  return { approval: 'rejected', rejectionReason };
}
