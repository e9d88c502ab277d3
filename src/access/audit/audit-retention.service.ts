import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '../../platform/batches';
import { Clock } from '../../platform/clock';
import { HOUR } from '../../platform/durations';
import { Scheduled } from '../../platform/queue/scheduled';
import { pruneEntries } from './audit.queries';

/**
 * Deletes audit entries that are older than the limit (`LIMITS.accounts.auditDays`), and an account's routine entries
 * beyond the newest (`LIMITS.accounts.routineAuditEntries`).
 */
@Injectable()
export class AuditRetention {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'retention of the audit log', every: HOUR })
  async prune(): Promise<number> {
    // The function reads the database's clock itself: the role of the service must not choose what is old.
    if (!this.clock.trusted) return 0;
    return inBatches((limit) => pruneEntries(this.database, limit));
  }
}
