import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull, Like, Repository } from 'typeorm';
import { DomainEvents } from '../../events/domain-events';
import { Clock } from '../../platform/clock';
import { liftStatementTimeout } from '../../platform/database/deadline-client';
import { type Slice } from '../../platform/database/sql';
import { Conflict, Forbidden, NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { containing, fold } from '../../platform/text/text.rules';
import { Account } from '../accounts/account.entity';
import { AccountsService } from '../accounts/accounts.service';
import { type Plan, PLAN_NAMES } from '../accounts/plan.rules';
import { ApiKeyCache } from '../api-keys/api-key-cache';
import { AttemptLimits } from '../attempt-limits/attempt-limits.service';
import { type Actor, OPERATOR } from '../audit/actor';
import { AuditLog } from '../audit/audit-log';
import { PasswordsService } from '../sessions/passwords.service';
import { Session } from '../sessions/session.entity';
import type { AccountRow } from './account-administration.dto';
import {
  findAccountRow,
  findAccountRows,
  findDecisionTime,
} from './account-administration.queries';
import { requireSeen } from './account-version.rules';
import { requireSignIn } from './password-links.service';

/**
 * What administrators do with accounts, and how a user asks for another plan. Each action and its audit entry are one
 * transaction.
 */
@Injectable()
export class AccountAdministrationService {
  constructor(
    private readonly database: DataSource,
    @InjectRepository(Account) private readonly accountRepository: Repository<Account>,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly keyCache: ApiKeyCache,
    private readonly accounts: AccountsService,
    private readonly passwords: PasswordsService,
    private readonly limits: AttemptLimits,
    private readonly events: DomainEvents,
  ) {}

  /** @throws Invalid if the address is not valid, Conflict if it is taken */
  create(actor: Actor, input: { email: string; plan: Plan; isAdmin: boolean }): Promise<Account> {
    return this.database.transaction(async (tx) => {
      const account = await this.accounts.createIn(tx, input);
      const detail = `${PLAN_NAMES[input.plan]}${input.isAdmin ? ', administrator' : ''}`;
      await this.audit.record(tx, actor, 'account.created', objectOf(account), detail);
      return account;
    });
  }

  /** Gives an account a password and ends its sessions. @throws Invalid, NotFound; Conflict if nobody can sign in to it */
  setPassword(actor: Actor, account: Account, password: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      requireSignIn(await this.accounts.lockUndeleted(tx, account.id));
      await this.passwords.setIn(tx, account.id, password);
      await this.audit.record(tx, actor, 'account.password-set', objectOf(account));
    });
  }

  /**
   * Asks for another plan, for an administrator to decide. A later request replaces it.
   * @throws TooManyAttempts, Conflict, NotFound
   */
  async requestPlan(accountId: string, plan: Plan): Promise<void> {
    // Each writes an audit entry, which nobody can delete for a year.
    await this.limits.take('planRequestByAccount', { account: accountId });
    await this.database.transaction(async (tx) => {
      const account = await this.accounts.lockUndeleted(tx, accountId);
      if (account.plan === plan)
        throw new Conflict(`Your account is on the ${PLAN_NAMES[plan]} plan.`);
      await tx.update(Account, { id: accountId }, { requestedPlan: plan });
      await this.audit.recordOwn(tx, accountId, 'account.plan-requested', PLAN_NAMES[plan]);
    });
  }

  /** How long a request for a plan took lately, as a median in seconds; null: none was decided yet. */
  decisionTime(): Promise<number | null> {
    return findDecisionTime(this.database);
  }

  /** Refuses what its user has asked for. @param seen see `requireSeen` @throws NotFound, Conflict */
  declinePlan(actor: Actor, id: string, seen?: string): Promise<Account> {
    return this.change(actor, id, seen, 'account.plan-declined', ({ requestedPlan }) => {
      if (!requestedPlan) return null;
      const plan = PLAN_NAMES[requestedPlan];
      return {
        fields: { requestedPlan: null },
        allowsOwnAccount: true,
        detail: plan,
        emit: (tx) => this.events.emit(tx, 'account.plan_declined', id, { plan }),
      };
    });
  }

  /**
   * A page of accounts whose address contains `search`, the newest first, and how many there are. Accounts that have
   * asked for a plan come first.
   */
  async list(search: string, page: Slice): Promise<{ accounts: AccountRow[]; total: number }> {
    const text = fold(search);
    const accounts = await findAccountRows(this.database, text, page, this.clock.now());
    return {
      accounts,
      total: await this.accountRepository.countBy({ emailKey: Like(containing(text)) }),
    };
  }

  /** @throws NotFound */
  async get(id: string): Promise<AccountRow> {
    const account = isId(id) && (await findAccountRow(this.database, id, this.clock.now()));
    if (!account) throw new NotFound('Account');
    return account;
  }

  /** @param seen see `requireSeen` @throws NotFound, Conflict */
  setPlan(actor: Actor, id: string, plan: Plan, seen?: string): Promise<Account> {
    return this.change(actor, id, seen, 'account.plan-changed', (account) => {
      if (account.plan === plan) return null;
      return {
        fields: { plan, requestedPlan: null },
        allowsOwnAccount: true,
        detail: `${PLAN_NAMES[account.plan]} to ${PLAN_NAMES[plan]}`,
        emit: (tx) => this.events.emit(tx, 'account.plan_changed', id, { plan: PLAN_NAMES[plan] }),
      };
    });
  }

  /**
   * @param seen see `requireSeen`
   * @throws NotFound; Conflict, also for one's own account: somebody must be left to undo it
   */
  setAdministrator(actor: Actor, id: string, isAdmin: boolean, seen?: string): Promise<Account> {
    const action = isAdmin ? 'account.made-administrator' : 'account.administrator-removed';
    return this.change(actor, id, seen, action, (account, at) => {
      if (account.isAdmin === isAdmin) return null;
      if (isAdmin) return { fields: { isAdmin } };
      return {
        fields: { isAdmin },
        emit: (tx) => this.events.emit(tx, 'account.demoted', id, { at }),
      };
    });
  }

  /**
   * Refuses its keys, ends its sessions, hides its quizzes from the public and stops its webhooks, or reverts that.
   * @param seen see `requireSeen`
   * @throws NotFound, Conflict
   */
  setDisabled(actor: Actor, id: string, disabled: boolean, seen?: string): Promise<Account> {
    const event = disabled ? 'account.disabled' : 'account.enabled';
    return this.change(actor, id, seen, event, (account, at) => {
      if ((account.disabledAt !== null) === disabled) return null;
      return {
        fields: { disabledAt: disabled ? at : null },
        emit: (tx) => this.events.emit(tx, event, id, { at }),
      };
    });
  }

  /** Listeners act under the account's lock, so that nothing outlives a withdrawn right. */
  private async change(
    actor: Actor,
    id: string,
    seen: string | undefined,
    action: string,
    decide: (account: Account, now: Date) => Change | null,
  ): Promise<Account> {
    const changed = await this.database.transaction(async (tx: EntityManager) => {
      if (!isId(id)) throw new NotFound('Account');
      const account = await this.lock(tx, actor, id.toLowerCase());
      requireSeen(account, seen);
      const change = decide(account, this.clock.now());
      if (!change) return account;
      if (account.id === actor.accountId && !change.allowsOwnAccount)
        throw new Conflict('This is your own account. Ask another administrator.');
      // As many rows as the account has quizzes and deliveries; an account must never be too large to be disabled.
      await liftStatementTimeout(tx);
      await tx.update(Account, { id }, change.fields);
      const after = { ...account, ...change.fields };
      if (change.fields.disabledAt) await tx.delete(Session, { accountId: id });
      await this.audit.record(tx, actor, action, objectOf(account), change.detail);
      await change.emit?.(tx);
      return after;
    });
    this.keyCache.forget();
    return changed;
  }

  /**
   * The account, locked together with the actor's: of two administrators who demote each other, the second is refused.
   * Always in the order of ids, so that they cannot deadlock. The weaker lock of the actor lets others refer to it.
   * @throws NotFound; Forbidden if the actor is no longer an enabled administrator
   */
  private async lock(tx: EntityManager, actor: Actor, id: string): Promise<Account> {
    const accounts = tx.getRepository(Account);
    const lockOne = (one: string) =>
      accounts.findOne({
        where: { id: one, deletedAt: IsNull() },
        lock: { mode: one === id ? 'pessimistic_write' : 'for_no_key_update' },
      });
    const isOperator = actor === OPERATOR;
    const ids = isOperator ? [id] : [id, actor.accountId].sort();
    const locked = new Map<string, Account | null>();
    for (const one of ids) locked.set(one, await lockOne(one));
    const acting = locked.get(actor.accountId);
    if (!isOperator && (!acting?.isAdmin || acting.disabledAt))
      throw new Forbidden('You are no longer an administrator. Ask another administrator.');
    const account = locked.get(id);
    if (!account) throw new NotFound('Account');
    return account;
  }
}

interface Change {
  fields: Partial<Pick<Account, 'plan' | 'requestedPlan' | 'isAdmin' | 'disabledAt'>>;
  /** Administrators may decide about their own plan. */
  allowsOwnAccount?: true;
  /** For the audit log. */
  detail?: string;
  /** Other modules react to it. */
  emit?: (tx: EntityManager) => Promise<void>;
}

const objectOf = ({ id, email }: Account) => ({ kind: 'account', id, name: email });
