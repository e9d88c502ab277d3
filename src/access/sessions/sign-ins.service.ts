import { Injectable } from '@nestjs/common';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { DomainError, Invalid } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { emailKey } from './credentials.rules';
import { addressKey, addressText } from '../../platform/http/request/request-context';
import { Config } from '../../platform/config/config';
import { encryptionKeysOf } from '../../platform/encryption-key';
import { AccountsService } from '../accounts/accounts.service';
import { ANONYMOUS, AuditLog } from '../accounts/audit-log';
import { PasswordsService } from './passwords.service';
import { SessionsService, type Browser } from './sessions.service';

const MINUTE = 60_000;

export type AttemptKind = keyof typeof LIMITS.attempts;

/** Whose attempts are counted together: those of the same account, client address and browser, as far as given. */
export interface CountedBy {
  /** An e-mail address as typed, or an account's id. */
  account?: string;
  address?: string;
  /** A browser, or whatever else is counted separately. */
  device?: string;
}

const WITHIN: Partial<Record<AttemptKind, number>> = {
  signUpByAddress: 60 * MINUTE,
  playCountedByVisitor: 24 * 60 * MINUTE,
  playCountedByNetwork: 24 * 60 * MINUTE,
  testByEndpoint: MINUTE,
  testByAccount: MINUTE,
};
const within = (kind: AttemptKind) => WITHIN[kind] ?? 15 * MINUTE;

/** Says which action was done too often and when to retry; the response has Retry-After. */
export class TooManyAttempts extends DomainError {
  constructor(seconds: number, what: string) {
    const minutes = Math.ceil(seconds / 60);
    super(
      'rate-limited',
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
  async take(kind: AttemptKind, by: CountedBy, what = 'attempts'): Promise<void> {
    const attempts = LIMITS.attempts[kind].value;
    const now = this.clock.now();
    const [row] = await this.database.query<{ attempts: number; ends_at: Date }[]>(TAKE, [
      keyOf(kind, by),
      now,
      new Date(now.getTime() + within(kind)),
    ]);
    if (row && row.attempts > attempts)
      throw new TooManyAttempts(Math.ceil((row.ends_at.getTime() - now.getTime()) / 1_000), what);
    if (row?.attempts === 1)
      await this.database.query(`DELETE FROM attempt_limits WHERE ends_at < $1`, [now]);
  }

  /** The attempt succeeded: earlier ones no longer count. */
  async forget(kind: AttemptKind, by: CountedBy): Promise<void> {
    await this.database.query(`DELETE FROM attempt_limits WHERE key = $1`, [keyOf(kind, by)]);
  }
}

/** Hashed, because people sometimes type their password into the field for e-mail addresses. */
function keyOf(kind: AttemptKind, { account, address, device }: CountedBy): string {
  const subject = JSON.stringify([
    account === undefined ? null : emailKey(account),
    address === undefined ? null : addressKey(address),
    device ?? null,
  ]);
  return `${kind} ${createHash('sha256').update(subject).digest('hex')}`;
}

const TAKE = `
INSERT INTO attempt_limits AS l (key, attempts, ends_at) VALUES ($1, 1, $3)
ON CONFLICT (key) DO UPDATE SET
  attempts = CASE WHEN l.ends_at <= $2 THEN 1 ELSE l.attempts + 1 END,
  ends_at = CASE WHEN l.ends_at <= $2 THEN excluded.ends_at ELSE l.ends_at END
RETURNING attempts, ends_at`;

/** Signing in with an e-mail address and a password. */
@Injectable()
export class SignInsService {
  private readonly keys: readonly Buffer[];

  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly passwords: PasswordsService,
    private readonly sessions: SessionsService,
    private readonly limits: AttemptLimits,
    private readonly audit: AuditLog,
    config: Config,
  ) {
    this.keys = encryptionKeysOf(config);
  }

  /**
   * Starts a session.
   * @param device the cookie of `issueDevice` that the browser sent
   * @returns the value of the session's cookie
   * @throws TooManyAttempts; Invalid, without revealing which of the two was wrong
   */
  async signIn(
    { email, password }: { email: string; password: string },
    from: Browser,
    device: string | null,
  ): Promise<string> {
    const counters = this.countersOf(email, from.address, device);
    for (const [kind, by] of counters) await this.limits.take(kind, by);
    const verified = await this.passwords.check(email, password);
    const token =
      verified && (await this.sessions.start(verified.accountId, from, verified.passwordHash));
    if (!token) {
      await this.recordRefusal(email, from.address);
      throw new Invalid('The sign-in', [WRONG]);
    }
    for (const [kind, by] of counters)
      if (kind !== 'signInByAddress') await this.limits.forget(kind, by);
    return token;
  }

  /**
   * The cookie value for a browser that has just signed in to this address's account. Later sign-ins of this browser
   * to the account have a counter of their own, so that guesses from elsewhere cannot lock the owner out.
   */
  issueDevice(email: string): string {
    const id = randomBytes(16).toString('base64url');
    return `${id}.${mac(this.keys[0] as Buffer, id, email).toString('base64url')}`;
  }

  /** The id of the browser with this cookie; null if the cookie was not issued for this address. */
  deviceOf(cookie: string | null, email: string): string | null {
    const [id = '', given = ''] = cookie?.split('.') ?? [];
    const presented = Buffer.from(given, 'base64url');
    const isIssued = this.keys.some((key) => {
      const issued = mac(key, id, email);
      return issued.length === presented.length && timingSafeEqual(issued, presented);
    });
    return isIssued ? id : null;
  }

  /**
   * A browser that has signed in before has a counter of its own. Others are counted by account and network, so that
   * nobody can lock out an account elsewhere; and by account, against guessing from many networks.
   */
  private countersOf(
    account: string,
    address: string,
    cookie: string | null,
  ): [AttemptKind, CountedBy][] {
    const device = this.deviceOf(cookie, account);
    if (device) return [['signInByDevice', { account, device }]];
    return [
      ['signInByAddress', { address }],
      ['signInByAccountAndAddress', { account, address }],
      ['signInByAccount', { account }],
    ];
  }

  /** Does the same work for an unknown address. The address is not logged: people type passwords into that field. */
  private async recordRefusal(email: string, address: string): Promise<void> {
    const account = await this.accounts.find(email);
    const object = { kind: 'account', id: account?.id ?? '', name: account?.email ?? 'unknown' };
    const from = `from ${addressText(address)}`;
    await this.audit.record(this.database.manager, ANONYMOUS, 'sign-in.refused', object, from);
  }
}

/** One message for all cases: guessers must not learn which of the two was wrong. */
const WRONG = { path: '', message: 'The e-mail address or the password is wrong', code: 'wrong' };

const mac = (key: Buffer, id: string, email: string) =>
  createHmac('sha256', key)
    .update(`known device ${id} ${emailKey(email)}`)
    .digest();
