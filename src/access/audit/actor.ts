import { NIL_ID } from '../../platform/text/ids';
import type { Scope } from '../accounts/scope.rules';

/** Who did it. */
export interface Actor {
  accountId: string;
  /** Looked up if absent. */
  email?: string;
  /** Of the API key that is used; absent in the dashboard, where a user may do everything. */
  scopes?: readonly Scope[] | undefined;
  /** The API key or the session that was used, for entries that name it. */
  keyId?: string | undefined;
  sessionId?: string | undefined;
}

/** An operator who runs quizctl: a shell on the server has no account. */
export const OPERATOR: Actor = { accountId: NIL_ID, email: 'quizctl' };

/** Somebody who is not signed in. */
export const ANONYMOUS: Actor = { accountId: NIL_ID, email: 'anonymous' };
