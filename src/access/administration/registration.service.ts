import { Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Forbidden } from '../../platform/errors/domain-errors';
import type { Account } from '../accounts/account.entity';
import { DEMO_ACCOUNT } from '../accounts/built-in-accounts';
import { AccountsService } from '../accounts/accounts.service';
import { ApiKeyCache } from '../api-keys/api-key-cache';
import { AuditLog } from '../audit/audit-log';
import { PasswordsService } from '../sessions/passwords.service';

/** The link works for a day: whoever installs the service uses it at once. */
const LINK_LASTS = 24 * 3_600_000;

/** Why a link does not work, and what to do. */
export const NO_LINK =
  'This link was used or replaced, has expired after a day, or an administrator already exists. Until there is one, “npm start” and “quizctl set-up-link” print a new link.';

/** How accounts are created without an administrator: sign-ups, and the first administrator with a one-time link. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly passwords: PasswordsService,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly known: ApiKeyCache,
  ) {}

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
  async needsAdministrator(): Promise<boolean> {
    const [row] = await this.database.query<{ found: boolean }[]>(
      `SELECT EXISTS (SELECT FROM accounts WHERE is_admin AND password_hash IS NOT NULL) AS found`,
    );
    return row?.found !== true;
  }

  /** Whether the first administrator takes over the account of the demo key. */
  async hasDemoAccount(): Promise<boolean> {
    return (await this.accounts.find(DEMO_ACCOUNT)) !== null;
  }

  /** The service has no account at all. */
  async isEmpty(): Promise<boolean> {
    const [row] = await this.database.query<{ empty: boolean }[]>(
      `SELECT NOT EXISTS (SELECT FROM accounts) AS empty`,
    );
    return row?.empty === true;
  }

  /** A new one-time token, which replaces all earlier ones; null if there is an administrator. */
  async newSetUpToken(): Promise<string | null> {
    if (!(await this.needsAdministrator())) return null;
    const token = randomBytes(32).toString('base64url');
    await this.database.transaction(async (tx) => {
      await tx.query(`DELETE FROM one_time_links WHERE account_id IS NULL`);
      await tx.query(`INSERT INTO one_time_links (token_hash, created_at) VALUES ($1, $2)`, [
        hashToken(token),
        this.clock.now(),
      ]);
    });
    return token;
  }

  async isSetUpToken(token: string): Promise<boolean> {
    const [row] = await this.database.query<object[]>(
      `SELECT 1 FROM one_time_links WHERE token_hash = $1 AND account_id IS NULL AND created_at > $2`,
      [hashToken(token), this.oldest()],
    );
    return row !== undefined && (await this.needsAdministrator());
  }

  /**
   * Uses the token to create the first administrator.
   * @throws Forbidden if the token is not valid (any more); Invalid, Conflict
   */
  async createAdministrator(
    token: string,
    input: { email: string; password: string },
  ): Promise<Account> {
    const administrator = await this.database.transaction(async (tx) => {
      // The second of two concurrent requests waits here, and then finds the token used.
      const [, spent] = await tx.query<[unknown, number]>(
        `DELETE FROM one_time_links WHERE token_hash = $1 AND account_id IS NULL AND created_at > $2`,
        [hashToken(token), this.oldest()],
      );
      if (spent !== 1 || !(await this.needsAdministrator())) throw new Forbidden(NO_LINK);
      const account = await this.accounts.createIn(tx, {
        email: input.email,
        plan: 'pro',
        isAdmin: true,
        adopts: DEMO_ACCOUNT,
      });
      await tx.query(
        `UPDATE api_keys SET revoked_at = $2 WHERE account_id = $1 AND revoked_at IS NULL`,
        [account.id, this.clock.now()],
      );
      await this.passwords.setIn(tx, account.id, input.password);
      await this.audit.record(
        tx,
        { accountId: account.id, email: account.email },
        'service.set-up',
        { kind: 'account', id: account.id, name: account.email },
        'first administrator; the demo key is revoked',
      );
      return account;
    });
    this.known.forget();
    return administrator;
  }

  private oldest(): Date {
    return new Date(this.clock.now().getTime() - LINK_LASTS);
  }
}

/** As it is stored: the token itself is never. */
export const hashToken = (token: string) => createHash('sha256').update(token).digest();
