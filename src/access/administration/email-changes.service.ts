import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  DataSource,
  type EntityManager,
  type FindOptionsWhere,
  IsNull,
  MoreThan,
  Not,
  Repository,
} from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { DAY } from '../../platform/durations';
import { Conflict, Forbidden } from '../../platform/errors/domain-errors';
import { Mailer } from '../../platform/mail/mailer';
import { type Messages, messagesFor } from '../../platform/messages/messages';
import { Account, NO_LINKS } from '../accounts/account.entity';
import { AccountsService, invalidEmail, newAddress } from '../accounts/accounts.service';
import { isBuiltIn } from '../accounts/built-in-accounts';
import { emailKey, hashToken } from '../accounts/credentials.rules';
import type { Actor } from '../audit/actor';
import { AuditLog } from '../audit/audit-log';
import { PasswordsService } from '../sessions/passwords.service';
import { requireSeen } from './account-version.rules';

/** The link works for a day: whoever asks for it reads the mail at once. */
const LINK_LASTS = DAY;

/** Why a link does not work, and what to do. */
export const NO_EMAIL_LINK =
  'This link has been used, has expired after a day, or was replaced by a newer one. Change the address again on the page Account.';

/** Another e-mail address for an account: its user confirms it by a link that is sent there, an administrator sets it. */
@Injectable()
export class EmailChangesService {
  constructor(
    private readonly database: DataSource,
    @InjectRepository(Account) private readonly accountRepository: Repository<Account>,
    private readonly accounts: AccountsService,
    private readonly passwords: PasswordsService,
    private readonly audit: AuditLog,
    private readonly mailer: Mailer,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Whether users can change their address themselves: else nobody could confirm it. */
  get byMail(): boolean {
    return this.mailer.enabled;
  }

  /**
   * Mails a link to the new address; it replaces an earlier one. The old address stays until the link is used.
   * @throws TooManyAttempts; Invalid with an error at `current`, or at `email`, also if the mail server does not accept the
   * message; Conflict if the address is taken
   */
  async request(
    accountId: string,
    typed: string,
    current: string,
    { t }: Messages,
  ): Promise<string> {
    const passwordHash = await this.passwords.verify(accountId, current);
    const email = newAddress(typed);
    await this.requireFree(accountId, email);
    const token = randomBytes(32).toString('base64url');
    const { email: old } = await this.accounts.get(accountId);
    const link = `${this.config.publicUrl}/dashboard/sign-in/e-mail?token=${token}`;
    // Before the address is stored: if the message is refused, no address waits, and an earlier link still works.
    const sent = await this.mailer.send(
      email,
      t('mail.confirm.subject'),
      t('mail.confirm.text', { old, link }),
    );
    if (!sent)
      throw invalidEmail(
        'The mail server did not accept a message to this address. Check it, or try again later.',
      );
    await this.database.transaction(async (tx) => {
      const waiting = {
        newEmail: email,
        newEmailHash: hashToken(token),
        newEmailAt: this.clock.now(),
      };
      // Not if the password was changed meanwhile, or the account deleted: the link in the message does not work then.
      const unchanged = { id: accountId, passwordHash, disabledAt: IsNull(), deletedAt: IsNull() };
      const { affected } = await tx.update(Account, unchanged, waiting);
      if (affected === 0) throw new Conflict('The account has changed. Try again.');
      await this.audit.recordOwn(tx, accountId, 'account.email-change-requested');
    });
    void this.mailer.send(
      old,
      t('mail.changing.subject'),
      t('mail.changing.text', { email, link: `${this.config.publicUrl}/dashboard/account` }),
    );
    return email;
  }

  /** The address that the token confirms; null if it does not work (any more). */
  async find(token: string): Promise<string | null> {
    const where = this.whereWorking(token);
    const account = await this.accountRepository.findOne({
      select: { id: true, newEmail: true },
      where,
    });
    return account?.newEmail ?? null;
  }

  /** Uses the token. @throws Forbidden if it is not valid (any more); Conflict if the address was taken meanwhile */
  async confirm(token: string, messages: Messages): Promise<string> {
    const { old, email } = await this.database.transaction(async (tx) => {
      const account = await tx.getRepository(Account).findOne({
        select: { id: true, email: true, newEmail: true },
        where: this.whereWorking(token),
        // The second of two concurrent requests waits here, and then finds the token used.
        lock: { mode: 'for_no_key_update' },
      });
      if (!account?.newEmail) throw new Forbidden(NO_EMAIL_LINK);
      await this.setIn(tx, account.id, account.newEmail);
      await this.audit.recordOwn(tx, account.id, 'account.email-changed');
      return { old: account.email, email: account.newEmail };
    });
    this.tellOld(old, email, messages);
    return email;
  }

  /**
   * By an administrator, at once; the same address changes nothing.
   * @param seen see `requireSeen`
   * @throws NotFound, Invalid; Conflict if the address is taken, or the account was changed, was deleted or is built in
   */
  async set(actor: Actor, accountId: string, typed: string, seen?: string): Promise<string> {
    const email = newAddress(typed);
    const { email: old, language } = await this.database.transaction(async (tx) => {
      const account = await this.accounts.lock(tx, accountId);
      if (account.deletedAt) throw new Conflict('This account was deleted.');
      requireSeen(account, seen);
      if (account.email === email) return account;
      // The service finds this account by its address.
      if (isBuiltIn(account))
        throw new Conflict('The service needs this account. Its address stays.');
      await this.setIn(tx, account.id, email);
      const object = { kind: 'account', id: account.id, name: email };
      await this.audit.record(tx, actor, 'account.email-changed', object);
      return account;
    });
    if (old !== email) this.tellOld(old, email, messagesFor(language));
    return email;
  }

  private async setIn(tx: EntityManager, id: string, email: string): Promise<void> {
    await this.accounts.setAddress(tx, id, email);
    // A link to set a password was sent to the old address.
    await tx.update(Account, { id }, NO_LINKS);
  }

  /** Its own address in another case is free. @throws Conflict */
  private async requireFree(accountId: string, email: string): Promise<void> {
    const others = { emailKey: emailKey(email), id: Not(accountId) };
    if (await this.accountRepository.existsBy([others, { email }]))
      throw new Conflict(`An account with the address ${email} already exists.`);
  }

  /** Does not wait: the change is made. */
  private tellOld(old: string, email: string, { t }: Messages): void {
    void this.mailer.send(old, t('mail.changed.subject'), t('mail.changed.text', { email }));
  }

  private whereWorking(token: string): FindOptionsWhere<Account> {
    const oldest = new Date(this.clock.now().getTime() - LINK_LASTS);
    return {
      newEmailHash: hashToken(token),
      newEmailAt: MoreThan(oldest),
      disabledAt: IsNull(),
      deletedAt: IsNull(),
    };
  }
}
