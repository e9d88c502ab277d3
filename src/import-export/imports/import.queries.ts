import { randomUUID } from 'node:crypto';
import { type DataSource, type EntityManager, In } from 'typeorm';
import type { Scope } from '../../access/accounts/scope.rules';
import type { DomainEvents } from '../../events/domain-events';
import { literal, query, type Slice, type Sql, sql } from '../../platform/database/sql';
import { Conflict } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { newId } from '../../platform/text/ids';
import { storable } from '../../platform/text/text.rules';
import { Import } from './import.entity';
import { type ImportState, QUIZ_SIZE, UNDER_WAY } from './import.rules';
import type { Found, ImportOptions, ImportView, ListedImport } from './imports.dto';

/** SQL of the table `imports`. */

/** Milliseconds without progress after which an import is queued again. That does nothing while its job exists. */
const QUEUED_AGAIN_AFTER = 15_000;

/** An import that a process runs. `token` changes when another process takes it over. */
export interface RunningImport extends ImportView {
  accountId: string;
  token: string;
  scopes: Scope[] | null;
}

/** Whether it continues an import that has made something. */
export const hasWritten = ({ totals }: RunningImport): boolean =>
  totals.imported > 0 || totals.quizzes > 0;

/** The import was cancelled, or another process has taken it over: this one must not write any more. */
export class NotRunning extends Error {}

const IMPORT_COLUMNS = sql`
id, state, dry_run AS "dryRun", file_name AS filename, format, size::float8 AS size, quiz_id AS "quizId",
options->>'difficulty' AS difficulty, (options->>'published')::boolean AS published,
options->>'source' AS source, options->>'licence' AS licence,
options->'columns' AS read, options->>'cards' AS cards, columns,
options->>'title' AS title, options->>'category' AS category,
coalesce((options->>'quizSize')::int, ${literal(QUIZ_SIZE)}) AS "quizSize",
floor(100 * CASE WHEN state = 'completed' THEN 1
  WHEN checked_at IS NULL THEN least(read::float8 / greatest(size, 1), 1) / CASE WHEN dry_run THEN 1 ELSE 2 END
  ELSE 0.5 + 0.5 * imported / greatest(importable, 1) END)::int AS progress,
json_build_object('rows', rows, 'importable', importable, 'imported', imported, 'quizzes', quizzes,
  'duplicates', duplicates, 'errors', errors, 'notes', notes) AS totals,
error, created_at AS "createdAt", started_at AS "startedAt", finished_at AS "finishedAt",
checked_at IS NOT NULL AS checked, content_bytes::float8 AS "contentBytes", dry_run AND state = 'completed' AND stored AS startable,
dry_run AND state IN ('completed', 'failed') AND stored AS changeable,
dry_run AND coalesce((options->>'startsOnceRead')::boolean, false) AS "startsOnceRead"`;
const JOB_COLUMNS = sql`${IMPORT_COLUMNS}, account_id AS "accountId", token, options->'scopes' AS scopes`;

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
    const { affected } = await tx.update(
      Import,
      { id, token, state: 'running' },
      { progressAt: now, nextCheckAt: queueAgainAt(now) },
    );
    if (affected !== 1) throw new NotRunning();
    return work(tx);
  });
}

export const queueAgainAt = (now: Date) => new Date(now.getTime() + QUEUED_AGAIN_AFTER);

/** PostgreSQL's channel for imports that are due; a worker listens. */
export const IMPORTS_CHANNEL = 'quiz_imports';

/** Lets a worker begin to run an import after the commit. */
export async function queueNow(tx: EntityManager, id: string, now: Date): Promise<void> {
  await tx.update(Import, { id, state: 'waiting' }, { nextCheckAt: now });
  await notifyWorkers(tx);
}

/** After the commit, a worker looks for imports that are due. */
const notifyWorkers = (database: DataSource | EntityManager): Promise<unknown> =>
  query(database, sql`SELECT pg_notify(${IMPORTS_CHANNEL}, '')`);

/**
 * Makes an import of a preview, with the rights of the account and not of the key that sent the file.
 * @returns whether there was such a preview
 */
