/** For whom something is looked up: an account sees its own only, an operator sees all. */
export type Owner = { readonly accountId: string } | 'operator';

/** The account to look in; null for all of them. */
export function accountOf(owner: Owner): string | null {
  return owner === 'operator' ? null : owner.accountId;
}
