import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../../platform/config/config';
import { encryptionKeysOf } from '../../platform/encryption-key';
import { Invalid } from '../../platform/errors/domain-errors';
import { addressText } from '../../platform/http/server/client-address';
import { AccountsService } from '../accounts/accounts.service';
import { emailKey } from '../accounts/credentials.rules';
import { isSignatureOf, signatureOf } from '../accounts/signatures.rules';
import {
  AttemptLimits,
  type CountedBy,
  type LimitedAction,
} from '../attempt-limits/attempt-limits.service';
import { ANONYMOUS } from '../audit/actor';
import { AuditLog } from '../audit/audit-log';
import { PasswordsService } from './passwords.service';
import { type Browser, SessionsService } from './sessions.service';

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
   * @throws Overloaded; TooManyAttempts; Invalid, without revealing which of the two was wrong
   */
  async signIn(
    { email, password }: { email: string; password: string },
    from: Browser,
    device: string | null,
  ): Promise<string> {
    this.passwords.requireTurn();
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
      if (!ALSO_SUCCESSFUL.has(kind)) await this.limits.forget(kind, by);
    return token;
  }

  /**
   * The cookie value for a browser that has just signed in to this address's account. Later sign-ins of this browser
   * to the account have a counter of their own, so that guesses from elsewhere cannot lock the owner out.
   */
  issueDevice(email: string): string {
    const id = randomBytes(16).toString('base64url');
    return `${id}.${signatureOf(this.keys, knownDevice(id, email))}`;
  }

  /** The id of the browser with this cookie; null if the cookie was not issued for this address. */
  deviceOf(cookie: string | null, email: string): string | null {
    const [id = '', signature = ''] = cookie?.split('.') ?? [];
    return isSignatureOf(this.keys, knownDevice(id, email), signature) ? id : null;
  }

  /**
   * A browser that has signed in before has a counter of its own, and shares one with the account's other known browsers:
   * each sign-in leaves an audit entry, which nobody can delete for a year. Others are counted by account and network,
   * so that nobody can lock out an account elsewhere; and by account, against guessing from many networks.
   */
  private countersOf(
    account: string,
    address: string,
    cookie: string | null,
  ): [LimitedAction, CountedBy][] {
    const device = this.deviceOf(cookie, account);
    if (device)
      return [
        ['signInByDevice', { account, device }],
        ['signInByKnownBrowser', { account }],
      ];
    return [
      ['signInByAddress', { address }],
      ['signInByAccountAndAddress', { account, address }],
      ['signInByAccount', { account }],
    ];
  }

  /** Does the same work for an unknown address. The address is not logged: people type passwords into that field. */
  private async recordRefusal(email: string, address: string): Promise<void> {
    const account = await this.accounts.findByEmail(email);
    const object = { kind: 'account', id: account?.id ?? '', name: account?.email ?? 'unknown' };
    const from = `from ${addressText(address)}`;
    await this.audit.record(this.database.manager, ANONYMOUS, 'sign-in.refused', object, from);
  }
}

/** Counters that a successful sign-in leaves as they are. */
const ALSO_SUCCESSFUL = new Set<LimitedAction>(['signInByAddress', 'signInByKnownBrowser']);

/** One message for all cases: guessers must not learn which of the two was wrong. */
const WRONG = { path: '', message: 'The e-mail address or the password is wrong', code: 'wrong' };

const knownDevice = (id: string, email: string) => `known device ${id} ${emailKey(email)}`;
