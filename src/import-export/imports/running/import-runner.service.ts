import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DomainEvents } from '../../../events/domain-events';
import { Clock } from '../../../platform/clock';
import { LOGGER, type Logger } from '../../../platform/observability/logger';
import {
  endImport,
  findImport,
  LeaseLost,
  takeImport,
  underLease,
  type ImportJob,
} from '../import.queries';
import { ImportCheckService, type FileToRead } from './import-check.service';
import { storedFile } from '../import-file';
import { ImportRoomService } from './import-room.service';
import { ImportWriteService } from './import-write.service';

/** An import that crashes every process, or fails in each, is stopped after this many failures. */
const MOST_TRIES = 5;
/** A reading that is interrupted this often takes too much time or memory, and is not tried again. */
const MOST_READINGS = 2;

/** Called with the progress of an import. */
export interface Watch {
  onRead?: (bytes: number) => void;
  /** @param of all questions to be written */
  onWritten?: (questions: number, of: number) => void;
}

/** Runs imports: each belongs to one process at a time, and another process continues what a dead one leaves. */
@Injectable()
export class ImportRunnerService {
  private stopping = false;

  constructor(
    private readonly database: DataSource,
    private readonly checking: ImportCheckService,
    private readonly writing: ImportWriteService,
    private readonly room: ImportRoomService,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Continues an import until it ends, or leaves it to the worker that has it. */
  async run(id: string, onProgress: () => void = () => undefined): Promise<void> {
    const job = await this.take(id);
    if (!job) return;
    const file = { name: job.filename, bytes: storedFile(this.database.manager, id) };
    await this.work(job, [file], { onRead: onProgress, onWritten: onProgress });
  }

  /** The process is about to exit: its import is due at once for another. */
  stop(): void {
    this.stopping = true;
  }

  /** Claims an import. @returns null if another process has it, or there is nothing to do */
  async take(id: string): Promise<ImportJob | null> {
    const job = await takeImport(this.database.manager, id, this.clock.now());
    if (job?.isOrphan && !job.checked && job.tries > MOST_READINGS) {
      await this.database.transaction((tx) =>
        endImport(this.events, tx, id, this.clock.now(), 'failed', {
          error: TOO_EXPENSIVE,
          isPreview: true,
        }),
      );
      return null;
    }
    if (!job || job.tries <= MOST_TRIES) return job;
    this.logger.error({ importId: id }, `an import was given up after ${MOST_TRIES} tries`);
    const error = `The service failed ${MOST_TRIES} times at one place of the import, because of an error of its own, and the import was stopped. Imported questions stay. Send the file again: questions you already have are skipped as duplicates. If that fails too, report the import's id to the operator: ${id}.`;
    const state = job.totals.imported > 0 ? 'stopped' : 'failed';
    await this.database.transaction((tx) =>
      endImport(this.events, tx, id, this.clock.now(), state, { error }),
    );
    return null;
  }

  /** Reads the files and writes the questions, until the import ends, is cancelled or is taken by another process. */
  async work(job: ImportJob, files: readonly FileToRead[], watch: Watch): Promise<void> {
    try {
      const importable = job.checked
        ? job.totals.importable
        : await this.check(job, files, watch.onRead);
      if (importable === null || (job.totals.imported === 0 && (await this.refuse(job)))) return;
      await this.write(job, (done) => watch.onWritten?.(done, importable));
    } catch (error) {
      if (!(error instanceof LeaseLost)) {
        // The process has survived, so it was not the file that ended it.
        await this.database
          .query(`UPDATE imports SET token = NULL WHERE id = $1 AND token = $2`, [
            job.id,
            job.token,
          ])
          .catch(() => undefined);
        throw error;
      }
      if (this.stopping)
        await this.database.query(
          `UPDATE imports SET token = NULL, leased_until = NULL, next_check_at = $3, tries = tries - 1
           WHERE id = $1 AND token = $2`,
          [job.id, job.token, this.clock.now()],
        );
    }
  }

  /**
   * Reads the files completely.
   * @returns how many questions are to be written; null if the import has ended
   * @throws LeaseLost
   */
  async check(
    job: ImportJob,
    files: readonly FileToRead[],
    onRead?: Watch['onRead'],
  ): Promise<number | null> {
    const error = await this.checking.check(job, files, (bytes) => {
      if (this.stopping) throw new LeaseLost();
      onRead?.(bytes);
    });
    const now = this.clock.now();
    return underLease(this.database, job, now, async (tx) => {
      const [[{ importable }]] = await tx.query<[[{ importable: number }], number]>(
        `UPDATE imports SET checked_at = $2, read = size WHERE id = $1 RETURNING importable`,
        [job.id, error === null ? now : null],
      );
      if (error !== null)
        await endImport(this.events, tx, job.id, now, 'failed', { error, isPreview: true });
      else if (job.dryRun) {
        const quizzes = await this.room.quizzesOf(job, tx);
        await tx.query(`UPDATE imports SET quizzes = $2 WHERE id = $1`, [job.id, quizzes]);
        await endImport(this.events, tx, job.id, now, 'completed', { isPreview: true });
      } else await tx.query(`DELETE FROM import_chunks WHERE import_id = $1`, [job.id]);
      return error === null && !job.dryRun ? importable : null;
    });
  }

  /** Ends an import that does not fit before anything of it is written. @throws LeaseLost */
  private async refuse(job: ImportJob): Promise<boolean> {
    const view = await findImport(this.database.manager, job.id, job.accountId);
    const problem = view && (await this.room.problem(job.accountId, view));
    if (!problem) return false;
    const now = this.clock.now();
    const error = `${problem} Nothing was imported.`;
    await underLease(this.database, job, now, (tx) =>
      endImport(this.events, tx, job.id, now, 'failed', { error }),
    );
    return true;
  }

  /** Writes the staged questions. @throws LeaseLost */
  async write(job: ImportJob, onWritten?: (questions: number) => void): Promise<void> {
    for (let done = 0; ; onWritten?.(done)) {
      if (this.stopping) throw new LeaseLost();
      const taken = await this.writing.writeChunk(job);
      if (taken === 0) return;
      done += taken;
    }
  }
}

const TOO_EXPENSIVE =
  'Reading the file was interrupted twice, so it is too expensive to read: it takes too much computing time or memory for its size. Check that the format is the right one, or split the file into smaller ones.';
