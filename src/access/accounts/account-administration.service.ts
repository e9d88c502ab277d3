import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Conflict, NotFound } from '../../platform/errors/domain-errors';
import { recordNotices } from '../notices/notices.service';
import { isId } from '../../platform/text/ids';
import { fold } from '../../platform/text/text.rules';
import { Account } from './account.entity';
import { AccountsService } from './accounts.service';
import { AuditLog, type Actor } from './audit-log';
import { ApiKeyCache } from '../api-keys/api-key-cache';
import { PasswordsService } from '../sessions/passwords.service';
import { PLAN_NAMES, type Plan } from './plan.rules';

/** An account as administrators see it. */
export interface AccountRow extends Pick<
  Account,
  'id' | 'email' | 'plan' | 'requestedPlan' | 'isAdmin' | 'createdAt' | 'disabledAt'
> {
  /** Active keys. */
  keys: number;
  /** The last use of the dashboard or of a key. */
  lastSeenAt: Date | null;
}

type Follower = (tx: EntityManager, before: Account, after: Account) => Promise<void>;

/** What administrators do with accounts. Each action and its audit entry are one transaction. */
@Injectable()
export class AccountAdministrationService {
  private readonly followers: Follower[] = [];

  constructor(
    private readonly database: DataSource,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly known: ApiKeyCache,
    private readonly accounts: AccountsService,
    private readonly passwords: PasswordsService,
  ) {}

  /**
   * Lets another module act in the transaction that changes an account's rights, under the account's lock, so that
   * nothing it keeps for the account outlives a withdrawn right. Each module calls it once, at its start.
   */
  follow(follower: Follower): void {
    this.followers.push(follower);
  }

  /** @throws Invalid if the address is not valid, Conflict if it is taken */
  create(actor: Actor, input: { email: string; plan: Plan; isAdmin: boolean }): Promise<Account> {
    return this.database.transaction(async (tx) => {
      const account = await this.accounts.createIn(tx, input);
      const detail = `${PLAN_NAMES[input.plan]}${input.isAdmin ? ', administrator' : ''}`;
      await this.audit.record(tx, actor, 'account.created', objectOf(account), detail);
      return account;
    });
  }

