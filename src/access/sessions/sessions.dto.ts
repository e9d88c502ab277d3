import type { Plan } from '../accounts/plan.rules';

/** Who is signed in, and in which session. */
export interface SignedIn {
  sessionId: string;
  accountId: string;
  email: string;
  plan: Plan;
  isAdmin: boolean;
  /** The plan that the user has asked for. */
  requestedPlan: Plan | null;
  /** The language that the user last asked for; null: none yet. */
  language: string | null;
  /** Notices. */
  unread: number;
  /** Accounts that wait for a decision about their plan; 0 if the viewer is no administrator. */
  planRequests: number;
  /** The account has, or had, an API key, or has a webhook endpoint: the menu has their pages. */
  usesApi: boolean;
}

/** What a page says about the action that led to it. */
export interface FlashMessage {
  text: string;
  /** Something failed. */
  isRefusal: boolean;
}
