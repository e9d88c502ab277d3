import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DomainEvents } from '../../../events/domain-events';
import { Clock } from '../../../platform/clock';
import { LOGGER, type Logger } from '../../../platform/observability/logger';
import { endImport, noteFailure } from '../import.queries';
import { WHAT_STAYS_DRAFT } from '../import.rules';

/** An import that fails this often without progress is stopped. */
const MOST_TRIES = 5;
/** A file during whose reading the process died this often is not read again. */
const MOST_DEATHS = 2;

/** How a process ended that ran an import: SIGXCPU is its limit of CPU time (`cpu-time.ts`). */
export interface Death {
  signal: string | null;
}

/** Imports that failed: each is tried again, or ended. */
@Injectable()
export class ImportFailuresService {
  constructor(
    private readonly database: DataSource,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Notes that an import failed, and ends it if there is no point in another try.
   * @param death if its process died, as it does when a file takes too much memory; else the service failed
   */
  note(id: string, death?: Death): Promise<void> {
    const { events } = this;
    const now = this.clock.now();
    return this.database.transaction(async (tx) => {
      const failed = await noteFailure(tx, id, death !== undefined);
      if (!failed) return;
      const isReading = !failed.checked;
      if (isReading && death?.signal === 'SIGXCPU')
        return endImport(events, tx, id, now, 'failed', { error: TOO_SLOW, isPreview: true });
      if (isReading && failed.deaths >= MOST_DEATHS)
        return endImport(events, tx, id, now, 'failed', { error: TOO_EXPENSIVE, isPreview: true });
      if (failed.tries < MOST_TRIES) return;
      this.logger.error({ importId: id }, `an import was given up after ${MOST_TRIES} tries`);
      const hasDrafts = failed.format === 'archive' && failed.hasWritten;
      const whatToDo = hasDrafts ? WHAT_STAYS_DRAFT : IMPORT_AGAIN;
      const error = `The service failed ${MOST_TRIES} times at one place of the import, because of an error of its own, and the import was stopped. ${whatToDo} If that happens again, report the import's id to the operator: ${id}.`;
      await endImport(events, tx, id, now, failed.hasWritten ? 'stopped' : 'failed', { error });
    });
  }
}

const IMPORT_AGAIN = 'Import the file again: the questions that you have stay, and are skipped.';
const WHAT_TO_DO = 'Choose another format, or split the file into smaller ones.';
const TOO_SLOW = `Reading the file takes too much computing time for its size, so it was stopped. ${WHAT_TO_DO}`;
const TOO_EXPENSIVE = `Reading the file was interrupted twice, so it is too expensive to read: it takes too much computing time or memory for its size. ${WHAT_TO_DO}`;
