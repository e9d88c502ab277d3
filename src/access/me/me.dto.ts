import { Choice, Whole } from '../../platform/openapi/fields';
import { type Plan, PLANS } from '../accounts/plan.rules';
import type { Scope } from '../accounts/scope.rules';

/** The response of GET /me. */

export class KeyHolder {
  /** The id of the account. @example 019a9f3e-6c00-7000-8000-000000000001 */
  id!: string;
  /** The plan of the account. @example starter */
  @Choice(PLANS) plan!: Plan;
  /** Whether it is an administrator’s. @example false */
  administrator!: boolean;
}

export class UsedKey {
  /** The id of the key. @example 019a9f3e-6c00-7000-8000-000000000002 */
  id!: string;
  /** What its holder calls it. @example Website */
  name!: string;
  /** What it may do. @example ["read", "write"] */
  scopes!: Scope[];
  /** Web origins whose pages may use it; empty: any. @example ["https://example.com"] */
  origins!: string[];
  /** When it stops working; null: never. @example 2027-01-01T00:00:00.000Z */
  expiresAt!: string | null;
}

export class QuizQuota {
  /** How many quizzes the account owns. @example 3 */
  @Whole() used!: number;
  /**
   * How many it may own so that its keys can create another one: 0 in the plan free, whose quizzes are created in the
   * dashboard; null: any number.
   * @example 25
   */
  @Whole() limit!: number | null;
}

export class Quota {
  quizzes!: QuizQuota;
}

export class RateLimit {
  /** What is counted: the requests of your address, or of your key if it has a rate of its own. @example address */
  @Choice(['address', 'key']) per!: 'address' | 'key';
  /** Requests that it may make in any minute. @example 60 */
  @Whole() limit!: number;
  /** How many of them are left. @example 57 */
  @Whole() remaining!: number;
  /** Seconds until the oldest request of the last minute no longer counts. @example 42 */
  @Whole() reset!: number;
}

export class Me {
  account!: KeyHolder;
  key!: UsedKey;
  quota!: Quota;
  rateLimit!: RateLimit;
}
