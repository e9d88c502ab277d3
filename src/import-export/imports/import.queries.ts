import { randomUUID } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import type { Scope } from '../../access/accounts/scope.rules';
import type { DomainEvents } from '../../events/domain-events';
import type { Slice } from '../../platform/database/sql';
import { Conflict } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { newId } from '../../platform/text/ids';
import { storable } from '../../platform/text/text.rules';
import { type ImportState, QUIZ_SIZE } from './import.rules';
import type { Found, ImportOptions, ImportView } from './imports.dto';

/** SQL of the table `imports`. */

/** Milliseconds without progress after which an import is queued again. That does nothing while its job exists. */
const QUEUED_AGAIN_AFTER = 15_000;

/** An import that a process runs. `token` changes when another process takes it over. */
export interface RunningImport extends ImportView {
  accountId: string;
  token: string;
  scopes: Scope[] | null;
}

/** The import was cancelled, or another process has taken it over: this one must not write any more. */
export class NotRunning extends Error {}

const IMPORT_COLUMNS = `
id, state, dry_run AS "dryRun", file_name AS filename, format, size::float8 AS size, quiz_id AS "quizId",
options->>'difficulty' AS difficulty, (options->>'published')::boolean AS published,
options->>'source' AS source, options->>'licence' AS licence,
options->'columns' AS read, options->>'cards' AS cards, columns,
options->>'title' AS title, options->>'category' AS category,
coalesce((options->>'quizSize')::int, ${QUIZ_SIZE}) AS "quizSize",
floor(100 * CASE WHEN state = 'completed' THEN 1
  WHEN checked_at IS NULL THEN least(read::float8 / greatest(size, 1), 1) / CASE WHEN dry_run THEN 1 ELSE 2 END
  ELSE 0.5 + 0.5 * imported / greatest(importable, 1) END)::int AS progress,
json_build_object('rows', rows, 'importable', importable, 'imported', imported, 'quizzes', quizzes,
  'duplicates', duplicates, 'errors', errors, 'notes', notes) AS totals,
error, created_at AS "createdAt", started_at AS "startedAt", finished_at AS "finishedAt",
checked_at IS NOT NULL AS checked, content_bytes::float8 AS "contentBytes", dry_run AND state = 'completed' AND stored AS startable,
dry_run AND state IN ('completed', 'failed') AND stored AS changeable`;
const JOB_COLUMNS = `${IMPORT_COLUMNS}, account_id AS "accountId", token, options->'scopes' AS scopes`;

/**
 * Works in a transaction that no other process can have at the same time, and that records progress.
 * @throws NotRunning
 */
export function whileRunning<T>(
  database: DataSource,
  { id, token }: Pick<RunningImport, 'id' | 'token'>,
  now: Date,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  return database.transaction(async (tx) => {
    const [, count] = await tx.query<[unknown[], number]>(
      `UPDATE imports SET progress_at = $3, next_check_at = $4 WHERE id = $1 AND token = $2 AND state = 'running'`,
      [id, token, now, queueAgainAt(now)],
    );
    if (count !== 1) throw new NotRunning();
    return work(tx);
  });
}

export const queueAgainAt = (now: Date) => new Date(now.getTime() + QUEUED_AGAIN_AFTER);

/** PostgreSQL's channel for imports that are due; a worker listens. */
export const IMPORTS_CHANNEL = 'quiz_imports';

/** Lets a worker begin to run an import after the commit. */
export async function queueNow(tx: EntityManager, id: string, now: Date): Promise<void> {
  await tx.query(`UPDATE imports SET next_check_at = $2 WHERE id = $1 AND state = 'waiting'`, [
    id,
    now,
  ]);
  await tx.query(`NOTIFY ${IMPORTS_CHANNEL}`);
}

/**
 * Begins to run an import, or continues it after another process: that one can no longer write.
 * @param alone whether it waits while another import of its account runs
 * @returns null if there is nothing to do; `busy` if it waits
 */
export function takeImport(
  database: DataSource,
  id: string,
  now: Date,
  alone: boolean,
): Promise<RunningImport | 'busy' | null> {
  return database.transaction(async (tx) => {
    const found = await tx.query<{ isBusy: boolean }[]>(
      alone ? BUSY_LOCKED : 'SELECT false AS "isBusy"',
      alone ? [id, new Date(now.getTime() - QUEUED_AGAIN_AFTER)] : [],
    );
    if (found[0]?.isBusy) return 'busy';
    const [[job]] = await tx.query<[RunningImport[], number]>(
      `UPDATE imports SET state = 'running', token = gen_random_uuid(), progress_at = $2, next_check_at = $3,
         started_at = coalesce(started_at, $2)
       WHERE id = $1 AND state IN ('waiting', 'running') AND (stored OR checked_at IS NOT NULL)
       RETURNING ${JOB_COLUMNS}`,
      [id, now, queueAgainAt(now)],
    );
    return job ?? null;
  });
}

/** Two imports that begin at once would both see none that runs. */
const BUSY_LOCKED = `
WITH account AS MATERIALIZED (
  SELECT account_id AS id, pg_advisory_xact_lock(hashtextextended(account_id::text, 0)) FROM imports WHERE id = $1
)
SELECT EXISTS (
  SELECT FROM imports WHERE account_id = account.id AND id <> $1 AND state = 'running' AND progress_at > $2
) AS "isBusy" FROM account`;

/**
 * Notes that an import failed without progress.
 * @param died whether its process ended, as it does when a file takes too much memory
 */
