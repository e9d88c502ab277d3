import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, LessThan } from 'typeorm';
import { Clock } from '../../../platform/clock';
import { DAY, MINUTE } from '../../../platform/durations';
import { LIMITS } from '../../../platform/limits/limits';
import { Scheduled } from '../../../platform/queue/scheduled';
import { Import } from '../import.entity';
import { deleteOldImports, expirePreviews } from '../import.queries';

const { previewDays, reportDays } = LIMITS.imports;
/** An upload that is still open after this time never ends: its request has been cut off. */
const RECEIVING = LIMITS.connections.uploadWithin.value + 10 * MINUTE;

/** Ends imports that can never end by themselves, and deletes old ones. */
@Injectable()
export class ImportRetention {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'the pruning of imports', every: MINUTE })
  async prune(): Promise<void> {
    const now = this.clock.now();
    const before = (age: number) => new Date(now.getTime() - age);
    const imports = this.database.getRepository(Import);
    await imports.delete({ state: 'receiving', createdAt: LessThan(before(RECEIVING)) });
    await imports.update(
      {
        state: 'running',
        stored: false,
        checkedAt: IsNull(),
        progressAt: LessThan(before(MINUTE)),
      },
      { state: 'failed', token: null, nextCheckAt: null, finishedAt: now, error: INTERRUPTED },
    );
    await expirePreviews(this.database, before(previewDays.value * DAY));
    await deleteOldImports(this.database, before(reportDays.value * DAY));
  }
}

const INTERRUPTED =
  'The import process stopped before it had read the whole file. Nothing was imported. Start the import again.';
