import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, IsNull, Not, Repository } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { DAY } from '../../platform/durations';
import { encryptionKeysOf } from '../../platform/encryption-key';
import { Forbidden } from '../../platform/errors/domain-errors';
import { Account } from '../accounts/account.entity';
import { AccountsService } from '../accounts/accounts.service';
import { DEMO_ACCOUNT } from '../accounts/built-in-accounts';
import { emailKey } from '../accounts/credentials.rules';
import { isSignatureOf, signatureOf } from '../accounts/signatures.rules';
import { ApiKey } from '../api-keys/api-key.entity';
import { ApiKeyCache } from '../api-keys/api-key-cache';
import { AuditLog } from '../audit/audit-log';
import { PasswordsService } from '../sessions/passwords.service';
import { lockAccounts } from './account-administration.queries';

/** The link works for a day: whoever installs the service uses it at once. */
const LINK_LASTS = DAY;

/** Why a link does not work, and what to do. */
export const NO_LINK =
  'This link was used, has expired after a day, or an administrator already exists. Until there is one, “npm start” and “quizctl set-up-link” print a new link.';

/** How accounts are created without an administrator: sign-ups, and the first administrator with a one-time link. */
@Injectable()
export class RegistrationService {
  private readonly keys: readonly Buffer[];

  constructor(
    private readonly database: DataSource,
    @InjectRepository(Account) private readonly accountRepository: Repository<Account>,
    private readonly accounts: AccountsService,
    private readonly passwords: PasswordsService,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly keyCache: ApiKeyCache,
    config: Config,
  ) {
    this.keys = encryptionKeysOf(config);
  }

  /** A Free account with a password. @throws Invalid; Conflict if the address is taken */
  register(email: string, password: string): Promise<Account> {
    return this.database.transaction(async (tx) => {
      const account = await this.accounts.createIn(tx, { email, plan: 'free' });
      await this.passwords.setIn(tx, account.id, password);
      await this.audit.recordOwn(tx, account.id, 'account.signed-up');
      return account;
    });
  }

  /** No administrator can sign in yet. (The owner of the starter catalogue has no password.) */
  async needsAdministrator(tx = this.database.manager): Promise<boolean> {
    const administrator = { isAdmin: true, passwordHash: Not(IsNull()) };
    return !(await tx.getRepository(Account).existsBy(administrator));
  }

  /** Whether the first administrator takes over the account of the demo key. */
  async hasDemoAccount(): Promise<boolean> {
    return (await this.accounts.findByEmail(DEMO_ACCOUNT)) !== null;
  }

  /** The service has no account at all. */
  async isEmpty(): Promise<boolean> {
    return !(await this.accountRepository.exists());
  }

  /** A new token, which works until there is an administrator; null if there is one. */
  async newSetUpToken(): Promise<string | null> {
    if (!(await this.needsAdministrator())) return null;
    const endsAt = String(this.clock.now().getTime() + LINK_LASTS);
    return `${endsAt}.${signatureOf(this.keys, setUpUntil(endsAt))}`;
  }

  async isSetUpToken(token: string, tx = this.database.manager): Promise<boolean> {
    const [endsAt = '', signature = ''] = token.split('.');
    const isOurs = isSignatureOf(this.keys, setUpUntil(endsAt), signature);
    return isOurs && Number(endsAt) > this.clock.now().getTime() && this.needsAdministrator(tx);
  }

  /**
   * Uses the token to create the first administrator.
   * @throws Forbidden if the token is not valid (any more); Invalid, Conflict
   */
  async createAdministrator(
    token: string,
    input: { email: string; password: string },
  ): Promise<Account> {
    // The lock stops everybody who changes an account: nobody takes it without a token.
    if (!(await this.isSetUpToken(token))) throw new Forbidden(NO_LINK);
    const administrator = await this.database.transaction(async (tx) => {
      // The second of two concurrent requests waits here, and then finds an administrator.
      await lockAccounts(tx);
      if (!(await this.isSetUpToken(token, tx))) throw new Forbidden(NO_LINK);
      const administrator = { email: input.email, plan: 'pro', isAdmin: true } as const;
      const demo = await tx.getRepository(Account).findOneBy({ emailKey: emailKey(DEMO_ACCOUNT) });
      const account = demo
        ? await this.accounts.replaceIn(tx, demo, administrator)
        : await this.accounts.createIn(tx, administrator);
      const working = { accountId: account.id, revokedAt: IsNull() };
      await tx.update(ApiKey, working, { revokedAt: this.clock.now() });
      await this.passwords.setIn(tx, account.id, input.password);
      await this.audit.record(
        tx,
        { accountId: account.id, email: account.email },
        'service.set-up',
        { kind: 'account', id: account.id, name: account.email },
        demo ? 'first administrator; the demo key is revoked' : 'first administrator',
      );
      return account;
    });
    this.keyCache.forget();
    return administrator;
  }
}

const setUpUntil = (endsAt: string) => `set-up until ${endsAt}`;
