import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { HourlyRetention } from '../../platform/process/hourly-retention';
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

  /** By the database's clock and in a function of its owner's: this process may have a role that only adds entries. */
  prune(): Promise<number> {
    return this.all(async (limit) => {
      const [row] = await this.database.query<{ count: number }[]>(
        `SELECT prune_audit_entries($1) AS count`,
        [limit],
      );
      return row?.count ?? 0;
    });
  }
}
