import type { EntityManager } from 'typeorm';

/** Rows of one kind that `deleteSome` deletes or changes at most: the transaction stays short. */
export const ROWS_AT_ONCE = 1_000;

/** Kept quizzes belong to “Deleted account”. */
export const QUIZZES_OF_DELETED = ['delete', 'keep'] as const;
export type QuizzesOfDeleted = (typeof QUIZZES_OF_DELETED)[number];

/** An account of which something is left to delete. */
export interface DeletedAccount {
  id: string;
  quizzes: QuizzesOfDeleted;
  deletedAt: Date;
}

/** What a module stores for accounts; app/account-deletion.module.ts lists all of it. */
export interface AccountContent {
  /**
   * Deletes some of what belongs to a deleted account. While any module has more, that of every module is called again, in
   * another transaction, also if it had no more: it must be repeatable.
   * @returns whether more may be left
   */
  deleteSome(tx: EntityManager, account: DeletedAccount): Promise<boolean>;
}

export const ACCOUNT_CONTENT = Symbol('account-content');
