import type { Plan } from '../accounts/plan.rules';
import type { Scope } from '../accounts/scope.rules';

/** The account of the request's API key (specification, part 5). */
export interface Caller {
  accountId: string;
  keyId: string;
  plan: Plan;
  isAdmin: boolean;
  scopes: readonly Scope[];
  /** Web origins whose pages may use the key; none: any. */
  origins: readonly string[];
}

/** What a look-up finds for a valid key. */
export interface FoundCaller {
  caller: Caller;
  expiresAt: Date | null;
}
