import type { EntityManager } from 'typeorm';
import { LIMITS } from '../../platform/limits/limits';
import { storable } from '../../platform/text/text.rules';
import type { ImportGroup, ImportView } from './import';

/** SQL of the table `imports` that several services share. */

/** Whoever runs an import says so again within this time, or another worker goes on with it. Milliseconds. */
export const LEASE = 15_000;

/** A worker's right to go on with an import. */
export interface ImportLease {
  id: string;
  token: string;
}

export const IMPORT_COLUMNS = `
id, account_id AS "accountId", state, dry_run AS "dryRun", quiz_id AS "quizId", file_name AS "fileName", format,
size::float8 AS size, options, checked_at IS NOT NULL AS checked,
dry_run AND state = 'completed' AND stored AS startable,
CASE WHEN state = 'completed' THEN 1
  WHEN checked_at IS NULL THEN least(read::float8 / greatest(size, 1), 1) / CASE WHEN dry_run THEN 1 ELSE 2 END
  ELSE 0.5 + 0.5 * imported / greatest(importable, 1) END AS progress,
rows, importable, duplicates, near_duplicates AS "similar", errors, notes, imported, quizzes, error,
created_at AS "createdAt", started_at AS "startedAt", finished_at AS "finishedAt"`;

/** Makes the lease longer. @returns false when it is no longer ours: cancelled, or in other hands */
export async function keepLease(
  tx: EntityManager,
  { id, token }: ImportLease,
  now: Date,
): Promise<boolean> {
  const until = new Date(now.getTime() + LEASE);
  const [, count] = await tx.query<[unknown[], number]>(
    `UPDATE imports SET leased_until = $3, next_check_at = $3 WHERE id = $1 AND token = $2 AND state = 'running'`,
    [id, token, until],
  );
  return count === 1;
}

/** Ends an import; what it kept for its work goes. A preview keeps its questions: it may be started. */
export async function endImport(
  tx: EntityManager,
  id: string,
  end: { state: ImportView['state']; error?: string; keepQuestions?: boolean },
  now: Date,
): Promise<void> {
  await tx.query(
    `UPDATE imports SET state = $2, error = $3, token = NULL, leased_until = NULL, next_check_at = NULL, finished_at = $4
     WHERE id = $1`,
    [id, end.state, end.error === undefined ? null : storable(end.error), now],
  );
  await tx.query(`DELETE FROM import_chunks WHERE import_id = $1`, [id]);
  await tx.query(
    `DELETE FROM import_questions q USING imports i
     WHERE i.id = $1 AND q.import_id = i.id AND NOT ($2 AND i.stored)`,
    [id, end.keepQuestions === true],
  );
}

/** Makes room for another import of the account among those that are kept. */
export async function deleteOldest(tx: EntityManager, accountId: string): Promise<void> {
  await tx.query(
    `DELETE FROM imports WHERE id IN (
       SELECT id FROM imports WHERE account_id = $1
       ORDER BY state IN ('receiving', 'waiting', 'running') DESC, id DESC OFFSET $2)`,
    [accountId, LIMITS.imports.stored.value - 1],
  );
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

export async function findImports(
  database: EntityManager,
  accountId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ imports: ImportView[]; total: number }> {
  const [counted] = await database.query<[{ total: number }]>(
    `SELECT count(*)::int AS total FROM imports WHERE account_id = $1`,
    [accountId],
  );
  const imports = await database.query<ImportView[]>(
    `SELECT ${IMPORT_COLUMNS} FROM imports WHERE account_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3`,
    [accountId, limit, Math.min(offset, counted.total)],
  );
  return { imports, total: counted.total };
}

export async function findGroups(
  database: EntityManager,
  id: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ groups: ImportGroup[]; total: number }> {
  const [counted] = await database.query<[{ total: number }]>(
    `SELECT count(*)::int AS total FROM import_groups WHERE import_id = $1`,
    [id],
  );
  const groups = await database.query<ImportGroup[]>(
    `SELECT file, quiz->>'title' AS title, quiz->>'category' AS category, quiz->>'name' AS name,
       rows, imported
     FROM import_groups WHERE import_id = $1 ORDER BY number, key LIMIT $2 OFFSET $3`,
    [id, limit, Math.min(offset, counted.total)],
  );
  return { groups, total: counted.total };
}