export async function startPreview(
  tx: EntityManager,
  id: string,
  published: boolean,
  now: Date,
): Promise<boolean> {
  const [, started] = await query<[unknown[], number]>(
    tx,
    sql`UPDATE imports SET dry_run = false, state = 'waiting', quizzes = 0, tries = 0, finished_at = NULL,
          next_check_at = ${now}, options = options - 'scopes' || jsonb_build_object('published', ${published}::boolean)
        WHERE id = ${id} AND dry_run AND state = 'completed' AND stored`,
  );
  if (started === 1) await notifyWorkers(tx);
  return started === 1;
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
    if (alone && (await isBusyLocked(tx, id, new Date(now.getTime() - QUEUED_AGAIN_AFTER))))
      return 'busy';
    const [[job]] = await query<[RunningImport[], number]>(
      tx,
      sql`UPDATE imports SET state = 'running', token = gen_random_uuid(), progress_at = ${now},
            next_check_at = ${queueAgainAt(now)}, started_at = coalesce(started_at, ${now})
          WHERE id = ${id} AND state IN ('waiting', 'running') AND (stored OR checked_at IS NOT NULL)
          RETURNING ${JOB_COLUMNS}`,
    );
    return job ?? null;
  });
}

/**
 * Whether another import of its account runs. Two that begin at once would both see none, hence the lock, which a statement
 * of its own takes: a statement sees what was committed before it began, also if it then waits for a lock.
 */
async function isBusyLocked(tx: EntityManager, id: string, since: Date): Promise<boolean> {
  await query(
    tx,
    sql`SELECT pg_advisory_xact_lock(hashtextextended(account_id::text, 0)) FROM imports WHERE id = ${id}`,
  );
  const [found] = await query<{ isBusy: boolean }[]>(
    tx,
    sql`SELECT EXISTS (
          SELECT FROM imports
          WHERE account_id = (SELECT account_id FROM imports WHERE id = ${id})
            AND id <> ${id} AND state = 'running' AND progress_at > ${since}
        ) AS "isBusy"`,
  );
  return found?.isBusy ?? false;
}

interface FailedImport {
  tries: number;
  deaths: number;
  /** Whether it has made something. */
  hasWritten: boolean;
  format: string | null;
  /** Whether its files were read completely. */
  checked: boolean;
}

/**
 * Notes that an import failed without progress.
 * @param died whether its process ended, as it does when a file takes too much memory
 */
export async function noteFailure(
  database: EntityManager,
  id: string,
  died: boolean,
): Promise<FailedImport | null> {
  const [[failed]] = await query<[FailedImport[], number]>(
    database,
    sql`UPDATE imports SET tries = tries + 1, deaths = deaths + ${Number(died)} WHERE id = ${id} AND state = 'running'
        RETURNING tries, deaths, imported + quizzes > 0 AS "hasWritten", format, checked_at IS NOT NULL AS checked`,
  );
  return failed ?? null;
}

const IS_UNDER_WAY = sql`state = ANY (${UNDER_WAY}::text[])`;
/** Whether it can be started, or read again with other options. */
const IS_READ_PREVIEW = sql`(dry_run AND state IN ('completed', 'failed') AND stored)`;

