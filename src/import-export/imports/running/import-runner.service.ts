import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DomainEvents } from '../../../events/domain-events';
import { Clock } from '../../../platform/clock';
import { LIMITS } from '../../../platform/limits/limits';
import { LOGGER, type Logger } from '../../../platform/observability/logger';
import { MEBIBYTE } from '../../../platform/sizes';
import type { Bytes } from '../../formats/row';
import { Import } from '../import.entity';
import {
  endImport,
  findImport,
  hasWritten,
  noteRead,
  NotRunning,
  type RunningImport,
  startPreview,
  takeImport,
  whileRunning,
} from '../import.queries';
import { ImportChunk } from '../import-chunk.entity';
import { storedFile, storeFile } from '../import-file';
import { limitCpuTime } from './cpu-time';
import { type FileToRead, ImportCheckService } from './import-check.service';
import { ImportFailuresService } from './import-failures.service';
import { ImportQuotaService } from './import-quota.service';
import { ImportResultsService } from './import-results.service';
import { ImportWriteService } from './import-write.service';

/** What became of a job: `busy` waits for another import of its account, `interrupted` is continued by another process. */
export type Outcome = 'ended' | 'busy' | 'interrupted';

/** Called with the progress of an import. */
export interface Watch {
  onRead?: (bytes: number) => void;
  /** @param of all questions to be written */
  onWritten?: (questions: number, of: number) => void;
}

const { readingTime, readingTimePerMebibyte } = LIMITS.imports;

