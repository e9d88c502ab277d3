import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import type { ImportView } from './import';
import { endImport, IMPORT_COLUMNS, keepLease, LEASE, type ImportLease } from './import.queries';
import { ImportCheckService, LeaseLost, type FileToRead } from './import-check.service';
import { storedFile } from './import-file';
import { ImportWriteService } from './import-write.service';

/** What ends every process that has the import, or fails in each, must not go on to do so. */
const MOST_TRIES = 5;

/** Runs imports: one process at a time has each, and what it leaves another goes on with. */
@Injectable()
export class ImportRunnerService {
  private stopping = false;

  constructor(
    private readonly database: DataSource,
    private readonly checking: ImportCheckService,
    private readonly writing: ImportWriteService,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Continues an import until it ends, or leaves it to the worker that has it. */
  async run(id: string, onProgress: () => void = () => undefined): Promise<void> {
    const taken = await this.take(id);
    if (!taken) return;
    const { lease, view } = taken;
    try {
      const file = { name: view.fileName, bytes: storedFile(this.database.manager, id) };
      if (!view.checked && !(await this.check(lease, view, [file], onProgress))) return;
      await this.write(lease, view, onProgress);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      if (this.stopping) await this.release(lease);
    }
  }

  /** The process is about to end: the import that it has is due at once for another. */
  stop(): void {
    this.stopping = true;
  }

  /**
   * Reads the files to their end.
   * @returns whether there is something left to do
   * @throws LeaseLost
   */
  async check(
    lease: ImportLease,
    view: ImportView,
    files: readonly FileToRead[],
    onProgress: (bytes: number) => void = () => undefined,
  ): Promise<boolean> {
    const error = await this.checking.check(lease, view, files, (bytes) => {
      if (this.stopping) throw new LeaseLost();
      onProgress(bytes);
    });
    return this.database.transaction(async (tx) => {
      const now = this.clock.now();
      if (!(await keepLease(tx, lease, now))) throw new LeaseLost();
      await tx.query(`UPDATE imports SET checked_at = $2, read = size WHERE id = $1`, [
        lease.id,
        error === null ? now : null,
      ]);
      if (error === null && view.dryRun) await this.checking.foretell(tx, view);
      if (error !== null) await endImport(tx, lease.id, { state: 'failed', error: error }, now);
      else if (view.dryRun)
        await endImport(tx, lease.id, { state: 'completed', keepQuestions: true }, now);
      else await tx.query(`DELETE FROM import_chunks WHERE import_id = $1`, [lease.id]);
      return error === null && !view.dryRun;
    });
  }

  /** Writes what was read. @throws LeaseLost */
  async write(
    lease: ImportLease,
    view: ImportView,
    onProgress: (questions: number) => void = () => undefined,
  ): Promise<void> {
    for (let done = 0; ; onProgress(done)) {
      if (this.stopping) throw new LeaseLost();
      const taken = await this.writing.writeChunk(lease, view);
      if (taken === 0) return;
      done += taken;
    }
  }

  /** Takes an import that nobody has. @returns null when somebody has it, or there is nothing to do */
  async take(id: string): Promise<{ lease: ImportLease; view: ImportView } | null> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + LEASE);
    const [[view]] = await this.database.query<
      [(ImportView & { token: string; tries: number })[], number]
    >(
      `UPDATE imports SET state = 'running', token = gen_random_uuid(), leased_until = $3, next_check_at = $3,
         started_at = coalesce(started_at, $2), tries = tries + 1
       WHERE id = $1 AND state IN ('waiting', 'running') AND (leased_until IS NULL OR leased_until <= $2)
         AND (stored OR checked_at IS NOT NULL)
       RETURNING token, tries, ${IMPORT_COLUMNS}`,
      [id, now, until],
    );
    if (!view) return null;
    if (view.tries > MOST_TRIES) {
      await this.giveUp(view);
      return null;
    }
    return { lease: { id, token: view.token }, view };
  }

  private async giveUp({ id, imported }: ImportView): Promise<void> {
    this.logger.error({ importId: id }, `an import was given up after ${MOST_TRIES} tries`);
    const error = `The service failed ${MOST_TRIES} times at one place of the import, for a reason of its own, and gave it up. What was imported stays. Send the file again: what you have already is skipped as a duplicate. If that fails, too, tell the operator the import's id, which the log has: ${id}.`;
    const state = imported > 0 ? 'stopped' : 'failed';
    await endImport(this.database.manager, id, { state, error }, this.clock.now());
  }

  private async release({ id, token }: ImportLease): Promise<void> {
    await this.database.query(
      `UPDATE imports SET token = NULL, leased_until = NULL, next_check_at = $3 WHERE id = $1 AND token = $2`,
      [id, token, this.clock.now()],
    );
  }
}