export async function noteFailure(
  database: EntityManager,
  id: string,
  died: boolean,
): Promise<{ tries: number; deaths: number; checked: boolean; imported: number } | null> {
  const [[failed]] = await database.query<
    [{ tries: number; deaths: number; checked: boolean; imported: number }[], number]
  >(
    `UPDATE imports SET tries = tries + 1, deaths = deaths + $2 WHERE id = $1 AND state = 'running'
     RETURNING tries, deaths, imported, checked_at IS NOT NULL AS checked`,
    [id, Number(died)],
  );
  return failed ?? null;
}

/** Before another upload, under the account's lock. @throws Conflict if too many are in progress */
export async function makeRoom(tx: EntityManager, accountId: string): Promise<void> {
  const [under] = await tx.query<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM imports
     WHERE account_id = $1 AND state IN ('receiving', 'waiting', 'running')`,
    [accountId],
  );
  if (under.count >= LIMITS.imports.underWay.value)
    throw new Conflict(
      `Your account already has ${under.count} imports running. Wait until one has ended, or cancel one.`,
      'too-many-imports',
    );
  // Their reports stay; `stored` shows that there is nothing left to start.
  await tx.query(
    `WITH old AS (
       SELECT id FROM imports WHERE account_id = $1 AND dry_run AND state IN ('completed', 'failed') AND stored
       ORDER BY id DESC OFFSET $2
     ), dropped AS (
       DELETE FROM import_questions q USING old WHERE q.import_id = old.id
     ), files AS (
       DELETE FROM import_chunks c USING old WHERE c.import_id = old.id
     )
     UPDATE imports i SET stored = false FROM old WHERE i.id = old.id`,
    [accountId, LIMITS.imports.previews.value - 1],
  );
}

/**
 * Inserts an import, and deletes the account's oldest beyond the limit.
 * @param size of files on this machine: whoever inserts the import reads them
 */
export async function insertImport(
  tx: EntityManager,
  accountId: string,
  fileName: string,
  { dryRun, quizId, format, ...options }: ImportOptions,
  now: Date,
  size?: number,
): Promise<RunningImport> {
  await tx.query(
    `DELETE FROM imports WHERE id IN (
       SELECT id FROM imports WHERE account_id = $1
       ORDER BY state IN ('receiving', 'waiting', 'running') DESC, id DESC OFFSET $2)`,
    [accountId, LIMITS.imports.stored.value - 1],
  );
  const isLocal = size !== undefined;
  const [job] = await tx.query<[RunningImport]>(
    `INSERT INTO imports (id, account_id, state, dry_run, quiz_id, file_name, format, options, stored, size,
       created_at, started_at, progress_at, token, next_check_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $14) RETURNING ${JOB_COLUMNS}`,
    [
      newId(),
      accountId,
      isLocal ? 'running' : 'receiving',
      dryRun,
      quizId ?? null,
      fileName,
      format ?? null,
      JSON.stringify(options),
      !isLocal,
      size ?? 0,
      now,
      isLocal ? now : null,
      isLocal ? randomUUID() : null,
      isLocal ? queueAgainAt(now) : null,
    ],
  );
  return job;
}

/** Ends an import, emits import.ended and deletes its working data. A preview keeps its file and questions: it may be changed and started. */
export async function endImport(
  events: DomainEvents,
  tx: EntityManager,
  id: string,
  now: Date,
  state: ImportState,
  { error, isPreview = false }: { error?: string; isPreview?: boolean } = {},
): Promise<void> {
  const [[ended]] = await tx.query<[EndedImport[], number]>(
    `UPDATE imports SET state = $2, error = $3, token = NULL, next_check_at = NULL, finished_at = $4
     WHERE id = $1 RETURNING account_id AS "accountId", file_name AS filename, imported, errors, dry_run AS "dryRun"`,
    [id, state, error === undefined ? null : storable(error), now],
  );
  if (ended && !ended.dryRun && state !== 'cancelled')
    await events.emit(tx, 'import.ended', ended.accountId, {
      importId: id,
      filename: ended.filename,
      state,
      error: error === undefined ? null : storable(error),
      imported: ended.imported,
      errors: ended.errors,
    });
  for (const table of ['import_chunks', 'import_questions'])
    await tx.query(
      `DELETE FROM ${table} t USING imports i
       WHERE i.id = $1 AND t.import_id = i.id AND NOT ($2 AND i.dry_run AND i.stored)`,
      [id, isPreview],
    );
}

interface EndedImport {
  accountId: string;
  filename: string;
  imported: number;
  errors: number;
  dryRun: boolean;
}

export async function findImport(
  database: EntityManager,
  id: string,
  accountId: string,
): Promise<ImportView | null> {
  const [found] = await database.query<ImportView[]>(
    `SELECT ${IMPORT_COLUMNS} FROM imports WHERE id = $1 AND account_id = $2`,
    [id, accountId],
  );
  return found ?? null;
}

/** Newest first. */
export const findImports = (database: EntityManager, accountId: string, page: Slice) =>
  findPage<ImportView>(database, page, [accountId], {
    select: IMPORT_COLUMNS,
    from: 'imports WHERE account_id = $1',
    order: 'id DESC',
  });

/** A page of rows, and how many there are. */
export async function findPage<Row>(
  database: EntityManager,
  { limit, offset }: Slice,
  parameters: readonly unknown[],
  { select, from, order }: { select: string; from: string; order: string },
): Promise<Found<Row>> {
  const [{ total }] = await database.query<[{ total: number }]>(
    `SELECT count(*)::int AS total FROM ${from}`,
    parameters,
  );
  const next = parameters.length + 1;
  const rows = await database.query<Row[]>(
    `SELECT ${select} FROM ${from} ORDER BY ${order} LIMIT $${next} OFFSET $${next + 1}`,
    [...parameters, limit, Math.min(offset, total)],
  );
  return { rows, total };
}
