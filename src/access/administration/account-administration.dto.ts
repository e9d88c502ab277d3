import type { Account } from '../accounts/account.entity';

/** An account as administrators see it. */
export interface AccountRow extends Pick<
  Account,
  'id' | 'email' | 'plan' | 'requestedPlan' | 'isAdmin' | 'createdAt' | 'disabledAt' | 'deletedAt'
> {
  /** Active keys. */
  keys: number;
  /** The last use of the dashboard or of a key. */
  lastSeenAt: Date | null;
}
