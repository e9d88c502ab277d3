import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, LessThan } from 'typeorm';
import { DomainEvents } from '../../../events/domain-events';
import { Clock } from '../../../platform/clock';
import { DAY, MINUTE } from '../../../platform/durations';
import { LIMITS } from '../../../platform/limits/limits';
import { Scheduled } from '../../../platform/queue/scheduled';
import { Import } from '../import.entity';
import { deleteOldImports, endImport, expirePreviews } from '../import.queries';

const { previewDays, reportDays } = LIMITS.imports;
/** An upload that is still open after this time never ends: its request has been cut off. */
const RECEIVING = LIMITS.connections.uploadWithin.value + 10 * MINUTE;

/** Ends imports that can never end by themselves, and deletes old ones. */
@Injectable()
export class ImportRetention {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
  ) {}

  @Scheduled({ name: 'the pruning of imports', every: MINUTE })
  async prune(): Promise<void> {
    const now = this.clock.now();
    const before = (age: number) => this.clock.cutoff(age);
    const imports = this.database.getRepository(Import);
    await imports.delete({ state: 'receiving', createdAt: LessThan(before(RECEIVING)) });
    await this.endInterrupted(now, before(MINUTE));
    await expirePreviews(this.database, before(previewDays.value * DAY));
    await deleteOldImports(this.database, before(reportDays.value * DAY));
  }

  /**
   * Ends imports that quizctl ran from a file of its own machine, and that died while reading it: the file is not in the
   * database, so no worker can go on.
   */
  private async endInterrupted(now: Date, before: Date): Promise<void> {
    const interrupted = {
      state: 'running' as const,
      stored: false,
      checkedAt: IsNull(),
      progressAt: LessThan(before),
    };
    const imports = this.database.getRepository(Import);
    for (const { id } of await imports.find({ select: { id: true }, where: interrupted }))
      await this.database.transaction(async (tx) => {
        const { affected } = await tx.update(Import, { ...interrupted, id }, { token: null });
        if (affected === 1)
          await endImport(this.events, tx, id, now, 'failed', { error: INTERRUPTED });
      });
  }
}

const INTERRUPTED =
  'The import process stopped before it had read the whole file. Nothing was imported. Start the import again.';
