import {
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../../platform/clock';
import { LIMITS } from '../../../platform/limits/limits';
import { LOGGER, type Logger } from '../../../platform/observability/logger';
import { Loop } from '../../../platform/process/loop';
import { ImportExportModule } from '../../import-export.module';
import { LEASE } from '../import.queries';
import { ImportRunnerService } from './import-runner.service';

const { atATime, smallFile, previewDays, reportDays } = LIMITS.imports;
const [MINUTE, DAY] = [60_000, 86_400_000];
/** An upload that is still open after this time never ends: its request has been cut off. */
const RECEIVING = LIMITS.connections.uploadWithin.value + 10 * MINUTE;

/**
 * The next due import: a new one, or one of a dead worker, of the account that was served longest ago. An account has
 * one at a time. The import is due again when the lease that the caller takes expires.
 * @param largest only files of at most this many bytes
 */
export async function claimNext(
  database: DataSource,
  now: Date,
  largest: number,
): Promise<string | null> {
  // Most looks find nothing: no transaction for them.
  const [due] = await database.query<object[]>(
    `SELECT FROM imports WHERE next_check_at <= $1 AND size <= $2 LIMIT 1`,
    [now, largest],
  );
  if (!due) return null;
  return database.transaction(async (tx) => {
    // Two concurrent claims would both see an account without a running import.
    await tx.query(`SELECT pg_advisory_xact_lock(hashtext('claim an import'))`);
    const [[next]] = await tx.query<[{ id: string }[], number]>(CLAIM, [
      now,
      new Date(now.getTime() + LEASE),
      largest,
    ]);
    return next?.id ?? null;
  });
}

/** Ends imports that can never end by themselves, and deletes old ones. */
export async function pruneImports(database: DataSource, now: Date): Promise<void> {
  const before = (age: number) => new Date(now.getTime() - age);
  await database.query(`DELETE FROM imports WHERE state = 'receiving' AND created_at < $1`, [
    before(RECEIVING),
  ]);
  await database.query(
    `UPDATE imports SET state = 'failed', token = NULL, next_check_at = NULL, finished_at = $1,
       error = 'The import process stopped before it had read the whole file. Nothing was imported. Start the import again.'
     WHERE state = 'running' AND NOT stored AND checked_at IS NULL AND leased_until < $1`,
    [now],
  );
  await database.query(
    `WITH old AS (
       UPDATE imports SET stored = false
       WHERE dry_run AND state IN ('completed', 'failed') AND stored AND finished_at < $1 RETURNING id
     ), files AS (
       DELETE FROM import_chunks c USING old WHERE c.import_id = old.id
     ) DELETE FROM import_questions q USING old WHERE q.import_id = old.id`,
    [before(previewDays.value * DAY)],
  );
  await database.query(
    `DELETE FROM imports WHERE id IN (
       SELECT id FROM imports WHERE created_at < $1 AND next_check_at IS NULL LIMIT 100)`,
    [before(reportDays.value * DAY)],
  );
}

/**
 * Runs several imports at a time. One place is reserved for small files, so that large ones never take all of them.
 */
@Injectable()
export class ImportWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loops: Loop[];
  private stopping = false;
  private progressAt = performance.now();

  constructor(
    private readonly database: DataSource,
    private readonly runner: ImportRunnerService,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.loops = Array.from(
      { length: atATime.value },
      (_, place) =>
        new Loop(
          logger,
          clock,
          `the running of imports (${place + 1})`,
          1_000,
          () => this.runNext(place === 0 ? smallFile.value : Number.MAX_SAFE_INTEGER),
          // If it were abandoned, a long import would run beside the next one, and more than `atATime` would run.
          true,
        ),
    );
    this.loops.push(
      new Loop(logger, clock, 'the pruning of imports', 60_000, () =>
        pruneImports(database, clock.now()),
      ),
    );
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) loop.start();
  }

  /** Milliseconds since it last looked for an import, or stored a part of one. */
  get progressAge(): number {
    return performance.now() - this.progressAt;
  }

  /** Nothing new begins, and the current import is left to another worker after its chunk. */
  async onModuleDestroy(): Promise<void> {
    this.stopping = true;
    this.runner.stop();
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  /** @returns whether there was one */
  private async runNext(largest: number): Promise<boolean> {
    const id = this.stopping ? null : await claimNext(this.database, this.clock.now(), largest);
    this.progressed();
    if (id === null) return false;
    try {
      await this.runner.run(id, () => this.progressed());
      return true;
    } catch (error) {
      // For example the database was unreachable: the import is due again when its lease has expired.
      this.logger.error({ err: error, importId: id }, 'an import was interrupted');
      return false;
    }
  }

  private progressed(): void {
    this.progressAt = performance.now();
  }
}

/** The half of imports that does the work. Only the import process loads it. */
@Module({ imports: [ImportExportModule], providers: [ImportWorker] })
export class ImportsWorkerModule {}

/** Claimed and running imports have their `next_check_at` in the future. */
const CLAIM = `
UPDATE imports SET next_check_at = $2 WHERE id = (
  SELECT i.id FROM imports i
  WHERE i.next_check_at <= $1 AND i.size <= $3 AND NOT EXISTS (
    SELECT 1 FROM imports r WHERE r.account_id = i.account_id AND r.next_check_at > $1)
  ORDER BY (
    SELECT max(coalesce(s.finished_at, s.started_at)) FROM imports s WHERE s.account_id = i.account_id
  ) NULLS FIRST, i.created_at, i.id
  LIMIT 1 FOR UPDATE OF i SKIP LOCKED
) RETURNING id`;
