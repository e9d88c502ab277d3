import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '../../platform/batches';
import { HOUR } from '../../platform/durations';
import { Scheduled } from '../../platform/queue/scheduled';
import { pruneEntries } from './audit.queries';

/**
 * Deletes audit entries that are older than the limit (`LIMITS.accounts.auditDays`), and an account's routine entries
 * beyond the newest (`LIMITS.accounts.routineAuditEntries`).
 */
@Injectable()
export class AuditRetention {
  constructor(private readonly database: DataSource) {}

  @Scheduled({ name: 'retention of the audit log', every: HOUR })
  prune(): Promise<number> {
    return inBatches((limit) => pruneEntries(this.database, limit));
  }
}
