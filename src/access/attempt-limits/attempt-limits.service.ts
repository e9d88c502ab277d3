import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { MINUTE } from '../../platform/durations';
import { RateLimited } from '../../platform/errors/domain-errors';
import type { ErrorCode } from '../../platform/errors/error-codes';
import { Refusals } from '../../platform/hardening/refusals';
import { addressKey } from '../../platform/http/server/client-address';
import { LIMITS } from '../../platform/limits/limits';
import { emailKey } from '../accounts/credentials.rules';
import {
  forgetAttempts,
  sweepEnded,
  takeAttempt,
  takeAttemptsUpTo,
} from './attempt-limits.queries';

export type LimitedAction = keyof typeof LIMITS.actions;

/** Whose attempts are counted together: those of the same account, client address and browser, as far as given. */
export interface CountedBy {
  /** An e-mail address as typed, or an account's id. */
  account?: string;
  address?: string;
  /** A browser, or whatever else is counted separately. */
  device?: string;
}

interface Action {
  /** Milliseconds in which attempts are counted together. */
  within: number;
  /** How the error names the attempts. */
  plural: string;
  code: ErrorCode;
}

const USUAL: Action = { within: 15 * MINUTE, plural: 'attempts', code: 'too-many-attempts' };
/** The API documents this code for all that an account may do to its deliveries. */
const OF_WEBHOOKS = { code: 'too-many-webhook-attempts' } as const;
const TEST_EVENTS = { ...OF_WEBHOOKS, within: MINUTE, plural: 'test events' };
const RETRIES = { ...OF_WEBHOOKS, plural: 'retries' };

/** In what an action differs from the usual one. */
const ACTIONS: Partial<Record<LimitedAction, Partial<Action>>> = {
  codeByAddress: { plural: 'codes' },
  signUpByAddress: { within: 60 * MINUTE },
  questionTokenByAddress: { within: 6 * 60 * MINUTE, plural: 'session tokens' },
  playCountedByPlayer: { within: 24 * 60 * MINUTE },
  playCountedByNetwork: { within: 24 * 60 * MINUTE },
  testByEndpoint: TEST_EVENTS,
  testByAccount: TEST_EVENTS,
  retryByAccount: RETRIES,
  bulkRetryByAccount: RETRIES,
  reportByVisitor: { plural: 'reports' },
  reportByAddress: { plural: 'reports' },
};
const actionOf = (kind: LimitedAction): Action => ({ ...USUAL, ...ACTIONS[kind] });

/** Says which action was done too often and when to retry; the response has Retry-After. */
class TooManyAttempts extends RateLimited {
  constructor({ plural, code }: Action, seconds: number) {
    const minutes = Math.ceil(seconds / 60);
    super(
      seconds,
      code,
      `Too many ${plural}. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    );
  }
}

/** Limits guesses and costly actions, counted in the database: for all processes, and across restarts. */
@Injectable()
export class AttemptLimits {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly refusals: Refusals,
  ) {}

  /**
   * Counts an attempt before it is made, so that a hundred concurrent ones are counted too.
   * @throws TooManyAttempts
   */
  async take(kind: LimitedAction, by: CountedBy): Promise<void> {
    const action = actionOf(kind);
    const now = this.clock.now();
    const ends = new Date(now.getTime() + action.within);
    const row = await takeAttempt(this.database, keyOf(kind, by), now, ends);
    if (row && row.attempts > LIMITS.actions[kind].value) {
      this.refusals.count('attempts');
      throw new TooManyAttempts(action, Math.ceil((row.endsAt.getTime() - now.getTime()) / 1_000));
    }
    if (row?.attempts === 1) await sweepEnded(this.database, now);
  }

  /**
   * The same for several in a transaction, which decides whether they count. What is used up is seen without waiting for
   * others who take it at the same time.
   * @returns for each whether it is within the limit
   */
  async allows(
    tx: EntityManager,
    kind: LimitedAction,
    each: readonly CountedBy[],
  ): Promise<boolean[]> {
    const most = LIMITS.actions[kind].value;
    const now = this.clock.now();
    const ends = new Date(now.getTime() + actionOf(kind).within);
    const keys = each.map((by) => keyOf(kind, by));
    const times = new Map<string, number>();
    for (const key of keys) times.set(key, (times.get(key) ?? 0) + 1);
    const rows = await takeAttemptsUpTo(tx, times, most, now, ends);
    const used = new Map(rows.map((row) => [row.key, row.attempts - times.get(row.key)!]));
    return keys.map((key) => {
      const before = used.get(key) ?? most;
      used.set(key, before + 1);
      return before < most;
    });
  }

  /** The attempt succeeded: earlier ones no longer count. */
  async forget(kind: LimitedAction, by: CountedBy): Promise<void> {
    await forgetAttempts(this.database, keyOf(kind, by));
  }
}

/** Hashed, because people sometimes type their password into the field for e-mail addresses. */
function keyOf(kind: LimitedAction, { account, address, device }: CountedBy): string {
  const subject = JSON.stringify([
    account === undefined ? null : emailKey(account),
    address === undefined ? null : addressKey(address),
    device ?? null,
  ]);
  return `${kind} ${createHash('sha256').update(subject).digest('hex')}`;
}
