import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, IsNull, QueryFailedError, Repository } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import {
  Conflict,
  found,
  Invalid,
  LimitExceeded,
  LimitReached,
  NotFound,
  PlanRequired,
} from '../../platform/errors/domain-errors';
import { MEBIBYTE } from '../../platform/sizes';
import { isId, newId } from '../../platform/text/ids';
import { Account } from './account.entity';
import { isReserved } from './built-in-accounts';
import { emailAddress, emailKey, mixesScripts } from './credentials.rules';
import { canUpgrade, contentLimit, mayWrite, type Plan, PLAN_NAMES, PLANS } from './plan.rules';
import { readFrameOrigins } from './scope.rules';

export interface NewAccount {
  email: string;
  plan: Plan;
  isAdmin?: boolean;
}

/** Accounts and their plans. */
@Injectable()
export class AccountsService {
  constructor(
    @InjectRepository(Account) private readonly accounts: Repository<Account>,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Creates an account in the caller's transaction. @throws Invalid if the address is not valid, Conflict if it is taken */
  async createIn(tx: EntityManager, input: NewAccount): Promise<Account> {
    const account = this.newAccount({ ...input, email: newAddress(input.email) });
    await conflictIfTaken(account.email, tx.insert(Account, account));
    return account;
  }

  /** An account that the service makes for itself: nobody else gets its address. Several processes may start at once. */
  async findOrCreateBuiltIn(input: NewAccount): Promise<Account> {
    const account = this.newAccount(input);
    await this.accounts.createQueryBuilder().insert().values(account).orIgnore().execute();
    return this.get(input.email);
  }

  private newAccount(input: NewAccount): Account {
    const made = { id: newId(), createdAt: this.clock.now(), contentBytes: 0 };
    return this.accounts.create({ ...made, ...fieldsOf(input) });
  }

  /** An account becomes another one, and keeps its id and what it owns. @throws Invalid, Conflict */
  async replaceIn(tx: EntityManager, former: Account, input: NewAccount): Promise<Account> {
    const accounts = tx.getRepository(Account);
    const fields = fieldsOf({ ...input, email: newAddress(input.email) });
    await conflictIfTaken(fields.email, accounts.update({ id: former.id }, fields));
    return accounts.create({ ...former, ...fields });
  }

  /** @param email as `newAddress` returns it @throws Conflict if it is taken */
  async setAddress(tx: EntityManager, accountId: string, email: string): Promise<void> {
    const fields = { email, emailKey: emailKey(email) };
    await conflictIfTaken(email, tx.update(Account, { id: accountId }, fields));
  }

  find(emailOrId: string): Promise<Account | null> {
    return isId(emailOrId)
      ? this.accounts.findOneBy({ id: emailOrId })
      : this.findByEmail(emailOrId);
  }

  /** The account with the address that somebody has typed: ids are not secret, so they find nothing here. */
  findByEmail(email: string): Promise<Account | null> {
    return this.accounts.findOneBy({ emailKey: emailKey(email) });
  }

  /** @throws NotFound */
  async get(emailOrId: string): Promise<Account> {
    const account = await this.find(emailOrId);
    if (!account) throw new NotFound(`Account ${emailOrId}`);
    return account;
  }

  /** The websites that may show the account's quizzes in a frame; `*`, all, replaces any others. @throws Invalid */
  async setEmbedOrigins(accountId: string, texts: readonly string[]): Promise<void> {
    const embedOrigins = texts.includes('*') ? ['*'] : readFrameOrigins(texts);
    await this.accounts.update(accountId, { embedOrigins });
  }

  /** The e-mail addresses of these accounts, by id. */
  async emailsOf(ids: string[]): Promise<Map<string, string>> {
    const select = { id: true, email: true } as const;
    const accounts = await this.accounts.find({ where: { id: In(ids) }, select });
    return new Map(accounts.map(({ id, email }) => [id, email]));
  }

  /** All but deleted accounts, the oldest first. */
  list(): Promise<Account[]> {
    const order = { createdAt: 'ASC', id: 'ASC' } as const;
    return this.accounts.find({ where: { deletedAt: IsNull() }, order });
  }

  /** Quizzes that the account may own at one time; null: no limit. */
  quizLimitOf(holder: { plan: Plan; isAdmin: boolean }): number | null {
    return holder.isAdmin ? null : this.config.quizQuota[holder.plan];
  }

  /** The plans that may write, and how many quizzes each allows. */
  writingPlans(): { plan: Plan; quizzes: number }[] {
    const plans = PLANS.filter((plan) => mayWrite({ plan, isAdmin: false }));
    return plans.map((plan) => ({ plan, quizzes: this.config.quizQuota[plan] }));
  }

  /** @throws NotFound; PlanRequired if its plan does not allow writing */
  async requirePlan(accountId: string, refusal: string): Promise<void> {
    if (!mayWrite(await this.get(accountId))) throw new PlanRequired(refusal);
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
    return found('Account', account);
  }

  /**
   * The same, unless it is deleted: keys are cached for a few seconds, and an upload may take longer, so the account may
   * have been deleted since the request began.
   * @throws NotFound
   */
  async lockUndeleted(tx: EntityManager, accountId: string): Promise<Account> {
    const account = await this.lock(tx, accountId);
    if (account.deletedAt) throw new NotFound('Account');
    return account;
  }

  /**
   * @param account locked by the caller
   * @param bytes by which its questions grow
   * @param note a sentence for the end of the message
   * @throws LimitExceeded
   */
  requireRoom(account: Account, bytes: number, note?: string): void {
    const limit = contentLimit(account);
    if (limit === null || bytes <= 0 || account.contentBytes + bytes <= limit) return;
    throw new LimitExceeded(
      `Your ${PLAN_NAMES[account.plan]} plan allows ${mebibytes(limit)} of questions and pictures in all quizzes, and this would exceed that limit. ` +
        (canUpgrade(account)
          ? 'Delete questions or quizzes to make room, or upgrade your plan.'
          : 'Delete questions or quizzes to make room.') +
        (note ? ` ${note}` : ''),
    );
  }

  /**
   * Requires that the account may own one more quiz: locks the account until the transaction ends, so that concurrent
   * creations cannot exceed the limit together (specification 4.4).
   * @param countOwned how many quizzes the account owns, read under the lock
   * @throws LimitReached, NotFound
   */
  async requireQuizQuota(
    tx: EntityManager,
    accountId: string,
    countOwned: () => Promise<number>,
  ): Promise<Account> {
    const account = await this.lockUndeleted(tx, accountId);
    const limit = this.quizLimitOf(account);
    if (limit !== null && (await countOwned()) >= limit)
      throw new LimitReached(
        `Your ${PLAN_NAMES[account.plan]} plan allows ${limit} ${limit === 1 ? 'quiz' : 'quizzes'}, and you have reached that limit. ` +
          (canUpgrade(account)
            ? 'Delete a quiz or upgrade your plan.'
            : 'Delete a quiz to make room.'),
        'quota-reached',
      );
    return account;
  }
}

function fieldsOf(input: NewAccount) {
  return {
    email: input.email,
    emailKey: emailKey(input.email),
    plan: input.plan,
    requestedPlan: null,
    isAdmin: input.isAdmin ?? false,
    disabledAt: null,
    deletedAt: null,
    deletion: null,
  };
}

/** An e-mail address that was typed, as it is stored. @throws Invalid with an error at `email` */
export function newAddress(typed: string): string {
  const email = emailAddress(typed);
  if (!email)
    throw invalidEmail(
      'email must be an e-mail address such as ada@example.com, without special characters before the @',
    );
  if (isReserved(email))
    throw invalidEmail('email is an address of the service itself: type your own');
  if (mixesScripts(email))
    throw invalidEmail(
      'email has a domain with letters of several alphabets, which looks like another domain: type it again',
    );
  return email;
}

/** @throws Conflict if another account has the address that is written */
async function conflictIfTaken(email: string, written: Promise<unknown>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (brokenConstraint(error) === 'accounts_email_key')
      throw new Conflict(`An account with the address ${email} already exists.`);
    throw error;
  }
}

const mebibytes = (bytes: number) => `${bytes / MEBIBYTE} MiB`;

/** The name of the database constraint that a failed statement broke; constraints are named by hand. */
function brokenConstraint(error: unknown): string | undefined {
  return error instanceof QueryFailedError
    ? (error.driverError as { constraint?: string }).constraint
    : undefined;
}

export const invalidEmail = (message: string): Invalid =>
  new Invalid('The account', [{ path: 'email', message, code: 'email' }]);
