import type { EntityManager } from 'typeorm';
import { storable } from '../../platform/text/text.rules';
import { MOST_REPORT_ENTRIES, REPORT_KINDS, type ReportEntry, type ReportKind } from './import';

/** SQL of the table `import_report_entries`: the report of an import. */

/** Adds to the end of a report. What its sentences quote of a file may be anything. */
export async function insertReportEntries(
  tx: EntityManager,
  importId: string,
  entries: readonly Omit<ReportEntry, 'path'>[],
): Promise<void> {
  await tx.query(
    `INSERT INTO import_report_entries (import_id, number, kind, file, line, path, message)
     SELECT $1, last + place, kind, file, line, path, message
     FROM ROWS FROM (jsonb_to_recordset($2::jsonb) AS (kind text, file text, line int, path text, message text))
       WITH ORDINALITY AS r (kind, file, line, path, message, place),
       (SELECT coalesce(max(number), 0) AS last FROM import_report_entries WHERE import_id = $1) AS l`,
    [
      importId,
      JSON.stringify(entries.map((entry) => ({ ...entry, message: storable(entry.message) }))),
    ],
  );
}

/** Rows that the account has had from elsewhere since the file was read: they are duplicates like the others. */
export async function noteLateDuplicates(
  tx: EntityManager,
  importId: string,
  rows: readonly { group_key: string; line: number; message: string }[],
): Promise<void> {
  await tx.query(
    `UPDATE imports SET importable = importable - $2, duplicates = duplicates + $2 WHERE id = $1`,
    [importId, rows.length],
  );
  const files = await tx.query<{ key: string; file: string }[]>(
    `SELECT key, file FROM import_groups WHERE import_id = $1 AND key = ANY ($2::uuid[])`,
    [importId, rows.map(({ group_key }) => group_key)],
  );
  const [kept] = await tx.query<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM import_report_entries WHERE import_id = $1 AND kind = 'duplicate'`,
    [importId],
  );
  const fileOf = new Map(files.map(({ key, file }) => [key, file]));
  await insertReportEntries(
    tx,
    importId,
    rows
      .slice(0, Math.max(MOST_REPORT_ENTRIES - kept.count, 0))
      .map(({ group_key, line, message }) => ({
        kind: 'duplicate' as const,
        file: fileOf.get(group_key) ?? '',
        line,
        message,
      })),
  );
}

/** Kind by kind, each in the order of the file. @param kind only these */
export async function findReportEntries(
  database: EntityManager,
  id: string,
  { limit, offset, kind }: { limit: number; offset: number; kind?: ReportKind | undefined },
): Promise<{ entries: ReportEntry[]; total: number }> {
  const kinds = kind ? [kind] : [...REPORT_KINDS];
  const [counted] = await database.query<[{ total: number }]>(
    `SELECT count(*)::int AS total FROM import_report_entries WHERE import_id = $1 AND kind = ANY ($2::text[])`,
    [id, kinds],
  );
  const entries = await database.query<ReportEntry[]>(
    `SELECT kind, file, line, path, message FROM import_report_entries
     WHERE import_id = $1 AND kind = ANY ($2::text[])
     ORDER BY array_position($2::text[], kind), number LIMIT $3 OFFSET $4`,
    [id, kinds, limit, Math.min(offset, counted.total)],
  );
  return { entries, total: counted.total };
}
