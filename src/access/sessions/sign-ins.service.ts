import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Invalid } from '../../platform/errors/domain-errors';
import { addressText } from '../../platform/http/request/client-address.rules';
import { AccountsService } from '../accounts/accounts.service';
import { AttemptLimits, type AttemptKind, type CountedBy } from './attempt-limits';
import { ANONYMOUS, AuditLog } from '../accounts/audit-log';
import { KnownDevicesService } from './known-devices.service';
import { PasswordsService } from './passwords.service';
import { SessionsService, type Browser } from './sessions.service';

/** Signing in with an e-mail address and a password. */
@Injectable()
export class SignInsService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly passwords: PasswordsService,
    private readonly sessions: SessionsService,
    private readonly devices: KnownDevicesService,
    private readonly limits: AttemptLimits,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Starts a session.
   * @param device the cookie of KnownDevicesService that the browser sent
   * @returns the value of the session's cookie
   * @throws TooManyAttempts; Invalid, without a word about which of the two was wrong
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
   * A browser that has signed in before has a counter of its own. Others are counted by account and network, so that
   * nobody locks an account elsewhere; and by account, against guessing from many networks.
   */
  private countersOf(
    account: string,
    address: string,
    cookie: string | null,
  ): [AttemptKind, CountedBy][] {
    const device = this.devices.read(cookie, account);
    if (device) return [['signInByDevice', { account, device }]];
    return [
      ['signInByAddress', { address }],
      ['signInByAccountAndAddress', { account, address }],
      ['signInByAccount', { account }],
    ];
  }

  /** The same work for an unknown address. It is not repeated in the log: people type passwords into that field. */
  private async recordRefusal(email: string, address: string): Promise<void> {
    const account = await this.accounts.find(email);
    const object = { kind: 'account', id: account?.id ?? '', name: account?.email ?? 'unknown' };
    const from = `from ${addressText(address)}`;
    await this.audit.record(this.database.manager, ANONYMOUS, 'sign-in.refused', object, from);
  }
}

/** One sentence for everything: which of the two was wrong is what guessers want to know. */
const WRONG = { path: '', message: 'The e-mail address or the password is wrong', code: 'wrong' };
