import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { liftStatementTimeout } from '../../platform/database/deadline-client';
import { forgetResponses } from '../../platform/idempotency/idempotency.queries';
import { Scheduled } from '../../platform/queue/scheduled';
import { Account } from '../accounts/account.entity';
import { ApiKey } from '../api-keys/api-key.entity';
import { AuditLog } from '../audit/audit-log';
import { Notice } from '../notices/notice.entity';
import { takeDeletedAccount } from './account-administration.queries';
import { ACCOUNT_CONTENT, type AccountContent } from './account-content';

/** Other processes accept a key for five seconds after its look-up: what they write meanwhile is deleted too. */
const BEGINS_AFTER = 10_000;

/** Deletes what belongs to deleted accounts. Only the worker does it. */
@Injectable()
export class DeletedAccountsService {
  constructor(
    private readonly database: DataSource,
    private readonly audit: AuditLog,
    @Inject(ACCOUNT_CONTENT) private readonly content: readonly AccountContent[],
    private readonly clock: Clock,
  ) {}

  /**
   * A batch of everything of one account, in a transaction: a large account delays nobody, and a killed worker continues
   * where it was.
   * @returns whether more is waiting
   */
  @Scheduled({ name: 'the deletion of accounts', every: 5_000 })
  deleteBatch(): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const account = await takeDeletedAccount(tx, this.clock.cutoff(BEGINS_AFTER));
      if (!account) return false;
      await liftStatementTimeout(tx);
      let isMoreLeft = false;
      for (const part of this.content)
        isMoreLeft = (await part.deleteSome(tx, account)) || isMoreLeft;
      if (!isMoreLeft) await this.finish(tx, account.id);
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
}
