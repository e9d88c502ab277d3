import { Injectable } from '@nestjs/common';
import { DataSource, QueryFailedError, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import {
  Conflict,
  Invalid,
  LimitExceeded,
  LimitReached,
  NotFound,
} from '../../platform/errors/domain-errors';
import { isId, newId } from '../../platform/text/ids';
import { Account } from './account.entity';
import { emailAddress, emailKey } from '../sessions/credentials.rules';
import { contentLimit, PLAN_NAMES, quizLimit, type Plan } from './plan.rules';

/** Accounts and their plans. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** @throws Invalid if the address is not valid, Conflict if it is taken */
  create(input: { email: string; plan: Plan; isAdmin?: boolean }): Promise<Account> {
    return this.createIn(this.database.manager, input);
  }

  /** The same inside a transaction of the caller's. */
  async createIn(
    tx: EntityManager,
    input: { email: string; plan: Plan; isAdmin?: boolean },
  ): Promise<Account> {
    const email = emailAddress(input.email);
    if (!email)
      throw new Invalid('The account', [
        {
          path: 'email',
          message:
            'email must be an e-mail address such as ada@example.com, without special characters before the @',
          code: 'email',
        },
      ]);
    const accounts = tx.getRepository(Account);
    const account = accounts.create({
      id: newId(),
      email,
      emailKey: emailKey(email),
      plan: input.plan,
      isAdmin: input.isAdmin ?? false,
      createdAt: this.clock.now(),
      disabledAt: null,
    });
    try {
      await accounts.insert(account);
    } catch (error) {
      if (brokenConstraint(error) === 'accounts_email_key')
        throw new Conflict(`An account with the address ${email} already exists.`);
      throw error;
    }
    return account;
  }

  find(emailOrId: string): Promise<Account | null> {
    const accounts = this.database.getRepository(Account);
    return isId(emailOrId)
      ? accounts.findOneBy({ id: emailOrId })
      : accounts.findOneBy({ emailKey: emailKey(emailOrId) });
  }

  /** @throws NotFound */
  async get(emailOrId: string): Promise<Account> {
    const account = await this.find(emailOrId);
    if (!account) throw new NotFound(`Account ${emailOrId}`);
    return account;
  }

  list(): Promise<Account[]> {
    return this.database.getRepository(Account).find({ order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /** Quizzes that the account may own; null: no limit. */
  quizLimitOf(holder: { plan: Plan; isAdmin: boolean }): number | null {
    return quizLimit(holder, this.config.quizQuota);
  }

  /**
   * Locks the account until the transaction ends, so that neither its content nor its rights change. Code that
   * changes questions locks the account first and the quiz second.
   * @throws NotFound
   */
  async lock(tx: EntityManager, accountId: string): Promise<Account> {
    const account = await tx.getRepository(Account).findOne({
      where: { id: accountId },
      lock: { mode: 'for_no_key_update' },
    });
    if (!account) throw new NotFound('Account');
    return account;
  }

  /**
   * @param account locked by the caller
   * @param bytes by which its questions grow
   * @throws LimitExceeded
   */
  requireRoom(account: Account, bytes: number): void {
    const limit = contentLimit(account);
    if (limit === null || bytes <= 0 || account.contentBytes + bytes <= limit) return;
    throw new LimitExceeded(
      `Your ${PLAN_NAMES[account.plan]} plan allows ${mebibytes(limit)} of questions in all quizzes, and this would exceed that limit. ` +
        (account.plan === 'pro'
          ? 'Delete questions or quizzes to make room.'
          : 'Delete questions or quizzes to make room, or upgrade your plan.'),
    );
  }

  /**
   * Reserves a place for one more quiz of the account: locks the account until the transaction ends, so that
   * concurrent creations cannot exceed the limit together (specification 4.4).
   * @param countOwned how many quizzes the account owns, read under the lock
   * @throws LimitReached
   */
  async reserveQuiz(
    tx: EntityManager,
    accountId: string,
    countOwned: () => Promise<number>,
  ): Promise<Account> {
    const account = await this.lock(tx, accountId);
    const limit = this.quizLimitOf(account);
    if (limit !== null && (await countOwned()) >= limit)
      throw new LimitReached(
        `Your ${PLAN_NAMES[account.plan]} plan allows ${limit} ${limit === 1 ? 'quiz' : 'quizzes'}, and you have reached that limit. ` +
          (account.plan === 'pro'
            ? 'Delete a quiz to make room.'
            : 'Delete a quiz or upgrade your plan.'),
      );
    return account;
  }
}

const mebibytes = (bytes: number) => `${bytes / 1_048_576} MiB`;

/** The name of the database constraint that a failed statement broke; constraints are named by hand. */
function brokenConstraint(error: unknown): string | undefined {
  return error instanceof QueryFailedError
    ? (error.driverError as { constraint?: string }).constraint
    : undefined;
}
