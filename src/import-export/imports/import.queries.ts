import { randomUUID } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import { Conflict } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { newId } from '../../platform/text/ids';
import type { Scope } from '../../access/accounts/scope.rules';
import type { DomainEvents } from '../../events/domain-events';
import { storable } from '../../platform/text/text.rules';
import {
  QUIZ_SIZE,
  type Found,
  type ImportOptions,
  type ImportState,
  type ImportView,
  type Page,
} from './import';

/** SQL of the table `imports`. */

/** A process renews its lease within this time, or another worker continues the import. Milliseconds. */
export const LEASE = 15_000;

/** An import, with the right to continue it: the token of its lease. */
export interface ImportJob extends ImportView {
  accountId: string;
  token: string;
  scopes: Scope[] | null;
}

/** The lease is gone: the import was cancelled, or another worker has it. */
export class LeaseLost extends Error {}

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

/** Works in a transaction that first renews the lease. @throws LeaseLost */
export function underLease<T>(
  database: DataSource,
  { id, token }: Pick<ImportJob, 'id' | 'token'>,
  now: Date,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  const until = new Date(now.getTime() + LEASE);
  return database.transaction(async (tx) => {
    const [, count] = await tx.query<[unknown[], number]>(
      `UPDATE imports SET leased_until = $3, next_check_at = $3 WHERE id = $1 AND token = $2 AND state = 'running'`,
      [id, token, until],
    );
    if (count !== 1) throw new LeaseLost();
    return work(tx);
  });
}

/** `isOrphan`: the process that had the import died. */
type TakenImport = ImportJob & { tries: number; isOrphan: boolean };

/** Claims an import. @returns null if another process has it, or there is nothing to do */
export async function takeImport(
  database: EntityManager,
  id: string,
  now: Date,
): Promise<TakenImport | null> {
  const [[job]] = await database.query<[TakenImport[], number]>(
    `WITH before AS (SELECT token IS NOT NULL AS orphan FROM imports WHERE id = $1 FOR UPDATE)
     UPDATE imports SET state = 'running', token = gen_random_uuid(), leased_until = $3, next_check_at = $3,
       started_at = coalesce(started_at, $2), tries = tries + 1
     FROM before WHERE id = $1 AND state IN ('waiting', 'running') AND (leased_until IS NULL OR leased_until <= $2)
       AND (stored OR checked_at IS NOT NULL)
     RETURNING tries, orphan AS "isOrphan", ${JOB_COLUMNS}`,
    [id, now, new Date(now.getTime() + LEASE)],
  );
  return job ?? null;
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
      `${under.count} imports of your account are under way. Wait until one has ended, or cancel one.`,
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
 * @param size of files on this machine: whoever inserts the import reads them, under the lease that it gets
 */
export async function insertImport(
  tx: EntityManager,
  accountId: string,
  fileName: string,
  { dryRun, quizId, format, ...options }: ImportOptions,
  now: Date,
  size?: number,
): Promise<ImportJob> {
  await tx.query(
    `DELETE FROM imports WHERE id IN (
       SELECT id FROM imports WHERE account_id = $1
       ORDER BY state IN ('receiving', 'waiting', 'running') DESC, id DESC OFFSET $2)`,
    [accountId, LIMITS.imports.stored.value - 1],
  );
  const isLocal = size !== undefined;
  const until = isLocal ? new Date(now.getTime() + LEASE) : null;
  const [job] = await tx.query<[ImportJob]>(
    `INSERT INTO imports (id, account_id, state, dry_run, quiz_id, file_name, format, options, stored, size,
       created_at, started_at, token, leased_until, next_check_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14) RETURNING ${JOB_COLUMNS}`,
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
      until,
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
    `UPDATE imports SET state = $2, error = $3, token = NULL, leased_until = NULL, next_check_at = NULL, finished_at = $4
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
export const findImports = (database: EntityManager, accountId: string, page: Page) =>
  findPage<ImportView>(database, page, [accountId], {
    select: IMPORT_COLUMNS,
    from: 'imports WHERE account_id = $1',
    order: 'id DESC',
  });

/** A page of rows, and how many there are. */
export async function findPage<Row>(
  database: EntityManager,
  { limit, offset }: Page,
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
