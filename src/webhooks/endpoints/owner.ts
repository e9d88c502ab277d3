import { OPERATOR, type Actor } from '../../access/accounts/audit-log';

/** For whom something is looked up: an account sees its own only, an operator sees all. */
export type Owner = { readonly accountId: string } | 'operator';

/** As the audit log names who acts. */
export const actorOf = (owner: Owner): Actor => (owner === 'operator' ? OPERATOR : owner);

/** The account to look in; null for all of them. */
export function accountOf(owner: Owner): string | null {
  return owner === 'operator' ? null : owner.accountId;
}
