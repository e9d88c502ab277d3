import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In, IsNull, Not } from 'typeorm';
import { DomainEvents } from '../../events/domain-events';
import { Clock } from '../../platform/clock';
import { Conflict, Forbidden, NotFound } from '../../platform/errors/domain-errors';
import { Mailer } from '../../platform/mail/mailer';
import { type Messages, messagesFor } from '../../platform/messages/messages';
import { isId } from '../../platform/text/ids';
import { Account, NO_LINKS } from '../accounts/account.entity';
import {
  CATALOGUE_ACCOUNT,
  deletedAddress,
  DEMO_ACCOUNT,
  isBuiltIn,
} from '../accounts/built-in-accounts';
import { emailKey } from '../accounts/credentials.rules';
import { requireActorScope } from '../accounts/scope.rules';
import { ApiKey } from '../api-keys/api-key.entity';
import { ApiKeyCache } from '../api-keys/api-key-cache';
import { type Actor, OPERATOR } from '../audit/actor';
import { AuditLog } from '../audit/audit-log';
import { Session } from '../sessions/session.entity';
import { lockWithAdministrators } from './account-administration.queries';
import type { QuizzesOfDeleted } from './account-content';
import { requireSeen } from './account-version.rules';

/** An account is more than all that its quizzes, webhooks and attempts are: a key for some of it may not delete it. */
const NEEDED = ['read', 'write', 'publish', 'webhooks'] as const;

/**
 * Deletes accounts. The request ends every access at once and empties the account's own row; DeletedAccountsService then
 * deletes what else belongs to it.
 */
@Injectable()
export class AccountDeletionService {
  constructor(
    private readonly database: DataSource,
    private readonly events: DomainEvents,
    private readonly audit: AuditLog,
    private readonly keyCache: ApiKeyCache,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  /**
   * The owner's own account, or another one if the actor is an administrator.
   * @param options.messages of the language of the mail about it; by default the account's
   * @param options.passwordHash that was verified: nothing is deleted if the password was changed meanwhile
   * @param options.seen see `requireSeen`
   * @returns the address that the account had
   * @throws NotFound; Forbidden if the actor is not an administrator, or without every scope; Conflict for the last
   *   administrator, and for a changed password or account
   */
  async delete(
    actor: Actor,
    id: string,
    quizzes: QuizzesOfDeleted,
    {
      messages,
      passwordHash,
      seen,
    }: { messages?: Messages; passwordHash?: string; seen?: string } = {},
  ): Promise<string> {
    for (const scope of NEEDED) requireActorScope(actor, scope);
    const { email, language } = await this.database.transaction(async (tx) => {
      // Of two administrators who delete each other, the second is refused. Whoever creates a key locks the account, too:
      // it is either created before the account's keys are revoked, or finds the account deleted.
      if (isId(id)) await lockWithAdministrators(tx, id, actor.accountId);
      const account = await this.find(tx, actor, id);
      const accountId = account.id;
      if (passwordHash !== undefined && !(await isPassword(tx, accountId, passwordHash)))
        throw new Conflict('The account has changed. Try again.');
      requireSeen(account, seen);
      if (isBuiltIn(account))
        throw new Conflict(
          'The service needs this account. It cannot be deleted.',
          'account-not-deletable',
        );
      await this.requireOther(tx, account);
      const at = this.clock.now();
      await tx.delete(Session, { accountId });
      await tx.update(ApiKey, { accountId, revokedAt: IsNull() }, { revokedAt: at });
      // The rest follows later; events of other accounts end now.
      if (account.isAdmin) await this.events.emit(tx, 'account.demoted', accountId, { at });
      await tx.update(Account, { id: accountId }, emptied(account, at, quizzes));
      const self = actor.accountId === accountId;
      const by = self ? { ...actor, email: DELETED } : actor;
      const object = { kind: 'account', id: accountId, name: DELETED };
      await this.audit.record(tx, by, 'account.deleted', object, `quizzes: ${quizzes}`);
      return account;
    });
    this.keyCache.forget();
    // Whoever did not want this must learn of it. The address is not stored any more.
    const { t } = messages ?? messagesFor(language);
    void this.mailer.send(email, t('mail.deleted.subject'), t('mail.deleted.text'));
    return email;
  }

  /** @throws NotFound; Forbidden if the actor is not an administrator */
  async requireMayDelete(actor: Actor, id: string): Promise<void> {
    await this.find(this.database.manager, actor, id);
  }

  /** The account, if the actor may delete it. */
  private async find(tx: EntityManager, actor: Actor, id: string): Promise<Account> {
    const accounts = tx.getRepository(Account);
    const account = isId(id) && (await accounts.findOneBy({ id, deletedAt: IsNull() }));
    if (!account) throw new NotFound('Account');
    const isOwn = actor === OPERATOR || actor.accountId === account.id;
    if (!isOwn && !(await accounts.existsBy({ id: actor.accountId, ...ADMINISTRATOR })))
      throw new Forbidden('Only administrators can delete another account.', 'administrators-only');
    return account;
  }

  /** @throws Conflict */
  private async requireOther(tx: EntityManager, { id, isAdmin }: Account): Promise<void> {
    if (!isAdmin) return;
    // It may have become one while this transaction waited for its lock.
    await lockWithAdministrators(tx, id, id);
    const others = await tx.getRepository(Account).existsBy({
      id: Not(id),
      ...ADMINISTRATOR,
      email: Not(In([CATALOGUE_ACCOUNT, DEMO_ACCOUNT])),
    });
    if (!others)
      throw new Conflict(
        'This is the last administrator. Make another account an administrator first.',
        'last-administrator',
      );
  }
}

/** One who can act. */
const ADMINISTRATOR = { isAdmin: true, disabledAt: IsNull() };

const isPassword = (tx: EntityManager, id: string, passwordHash: string) =>
  tx.getRepository(Account).existsBy({ id, passwordHash });

const DELETED = 'deleted account';

/** Nothing personal is left in the row, and nobody can sign in. */
const emptied = ({ id }: Account, at: Date, deletion: QuizzesOfDeleted) => ({
  email: deletedAddress(id),
  emailKey: emailKey(deletedAddress(id)),
  passwordHash: null,
  ...NO_LINKS,
  plan: 'free' as const,
  requestedPlan: null,
  isAdmin: false,
  embedOrigins: [],
  mails: false,
  language: null,
  deletedAt: at,
  deletion,
});
