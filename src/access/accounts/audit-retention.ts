import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { HourlyRetention } from '../../platform/process/hourly-retention';
import { LIMITS } from '../../platform/limits/limits';
import { LOGGER, type Logger } from '../../platform/observability/logger';

/** Deletes audit entries that are older than the limit. */
@Injectable()
export class AuditRetention extends HourlyRetention {
  constructor(
    private readonly database: DataSource,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(logger, 'old audit entries');
  }

  prune(): Promise<number> {
    const days = LIMITS.accounts.auditDays.value;
    return this.all(async (limit) => {
      const [, count] = await this.database.query<[unknown[], number]>(PRUNE, [days, limit]);
      return count;
    });
  }
}

/** By the database's clock, as the trigger that refuses to delete younger ones. Reads the oldest entries only. */
const PRUNE = `
DELETE FROM audit_entries WHERE id IN (SELECT id FROM audit_entries ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
  AND at < now() - make_interval(days => $1)`;
