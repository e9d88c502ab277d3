import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { DomainError } from '../../platform/errors/domain-errors';
import { addressKey } from '../../platform/http/server/access-log';
import { LIMITS } from '../../platform/limits/limits';
import { emailKey } from '../accounts/credentials.rules';
import {
  forgetAttempts,
  sweepEnded,
  takeAttempt,
  takeAttemptsUpTo,
} from './attempt-limits.queries';

const MINUTE = 60_000;

export type LimitedAction = keyof typeof LIMITS.attempts;

/** Whose attempts are counted together: those of the same account, client address and browser, as far as given. */
export interface CountedBy {
  /** An e-mail address as typed, or an account's id. */
  account?: string;
  address?: string;
  /** A browser, or whatever else is counted separately. */
  device?: string;
}

const WITHIN: Partial<Record<LimitedAction, number>> = {
  signUpByAddress: 60 * MINUTE,
  playCountedByPlayer: 24 * 60 * MINUTE,
  playCountedByNetwork: 24 * 60 * MINUTE,
  testByEndpoint: MINUTE,
  testByAccount: MINUTE,
};
const within = (kind: LimitedAction) => WITHIN[kind] ?? 15 * MINUTE;

/** Says which action was done too often and when to retry; the response has Retry-After. */
class TooManyAttempts extends DomainError {
  constructor(seconds: number, what: string) {
    const minutes = Math.ceil(seconds / 60);
    super(
      'rate-limited',
      'too-many-webhook-attempts',
      `Too many ${what}. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
      undefined,
      seconds,
    );
  }
}

/** Limits guesses and costly actions, counted in the database: for all processes, and across restarts. */
@Injectable()
export class AttemptLimits {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts an attempt before it is made, so that a hundred concurrent ones are counted too.
   * @param what how the error names them
   * @throws TooManyAttempts
   */
  async take(kind: LimitedAction, by: CountedBy, what = 'attempts'): Promise<void> {
    const attempts = LIMITS.attempts[kind].value;
    const now = this.clock.now();
    const ends = new Date(now.getTime() + within(kind));
    const row = await takeAttempt(this.database, keyOf(kind, by), now, ends);
    if (row && row.attempts > attempts)
      throw new TooManyAttempts(Math.ceil((row.endsAt.getTime() - now.getTime()) / 1_000), what);
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
    const most = LIMITS.attempts[kind].value;
    const now = this.clock.now();
    const ends = new Date(now.getTime() + within(kind));
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
