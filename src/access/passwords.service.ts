import { hash, verify, type Algorithm } from '@node-rs/argon2';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Invalid, NotFound } from '../platform/domain-errors';
import { isId } from '../platform/ids';
import { codePoints, fold, isStorable } from '../platform/text.rules';
import { PASSWORD_MAX, passwordFault } from './password.rules';
import { SessionsService } from './sessions.service';

/** OWASP's parameters of 2025: 19 MiB and two passes, about 30 ms. */
const ARGON2ID = {
  algorithm: 2 as Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** A password that nobody has: what an unknown e-mail address is compared with. */
let nobodys: Promise<string> | undefined;

/** The passwords with which people sign in to the dashboard. API keys have nothing to do with them. */
@Injectable()
export class PasswordsService {
  constructor(
    private readonly database: DataSource,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * Gives the account a password and ends its sessions.
   * @param keep the id of the session that goes on: that of whoever changes their own
   * @throws Invalid with a fault at `password`; NotFound
   */
  async set(accountId: string, password: string, keep?: string): Promise<void> {
    await this.database.transaction((tx) => this.setIn(tx, accountId, password));
    await this.sessions.endAll(accountId, keep);
  }

  /** The same inside a transaction of the caller's, who ends the account's sessions afterwards, if it may have some. */
  async setIn(tx: EntityManager, accountId: string, password: string): Promise<void> {
    const [account] = await tx.query<{ email: string }[]>(
      `SELECT email FROM accounts WHERE id = $1`,
      [accountId],
    );
    if (!account) throw new NotFound('Account');
    const fault = passwordFault(password, account.email);
    if (fault)
      throw new Invalid('The password', [{ path: 'password', message: fault, code: 'password' }]);
    await tx.query(`UPDATE accounts SET password_hash = $2 WHERE id = $1`, [
      accountId,
      await hash(prepared(password), ARGON2ID),
    ]);
  }

  /**
   * The id of the account whose e-mail address and password these are; else null. The same work is done
   * whether there is such an account or not, so that its time tells nobody who has one.
   */
  async check(email: string, password: string): Promise<string | null> {
    const known =
      isStorable(email) && codePoints(email) <= 320
        ? await this.find(`email_key = $1`, fold(email))
        : undefined;
    return (await this.matches(known?.password_hash, password)) ? (known?.id ?? null) : null;
  }

  /** Whether this is the account's password. */
  async isPasswordOf(accountId: string, password: string): Promise<boolean> {
    const known = isId(accountId) ? await this.find(`id = $1`, accountId) : undefined;
    return this.matches(known?.password_hash, password);
  }

  private async matches(known: string | null | undefined, password: string): Promise<boolean> {
    nobodys ??= hash('no such account', ARGON2ID);
    const readable = codePoints(password) <= PASSWORD_MAX;
    const equal = await verify(known ?? (await nobodys), readable ? prepared(password) : '');
    return equal && readable && typeof known === 'string';
  }

  private async find(where: string, value: string): Promise<PasswordRow | undefined> {
    const [row] = await this.database.query<PasswordRow[]>(
      `SELECT id, password_hash FROM accounts WHERE ${where} AND disabled_at IS NULL`,
      [value],
    );
    return row;
  }
}

interface PasswordRow {
  id: string;
  password_hash: string | null;
}

/** The same password typed on another keyboard is the same password. */
const prepared = (password: string) => password.normalize('NFKC');
