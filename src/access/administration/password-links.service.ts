import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, type FindOptionsWhere, IsNull, MoreThan, Repository } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { DAY } from '../../platform/durations';
import { Conflict, Forbidden } from '../../platform/errors/domain-errors';
import { Mailer } from '../../platform/mail/mailer';
import { type Messages, messagesFor } from '../../platform/messages/messages';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import { Account } from '../accounts/account.entity';
import { AccountsService } from '../accounts/accounts.service';
import { isBuiltIn } from '../accounts/built-in-accounts';
import { hashToken } from '../accounts/credentials.rules';
import { AttemptLimits } from '../attempt-limits/attempt-limits.service';
import { type Actor, ANONYMOUS } from '../audit/actor';
import { AuditLog } from '../audit/audit-log';
import { PasswordsService } from '../sessions/passwords.service';

/** For a week: an invitation may wait for a Monday. */
const LINK_LASTS_MS = 7 * DAY;

/** Why a link does not work, and what to do. */
export const NO_PASSWORD_LINK =
  'This link has been used, has expired after seven days, or was replaced by a newer one. Ask for a new link.';

/** One-time links by which the user of an account sets a password: an invitation, or a forgotten password. */
@Injectable()
export class PasswordLinksService {
  constructor(
    private readonly database: DataSource,
    @InjectRepository(Account) private readonly accountRepository: Repository<Account>,
    private readonly accounts: AccountsService,
    private readonly passwords: PasswordsService,
    private readonly limits: AttemptLimits,
    private readonly audit: AuditLog,
    private readonly mailer: Mailer,
    private readonly config: Config,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * A link for an account, by mail if there is a mail server; it replaces the account's earlier link.
   * @param messages of the language of the mail; by default the account's
   * @returns the link's path, and whether the mail server has taken it
   * @throws NotFound if the account was deleted; Conflict if nobody can sign in to it
   */
  async issue(
    actor: Actor,
    { id, language }: Account,
    { t }: Messages = messagesFor(language),
  ): Promise<{ path: string; mailed: boolean }> {
    const token = randomBytes(32).toString('base64url');
    const email = await this.database.transaction(async (tx) => {
      // Read under the lock: the address may have changed meanwhile, and the old one must not get the link.
      const account = await this.accounts.lockUndeleted(tx, id);
      requireSignIn(account);
      const link = { linkHash: hashToken(token), linkIssuedAt: this.clock.now() };
      await tx.update(Account, { id }, link);
      const object = { kind: 'account', id, name: account.email };
      await this.audit.record(tx, actor, 'account.password-link-issued', object);
      return account.email;
    });
    const path = `/dashboard/sign-in/link?token=${token}`;
    // Never the host of the request: whoever asks for a link to somebody else's account could choose it.
    const link = this.config.publicUrl + path;
    const mailed = await this.mailer.send(
      email,
      t('mail.password.subject'),
      t('mail.password.text', { email, link }),
    );
    return { path, mailed };
  }

  /** Whether users can ask for a link themselves. */
  get byMail(): boolean {
    return this.mailer.enabled;
  }

  /**
   * Mails a link to whoever has forgotten the password. It takes no notice of an unknown address, and does not wait
   * for the mail server: the response must not reveal accounts.
   * @param messages of the language of the page
   * @throws TooManyAttempts
   */
  async request(email: string, address: string, messages: Messages): Promise<void> {
    await this.limits.take('passwordLinkByAddress', { address });
    await this.limits.take('passwordLinkByAccount', { account: email });
    const account = await this.accounts.findByEmail(email);
    if (account && !account.deletedAt && !account.disabledAt && !isBuiltIn(account))
      void this.issue(ANONYMOUS, account, messages).catch((error: unknown) =>
        this.logger.error({ err: error }, 'a link to set a password could not be issued'),
      );
  }

  /** The e-mail address of the account that the token is for; null if it does not work (any more). */
  async find(token: string): Promise<string | null> {
    const account = await this.accountRepository.findOneBy(this.whereWorking(token));
    return account?.email ?? null;
  }

  /**
   * Uses the token to set the account's password, which ends its sessions and the token.
   * @throws Forbidden if the token is not valid (any more); Invalid, which leaves the token as it is
   */
  use(token: string, password: string): Promise<Account> {
    return this.database.transaction(async (tx) => {
      const account = await tx.getRepository(Account).findOne({
        where: this.whereWorking(token),
        // The second of two concurrent requests waits here, and then finds the token used.
        lock: { mode: 'for_no_key_update' },
      });
      if (!account) throw new Forbidden(NO_PASSWORD_LINK);
      await this.passwords.setIn(tx, account.id, password);
      await this.audit.recordOwn(
        tx,
        account.id,
        'account.password-changed',
        'with a one-time link',
      );
      return account;
    });
  }

  /** The account whose link has this token, as long as the link works. */
  private whereWorking(token: string): FindOptionsWhere<Account> {
    const oldest = new Date(this.clock.now().getTime() - LINK_LASTS_MS);
    return {
      linkHash: hashToken(token),
      linkIssuedAt: MoreThan(oldest),
      disabledAt: IsNull(),
    };
  }
}

/** @throws Conflict if nobody can sign in to the account */
export function requireSignIn(account: Account): void {
  if (account.disabledAt)
    throw new Conflict(
      'This account is disabled. An administrator can enable it in the dashboard.',
    );
  if (isBuiltIn(account))
    throw new Conflict(
      'The service needs this account, and nobody signs in to it. Create an account for the person instead.',
    );
}