  /** Gives an account a password and ends its sessions. @throws Invalid, NotFound */
  setPassword(actor: Actor, account: Account, password: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      await this.passwords.setIn(tx, account.id, password);
      await this.audit.record(tx, actor, 'account.password-set', objectOf(account));
    });
  }

  /** Asks for another plan, for an administrator to decide. A later request replaces it. @throws Conflict */
  requestPlan(accountId: string, plan: Plan): Promise<void> {
    return this.database.transaction(async (tx) => {
      const [, changed] = await tx.query<[unknown, number]>(
        `UPDATE accounts SET requested_plan = $2 WHERE id = $1 AND plan <> $2`,
        [accountId, plan],
      );
      if (changed === 0) throw new Conflict(`Your account is on the ${PLAN_NAMES[plan]} plan.`);
      await this.audit.recordOwn(tx, accountId, 'account.plan-requested', PLAN_NAMES[plan]);
    });
  }

  /** Refuses what its user has asked for. @throws NotFound */
  declinePlan(actor: Actor, id: string): Promise<Account> {
    return this.change(
      actor,
      id,
      'account.plan-declined',
      ({ requestedPlan }) =>
        requestedPlan && {
          fields: { requestedPlan: null },
          detail: PLAN_NAMES[requestedPlan],
          notice: `The ${PLAN_NAMES[requestedPlan]} plan was declined`,
        },
    );
  }

  /**
   * A page of accounts whose address contains `search`, the newest first, and how many there are. Accounts that have
   * asked for a plan come first.
   */
  async list(
    search: string,
    page: { limit: number; offset: number },
  ): Promise<{ accounts: AccountRow[]; total: number }> {
    const like = `%${fold(search).replace(/[\\%_]/g, '\\$&')}%`;
    const accounts = await this.database.query<AccountRow[]>(
      `${ACCOUNT_ROWS} WHERE a.email_key LIKE $2 ORDER BY (a.requested_plan IS NULL), a.created_at DESC, a.id DESC LIMIT $3 OFFSET $4`,
      [this.clock.now(), like, page.limit, page.offset],
    );
    const [count] = await this.database.query<{ total: number }[]>(
      `SELECT count(*)::int AS total FROM accounts WHERE email_key LIKE $1`,
      [like],
    );
    return { accounts, total: count?.total ?? 0 };
  }

  /** @throws NotFound */
  async get(id: string): Promise<AccountRow> {
    const [account] = isId(id)
      ? await this.database.query<AccountRow[]>(`${ACCOUNT_ROWS} WHERE a.id = $2`, [
          this.clock.now(),
          id,
        ])
      : [];
    if (!account) throw new NotFound('Account');
    return account;
  }

  /** @throws NotFound */
  setPlan(actor: Actor, id: string, plan: Plan): Promise<Account> {
    return this.change(actor, id, 'account.plan-changed', (account) =>
      account.plan === plan
        ? null
        : {
            fields: { plan, requestedPlan: null },
            detail: `${PLAN_NAMES[account.plan]} to ${PLAN_NAMES[plan]}`,
            notice: `Your account is on the ${PLAN_NAMES[plan]} plan now`,
          },
    );
  }

  /** @throws NotFound; Conflict for one's own account: somebody must be left to undo it */
  setAdministrator(actor: Actor, id: string, isAdmin: boolean): Promise<Account> {
    return this.change(
      actor,
      id,
      isAdmin ? 'account.made-administrator' : 'account.administrator-removed',
      (account) => (account.isAdmin === isAdmin ? null : { fields: { isAdmin }, detail: '' }),
    );
  }

  /**
   * Refuses its keys, ends its sessions, hides its quizzes from the public and stops its webhooks, or reverts that.
   * @throws NotFound, Conflict
   */
  setDisabled(actor: Actor, id: string, disabled: boolean): Promise<Account> {
    return this.change(
      actor,
      id,
      disabled ? 'account.disabled' : 'account.enabled',
      (account, now) =>
        (account.disabledAt !== null) === disabled
          ? null
          : { fields: { disabledAt: disabled ? now : null }, detail: '' },
    );
  }

  private async change(
    actor: Actor,
    id: string,
    action: string,
    decide: (account: Account, now: Date) => Change | null,
  ): Promise<Account> {
    const changed = await this.database.transaction(async (tx: EntityManager) => {
      const accounts = tx.getRepository(Account);
      const account = isId(id)
        ? await accounts.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } })
        : null;
      if (!account) throw new NotFound('Account');
      const now = this.clock.now();
      const change = decide(account, now);
      if (!change) return account;
      if (account.id === actor.accountId && !('requestedPlan' in change.fields))
        throw new Conflict('This is your own account. Ask another administrator.');
      // As many rows as the account has quizzes and deliveries; an account must never be too large to be disabled.
      await tx.query('SET LOCAL statement_timeout = 0');
      await accounts.update({ id }, change.fields);
      const after = { ...account, ...change.fields };
      if (change.fields.disabledAt)
        await tx.query(`DELETE FROM sessions WHERE account_id = $1`, [id]);
      for (const follower of this.followers) await follower(tx, account, after);
      await this.audit.record(tx, actor, action, objectOf(account), change.detail);
      if (change.notice) {
        const notice = { accountId: id, title: change.notice, detail: '' };
        await recordNotices(tx, now, [{ ...notice, path: '/dashboard/account' }]);
      }
      return after;
    });
    this.known.forget();
    return changed;
  }
}

interface Change {
  fields: Partial<Pick<Account, 'plan' | 'requestedPlan' | 'isAdmin' | 'disabledAt'>>;
  detail: string;
  /** What its user is told. */
  notice?: string;
}

const objectOf = ({ id, email }: Account) => ({ kind: 'account', id, name: email });

const ACCOUNT_ROWS = `
SELECT a.id, a.email, a.plan, a.requested_plan AS "requestedPlan", a.is_admin AS "isAdmin", a.created_at AS "createdAt", a.disabled_at AS "disabledAt",
  k.keys, greatest(a.last_seen_at, k.used) AS "lastSeenAt"
FROM accounts a CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1))::int AS keys,
    max(last_used_at) AS used
  FROM api_keys WHERE account_id = a.id
) k`;
