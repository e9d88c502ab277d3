import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { DataSource, type EntityManager, IsNull, Repository } from 'typeorm';
import { Invalid, NotFound, Overloaded } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { codePoints, isStorable } from '../../platform/text/text.rules';
import { Account, NO_LINKS } from '../accounts/account.entity';
import { emailKey, PASSWORD_MAX, passwordError } from '../accounts/credentials.rules';
import { AttemptLimits } from '../attempt-limits/attempt-limits.service';
import { AuditLog } from '../audit/audit-log';
import { SessionsService } from './sessions.service';

/** OWASP's parameters of 2025: 19 MiB and two passes, about 30 ms. Tests lower the cost. */
export const ARGON2ID = {
  algorithm: 2 as Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

const { passwordsAtATime, passwordsWaiting } = LIMITS.requests;

/** Each check takes a core: of a flood from many addresses, only one at a time may. Setting a password is too rare. */
const inTurn = pLimit(passwordsAtATime.value);

/** The passwords for the dashboard. They are independent of API keys. */
@Injectable()
export class PasswordsService {
  /** The hash of a random password: what unknown e-mail addresses are checked against. */
  private decoyHash: Promise<string> | undefined;

  constructor(
    private readonly database: DataSource,
    @InjectRepository(Account) private readonly accounts: Repository<Account>,
    private readonly sessions: SessionsService,
    private readonly limits: AttemptLimits,
    private readonly audit: AuditLog,
  ) {}

  /** Gives the account a password and ends its sessions. @throws Invalid with an error at `password`; NotFound */
  set(accountId: string, password: string): Promise<void> {
    return this.database.transaction((tx) => this.setIn(tx, accountId, password));
  }

  /**
   * Changes one's own password, and ends all other sessions.
   * @throws TooManyAttempts; Invalid with an error at `current` or `password`
   */
  async change(
    { accountId, sessionId }: { accountId: string; sessionId: string },
    current: string,
    password: string,
  ): Promise<void> {
    const known = await this.verify(accountId, current);
    await this.database.transaction(async (tx) => {
      const verified = await tx.getRepository(Account).findOne({
        select: { id: true },
        where: { id: accountId, passwordHash: known },
        lock: { mode: 'for_no_key_update' },
      });
      // It was changed just now: the verified password is no longer current.
      if (!verified) throw notCurrent();
      await this.setIn(tx, accountId, password, sessionId);
      await this.audit.recordOwn(tx, accountId, 'account.password-changed');
    });
  }

  /**
   * Makes sure that whoever uses a session knows the password, before something that cannot be undone.
   * @returns its hash
   * @throws TooManyAttempts; Invalid with an error at `current`
   */
  async verify(accountId: string, current: string): Promise<string> {
    this.requireTurn();
    // An open session must not allow guessing the password. Correct ones count too: each leads to an e-mail or an audit entry,
    // which nobody can delete for a year.
    await this.limits.take('passwordChange', { account: accountId });
    const known = await this.find({ id: accountId });
    if (!known?.passwordHash || !(await this.matches(known.passwordHash, current)))
      throw notCurrent();
    return known.passwordHash;
  }

  /**
   * Sets the account's password and ends its sessions, inside a transaction of the caller's. Opening a session with
   * the old password meanwhile waits for the account's row and then fails. A change of the e-mail address that waits for
   * its confirmation is taken back, and so is a link to set the password: somebody else may have asked for them.
   * @param keep the id of a session that stays open
   */
  async setIn(
    tx: EntityManager,
    accountId: string,
    password: string,
    keep?: string,
  ): Promise<void> {
    const accounts = tx.getRepository(Account);
    const account = await accounts.findOne({
      select: { email: true },
      where: { id: accountId, deletedAt: IsNull() },
    });
    if (!account) throw new NotFound('Account');
    const error = passwordError(password, account.email);
    if (error)
      throw new Invalid('The password', [{ path: 'password', message: error, code: 'password' }]);
    const passwordHash = await hash(prepared(password), ARGON2ID);
    await accounts.update({ id: accountId }, { passwordHash, ...NO_LINKS });
    await this.sessions.endAll(accountId, keep, tx);
  }

  /**
   * The account with this e-mail address and password, with what was verified; else null. The same work is done
   * whether there is such an account or not, so that the duration does not reveal accounts.
   */
  async check(
    email: string,
    password: string,
  ): Promise<{ accountId: string; passwordHash: string } | null> {
    const known =
      isStorable(email) && codePoints(email) <= 320
        ? await this.find({ emailKey: emailKey(email) })
        : null;
    const matches = await this.matches(known?.passwordHash, password);
    return known?.passwordHash && matches
      ? { accountId: known.id, passwordHash: known.passwordHash }
      : null;
  }

  /** Called before an attempt is counted: one that is refused here checks no password. @throws Overloaded */
  requireTurn(): void {
    if (inTurn.pendingCount >= passwordsWaiting.value) throw new Overloaded();
  }

  private async matches(known: string | null | undefined, password: string): Promise<boolean> {
    this.decoyHash ??= hash('no such account', ARGON2ID);
    const readable = codePoints(password) <= PASSWORD_MAX;
    const hashed = known ?? (await this.decoyHash);
    this.requireTurn();
    const equal = await inTurn(() => verify(hashed, readable ? prepared(password) : ''));
    return equal && readable && typeof known === 'string';
  }

  private find(where: { id: string } | { emailKey: string }): Promise<Account | null> {
    const select = { id: true, passwordHash: true } as const;
    return this.accounts.findOne({ select, where: { ...where, disabledAt: IsNull() } });
  }
}

const notCurrent = () =>
  new Invalid('The password', [
    { path: 'current', message: 'This is not your current password', code: 'wrong' },
  ]);

/** The same password typed on another keyboard is the same password. */
const prepared = (password: string) => password.normalize('NFKC');
