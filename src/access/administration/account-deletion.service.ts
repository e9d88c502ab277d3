import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In, IsNull, Not } from 'typeorm';
import { DomainEvents } from '../../events/domain-events';
import { Clock } from '../../platform/clock';
import { liftStatementTimeout } from '../../platform/database/sql';
import { Conflict, Forbidden, NotFound } from '../../platform/errors/domain-errors';
import { forgetResponses } from '../../platform/idempotency/idempotency.queries';
import { Mailer } from '../../platform/mail/mailer';
import { type Messages, messagesIn } from '../../platform/messages/messages';
import { Scheduled } from '../../platform/queue/scheduled';
import { isId } from '../../platform/text/ids';
import { Account } from '../accounts/account.entity';
import {
  CATALOGUE_ACCOUNT,
  deletedAddress,
  DEMO_ACCOUNT,
  isBuiltIn,
} from '../accounts/built-in-accounts';
import { emailKey } from '../accounts/credentials.rules';
import { ApiKey } from '../api-keys/api-key.entity';
import { ApiKeyCache } from '../api-keys/api-key-cache';
import { type Actor, AuditLog, OPERATOR } from '../audit/audit-log';
import { Notice } from '../notices/notice.entity';
import { Session } from '../sessions/session.entity';
import { lockAccounts, takeDeletedAccount } from './account-administration.queries';
import type { QUIZZES_OF_DELETED } from './account-deletion.dto';

/** Kept quizzes belong to “Deleted account”. */
export type QuizzesOfDeleted = (typeof QUIZZES_OF_DELETED)[number];

/** Other processes accept a key for five seconds after its look-up: what they write meanwhile is deleted too. */
const BEGINS_AFTER = 10_000;

/** Rows of a table that a transaction deletes at most. */
const BATCH = 1_000;

/**
 * Deletes accounts. The request ends every access at once and empties the account's own row; the worker then deletes what
 * else belongs to it, one batch of each kind per transaction, so that a large account delays nobody and a killed worker
 * continues where it was.
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
   * @param messages of the language of the mail about it
   * @returns the address that the account had
   * @throws NotFound; Forbidden if the actor is not an administrator; Conflict for the last administrator
   */
  async delete(
    actor: Actor,
    id: string,
    quizzes: QuizzesOfDeleted,
    { t }: Messages = messagesIn('en'),
  ): Promise<string> {
    const email = await this.database.transaction(async (tx) => {
      // Of two administrators who delete each other, the second is refused.
      await lockAccounts(tx);
      const accounts = tx.getRepository(Account);
      const account = await this.find(tx, actor, id);
      if (isBuiltIn(account))
        throw new Conflict(
          'The service needs this account. It cannot be deleted.',
          'account-not-deletable',
        );
      await this.requireOther(tx, account);
      const at = this.clock.now();
      const accountId = account.id;
      await tx.delete(Session, { accountId });
      await tx.update(ApiKey, { accountId, revokedAt: IsNull() }, { revokedAt: at });
      // The rest follows later; events of other accounts end now.
      if (account.isAdmin) await this.events.emit(tx, 'account.demoted', accountId, { at });
      await accounts.update({ id: accountId }, emptied(account, at, quizzes));
      const self = actor.accountId === accountId;
      const by = self ? { ...actor, email: DELETED } : actor;
      const object = { kind: 'account', id: accountId, name: DELETED };
      await this.audit.record(tx, by, 'account.deleted', object, `quizzes: ${quizzes}`);
      return account.email;
    });
    this.keyCache.forget();
    // Whoever did not want this must learn of it. The address is not stored any more.
    void this.mailer.send(email, t('mail.deleted.subject'), t('mail.deleted.text'));
    return email;
  }

  /** Deletes a batch of what belongs to one deleted account. @returns whether more is waiting */
  @Scheduled({ name: 'the deletion of accounts', every: 5_000 })
  deleteBatch(): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const account = await takeDeletedAccount(tx, this.clock.cutoff(BEGINS_AFTER));
      if (!account) return false;
      await liftStatementTimeout(tx);
      let more = false;
      await this.events.emit(tx, 'account.deleted', account.id, {
        quizzes: account.quizzes,
        at: account.deletedAt,
        limit: BATCH,
        more: () => (more = true),
      });
      if (!more) await this.finish(tx, account.id);
      return true;
    });
  }

  /** The rows of this module are few, but keys are named in the audit log until the end. */
  private async finish(tx: EntityManager, id: string): Promise<void> {
    const keys = await tx.getRepository(ApiKey).findBy({ accountId: id });
    await this.audit.redact(
      tx,
      id,
      keys.map((key) => key.id),
    );
    await this.audit.redactAccount(tx, id);
    await tx.delete(ApiKey, { accountId: id });
    await tx.delete(Notice, { accountId: id });
    await forgetResponses(tx, id);
    await tx.update(Account, { id }, { deletion: null });
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

const DELETED = 'deleted account';

/** Nothing personal is left in the row, and nobody can sign in. */
const emptied = ({ id }: Account, at: Date, deletion: QuizzesOfDeleted) => ({
  email: deletedAddress(id),
  emailKey: emailKey(deletedAddress(id)),
  passwordHash: null,
  linkHash: null,
  linkIssuedAt: null,
  newEmail: null,
  newEmailHash: null,
  newEmailAt: null,
  plan: 'free' as const,
  requestedPlan: null,
  isAdmin: false,
  embedOrigins: [],
  mails: false,
  deletedAt: at,
  deletion,
});
