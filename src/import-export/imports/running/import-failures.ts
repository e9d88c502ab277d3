import type { DataSource } from 'typeorm';
import type { DomainEvents } from '../../../events/domain-events';
import type { Logger } from '../../../platform/observability/logger';
import { endImport, noteFailure } from '../import.queries';

/** An import that fails this often without progress is stopped. */
const MOST_TRIES = 5;
/** A file during whose reading the process died this often is not read again. */
const MOST_DEATHS = 2;

/** How a process ended that ran an import: SIGXCPU is its limit of CPU time (`cpu-time.ts`). */
export interface Death {
  signal: string | null;
}

/**
 * Notes that an import failed, and ends it if there is no point in another try.
 * @param death if its process died, as it does when a file takes too much memory; else the service failed
 */
export function noteImportFailure(
  database: DataSource,
  events: DomainEvents,
  logger: Logger,
  now: Date,
  id: string,
  death?: Death,
): Promise<void> {
  return database.transaction(async (tx) => {
    const failed = await noteFailure(tx, id, death !== undefined);
    if (!failed) return;
    const isReading = !failed.checked;
    if (isReading && death?.signal === 'SIGXCPU')
      return endImport(events, tx, id, now, 'failed', { error: TOO_SLOW, isPreview: true });
    if (isReading && failed.deaths >= MOST_DEATHS)
      return endImport(events, tx, id, now, 'failed', { error: TOO_EXPENSIVE, isPreview: true });
    if (failed.tries < MOST_TRIES) return;
    logger.error({ importId: id }, `an import was given up after ${MOST_TRIES} tries`);
    const error =
      failed.format === 'archive' && failed.imported > 0
        ? `The service failed ${MOST_TRIES} times at one place of the import, because of an error of its own, and the import was stopped. Quizzes whose results are not stored stay drafts: undo this import, then import the archive again. If that fails too, report the import's id to the operator: ${id}.`
        : `The service failed ${MOST_TRIES} times at one place of the import, because of an error of its own, and the import was stopped. Imported questions stay. Send the file again: questions you already have are skipped as duplicates. If that fails too, report the import's id to the operator: ${id}.`;
    await endImport(events, tx, id, now, failed.imported > 0 ? 'stopped' : 'failed', { error });
  });
}

const WHAT_TO_DO = 'Choose another format, or split the file into smaller ones.';
const TOO_SLOW = `Reading the file takes too much computing time for its size, so it was stopped. ${WHAT_TO_DO}`;
const TOO_EXPENSIVE = `Reading the file was interrupted twice, so it is too expensive to read: it takes too much computing time or memory for its size. ${WHAT_TO_DO}`;