/** Runs an import, in the process of its job, or that of `quizctl` or a small preview. */
@Injectable()
export class ImportRunnerService {
  constructor(
    private readonly database: DataSource,
    private readonly checking: ImportCheckService,
    private readonly writing: ImportWriteService,
    private readonly results: ImportResultsService,
    private readonly quota: ImportQuotaService,
    private readonly failures: ImportFailuresService,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Runs an import in this process, without a limit on the time that reading takes. */
  async run(id: string): Promise<void> {
    const job = await this.take(id);
    if (job) await this.work(job, [this.fileOf(job)]);
  }

  /**
   * Runs the import of a job: this process belongs to it, and ends when reading takes too much time.
   * @param signal the worker stops: the import is left to another one after its chunk
   * @throws Error after it was logged
   */
  async runJob(id: string, signal?: AbortSignal): Promise<Outcome> {
    try {
      const job = await takeImport(this.database, id, this.clock.now(), true);
      if (job === 'busy') return 'busy';
      if (job) await this.work(job, [this.fileOf(job)], {}, { signal, isLimited: true });
      return 'ended';
    } catch (error) {
      if (error instanceof Interrupted) return 'interrupted';
      this.logger.error({ err: error, importId: id }, 'an import was interrupted');
      await this.failures.note(id).catch(() => undefined);
      throw error;
    }
  }

  /** Begins to run an import, or continues it. @returns null if there is nothing to do */
  async take(id: string): Promise<RunningImport | null> {
    const job = await takeImport(this.database, id, this.clock.now(), false);
    return job === 'busy' ? null : job;
  }

  /** Reads the files and writes the questions, until the import ends, is cancelled or is taken over. */
  async work(
    job: RunningImport,
    files: readonly FileToRead[],
    watch: Watch = {},
    { signal, isLimited = false }: { signal?: AbortSignal | undefined; isLimited?: boolean } = {},
  ): Promise<void> {
    const allowed = readingTime.value + (job.size / MEBIBYTE) * readingTimePerMebibyte.value;
    const throwIfStopped = () => {
      if (signal?.aborted) throw new Interrupted();
    };
    try {
      let { importable } = job.totals;
      if (!job.checked) {
        const release = isLimited ? limitCpuTime(allowed) : () => undefined;
        const found = await this.check(job, files, (bytes) => {
          throwIfStopped();
          watch.onRead?.(bytes);
        }).finally(release);
        if (found === null) return;
        importable = found;
      }
      if (!hasWritten(job) && (await this.refuse(job))) return;
      const isArchive = await this.isArchive(job);
      if (isArchive && !(await this.results.storePictures(job, this.fileOf(job), throwIfStopped)))
        return;
      await this.write(job, (done) => {
        throwIfStopped();
        watch.onWritten?.(done, importable);
      });
      if (isArchive) await this.results.write(job, this.fileOf(job), throwIfStopped);
    } catch (error) {
      if (!(error instanceof NotRunning)) throw error;
    }
  }

  /**
   * Reads the files completely.
   * @returns how many questions are to be written; null if the import has ended
   * @throws NotRunning
   */
  async check(
    job: RunningImport,
    files: readonly FileToRead[],
    onRead: (bytes: number) => void = () => undefined,
  ): Promise<number | null> {
    const error = await this.checking.check(job, files, onRead);
    // Before the file counts as read: from then on another process may continue, and needs all of it.
    if (error === null && !job.dryRun) await this.keepArchive(job, files);
    const starts = error === null && job.startsOnceRead && !(await this.problemOf(job));
    const now = this.clock.now();
    return whileRunning(this.database, job, now, async (tx) => {
      const importable = await noteRead(tx, job.id, error === null ? now : null);
      if (error !== null)
        await endImport(this.events, tx, job.id, now, 'failed', { error, isPreview: true });
      else if (job.dryRun) {
        const quizzes = await this.quota.countQuizzes(job, tx);
        await tx.update(Import, { id: job.id }, { quizzes });
        await endImport(this.events, tx, job.id, now, 'completed', { isPreview: true });
        if (starts) await startPreview(tx, job.id, job.published, now);
      } else if (!(await this.isArchive(job, tx)))
        await tx.delete(ImportChunk, { importId: job.id });
      return error === null && !job.dryRun ? importable : null;
    });
  }

  /** Stores an archive of this machine, so that another process can continue its import. @throws NotRunning */
  private async keepArchive(job: RunningImport, [file]: readonly FileToRead[]): Promise<void> {
    if (!file || !(await this.isArchive(job))) return;
    const { manager } = this.database;
    if (await manager.existsBy(ImportChunk, { importId: job.id })) return;
    const noteProgress = () =>
      whileRunning(this.database, job, this.clock.now(), () => Promise.resolve());
    await storeFile(manager, job.id, noted(file.bytes, noteProgress), Number.MAX_SAFE_INTEGER);
  }

  /** An archive is read again for what follows its questions. */
  private async isArchive(job: RunningImport, tx = this.database.manager): Promise<boolean> {
    return (await findImport(tx, job.id, job.accountId))?.format === 'archive';
  }

  /** Ends an import that does not fit before anything of it is written. @throws NotRunning */
  private async refuse(job: RunningImport): Promise<boolean> {
    const problem = await this.problemOf(job);
    if (!problem) return false;
    const now = this.clock.now();
    const error = `${problem} Nothing was imported.`;
    await whileRunning(this.database, job, now, (tx) =>
      endImport(this.events, tx, job.id, now, 'failed', { error }),
    );
    return true;
  }

  /** Why what was read does not fit into the plan. */
  private async problemOf({ id, accountId }: RunningImport): Promise<string | null> {
    const view = await findImport(this.database.manager, id, accountId);
    return view && this.quota.findProblem(accountId, view);
  }

  /** Writes the staged questions. @throws NotRunning */
  async write(job: RunningImport, onWritten?: (questions: number) => void): Promise<void> {
    const view = await findImport(this.database.manager, job.id, job.accountId);
    for (let done = 0; ; onWritten?.(done)) {
      const taken = await this.writing.writeChunk(job, view?.format ?? null);
      if (taken === 0) return;
      done += taken;
    }
  }

  private fileOf({ id, filename }: RunningImport): FileToRead {
    return { name: filename, bytes: storedFile(this.database.manager, id) };
  }
}

class Interrupted extends Error {}

/** The same bytes. @param note called before each piece of them */
async function* noted(bytes: Bytes, note: () => Promise<void>): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    await note();
    yield piece;
  }
}