/** Before another upload, under the account's lock. @throws Conflict if too many are in progress */
export async function makeRoom(tx: EntityManager, accountId: string): Promise<void> {
  const count = await tx.countBy(Import, { accountId, state: In(UNDER_WAY) });
  if (count >= LIMITS.imports.underWay.value)
    throw new Conflict(
      `Your account already has ${count} imports running. Wait until one has ended, or cancel one.`,
      'too-many-imports',
    );
  // Their reports stay; `stored` shows that there is nothing left to start. The conditions stand twice: PostgreSQL checks
  // those of the UPDATE again where it has waited for whoever starts the preview.
  await query(
    tx,
    sql`WITH old AS (
       UPDATE imports SET stored = false
       WHERE ${IS_READ_PREVIEW} AND id IN (
         SELECT id FROM imports WHERE account_id = ${accountId} AND ${IS_READ_PREVIEW}
         ORDER BY id DESC OFFSET ${LIMITS.imports.previews.value - 1})
       RETURNING id
     ), dropped AS (
       DELETE FROM import_questions q USING old WHERE q.import_id = old.id
     ) DELETE FROM import_chunks c USING old WHERE c.import_id = old.id`,
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
  await query(
    tx,
    sql`DELETE FROM imports WHERE id IN (
          SELECT id FROM imports WHERE account_id = ${accountId}
          ORDER BY ${IS_UNDER_WAY} DESC, id DESC OFFSET ${LIMITS.imports.stored.value - 1})
          AND NOT ${IS_UNDER_WAY}`,
  );
  const isLocal = size !== undefined;
  const startedAt = isLocal ? now : null;
  const [job] = await query<[RunningImport]>(
    tx,
    sql`INSERT INTO imports (id, account_id, state, dry_run, quiz_id, file_name, format, options, stored, size,
          created_at, started_at, progress_at, token, next_check_at)
        VALUES (${newId()}, ${accountId}, ${isLocal ? 'running' : 'receiving'}, ${dryRun}, ${quizId ?? null},
          ${fileName}, ${format ?? null}, ${JSON.stringify(options)}, ${!isLocal}, ${size ?? 0}, ${now}, ${startedAt},
          ${startedAt}, ${isLocal ? randomUUID() : null}, ${isLocal ? queueAgainAt(now) : null})
        RETURNING ${JOB_COLUMNS}`,
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
  const reason = error === undefined ? null : storable(error);
  const [[ended]] = await query<[EndedImport[], number]>(
    tx,
    sql`UPDATE imports SET state = ${state}, error = ${reason}, token = NULL, next_check_at = NULL, finished_at = ${now}
        WHERE id = ${id} RETURNING account_id AS "accountId", file_name AS filename, imported, errors, dry_run AS "dryRun"`,
  );
  if (ended && !ended.dryRun && state !== 'cancelled')
    await events.emit(tx, 'import.ended', ended.accountId, {
      importId: id,
      filename: ended.filename,
      state,
      error: reason,
      imported: ended.imported,
      errors: ended.errors,
    });
  const isDone = sql`i.id = ${id} AND t.import_id = i.id AND NOT (${isPreview}::boolean AND i.dry_run AND i.stored)`;
  await query(tx, sql`DELETE FROM import_chunks t USING imports i WHERE ${isDone}`);
  await query(tx, sql`DELETE FROM import_questions t USING imports i WHERE ${isDone}`);
}

/** Notes why no more questions of an archive are written: its results follow, also after a kill. */
export async function noteStop(tx: EntityManager, id: string, reason: string): Promise<void> {
  await query(
    tx,
    sql`UPDATE imports SET options = options || jsonb_build_object('stopped', ${storable(reason)}::text) WHERE id = ${id}`,
  );
  await query(tx, sql`DELETE FROM import_questions WHERE import_id = ${id}`);
}

/** @returns what `noteStop` has noted */
export async function findStop(database: EntityManager, id: string): Promise<string | null> {
  const [found] = await query<{ stopped: string | null }[]>(
    database,
    sql`SELECT options->>'stopped' AS stopped FROM imports WHERE id = ${id}`,
  );
  return found?.stopped ?? null;
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
  const [found] = await query<ImportView[]>(
    database,
    sql`SELECT ${IMPORT_COLUMNS} FROM imports WHERE id = ${id} AND account_id = ${accountId}`,
  );
  return found ?? null;
}

/** Newest first. */
export const findImports = (database: EntityManager, accountId: string, page: Slice) =>
  findPage<ImportView>(database, page, {
    select: IMPORT_COLUMNS,
    from: sql`imports WHERE account_id = ${accountId}`,
    order: sql`id DESC`,
  });

/** The same without previews that have expired. */
export const findCurrentImports = (database: EntityManager, accountId: string, page: Slice) =>
  findPage<ListedImport>(database, page, {
    select: sql`${IMPORT_COLUMNS}, (
      SELECT jsonb_strip_nulls(jsonb_build_object('text', question->'text', 'format', question->'format')) FROM import_questions q WHERE dry_run AND q.import_id = imports.id ORDER BY number LIMIT 1
    ) AS "firstQuestion"`,
    from: sql`imports WHERE account_id = ${accountId}
      AND NOT (dry_run AND NOT stored AND state IN ('completed', 'failed', 'cancelled', 'stopped'))`,
    order: sql`id DESC`,
  });

/** A page of rows, and how many there are. */
export async function findPage<Row>(
  database: EntityManager,
  { limit, offset }: Slice,
  { select, from, order }: { select: Sql; from: Sql; order: Sql },
): Promise<Found<Row>> {
  const [{ total }] = await query<[{ total: number }]>(
    database,
    sql`SELECT count(*)::int AS total FROM ${from}`,
  );
  const rows = await query<Row[]>(
    database,
    sql`SELECT ${select} FROM ${from} ORDER BY ${order} LIMIT ${limit} OFFSET ${Math.min(offset, total)}`,
  );
  return { rows, total };
}

/** Notes that the file was read. @returns the questions to import */
export async function noteRead(
  tx: EntityManager,
  id: string,
  checkedAt: Date | null,
): Promise<number> {
  const [[{ importable }]] = await query<[[{ importable: number }], number]>(
    tx,
    sql`UPDATE imports SET checked_at = ${checkedAt}, read = size WHERE id = ${id} RETURNING importable`,
  );
  return importable;
}

/** Deletes the files and questions of previews that ended before a time; their reports stay. */
export const expirePreviews = (database: DataSource, before: Date): Promise<unknown> =>
  query(
    database,
    sql`WITH old AS (
          UPDATE imports SET stored = false
          WHERE ${IS_READ_PREVIEW} AND finished_at < ${before} RETURNING id
        ), files AS (
          DELETE FROM import_chunks c USING old WHERE c.import_id = old.id
        ) DELETE FROM import_questions q USING old WHERE q.import_id = old.id`,
  );

/** Deletes some imports that ended and were created before a time. */
export const deleteOldImports = (database: DataSource, before: Date): Promise<unknown> =>
  query(
    database,
    sql`DELETE FROM imports WHERE id IN (
          SELECT id FROM imports WHERE created_at < ${before} AND next_check_at IS NULL LIMIT 100)`,
  );

export interface DueImport {
  id: string;
  size: number;
  dryRun: boolean;
  /** How many imports its account has under way, this one included. */
  place: number;
}

/** An import is due once, and again when it makes no progress: its job may be lost. */
export async function takeDueImports(
  database: DataSource,
  now: Date,
  limit: number,
): Promise<DueImport[]> {
  const [due] = await query<[DueImport[], number]>(
    database,
    sql`UPDATE imports i SET next_check_at = ${queueAgainAt(now)}
        WHERE id IN (
          SELECT id FROM imports
          WHERE next_check_at <= ${now} AND (stored OR checked_at IS NOT NULL)
          ORDER BY next_check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        RETURNING id, size::float8 AS size, dry_run AS "dryRun", (
          SELECT count(*)::int FROM imports o
          WHERE o.account_id = i.account_id AND o.next_check_at IS NOT NULL AND o.id <= i.id) AS place`,
  );
  return due;
}

/** How many imports wait and run. */
export interface ImportCounts {
  waiting: number;
  running: number;
  /** Those that run and make no progress. */
  stalled: number;
  /** Since the one that waits the longest arrived; 0 if none waits. */
  oldestSeconds: number;
}

/** Seconds without progress. A hostile file may be read for a while without yielding a row. */
const STALLED_AFTER = 60;

export async function countImports(database: DataSource): Promise<ImportCounts> {
  const [counts] = await query<[ImportCounts]>(
    database,
    sql`SELECT count(*) FILTER (WHERE state = 'waiting')::int AS waiting,
          count(*) FILTER (WHERE state = 'running')::int AS running,
          count(*) FILTER (WHERE state = 'running' AND progress_at < now() - make_interval(secs => ${STALLED_AFTER}))::int AS stalled,
          coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE state = 'waiting')), 0)::float8 AS "oldestSeconds"
        FROM imports WHERE next_check_at IS NOT NULL`,
  );
  return counts;
}
