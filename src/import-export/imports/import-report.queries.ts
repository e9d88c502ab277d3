import { In, type EntityManager } from 'typeorm';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { storable } from '../../platform/text/text.rules';
import {
  MOST_REPORT_ENTRIES,
  REPORT_KINDS,
  type ImportQuiz,
  type ReportEntry,
  type ReportKind,
} from './import';

/** SQL of the report of an import: `import_report_entries`, and the quizzes it created or added to, `import_quizzes`. */

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

/**
 * Notes that a quiz got questions, in the transaction that gives them: after a kill the report is as true as the quiz.
 * @param number of the first of them in the file
 */
export async function noteQuiz(
  tx: EntityManager,
  importId: string,
  quizId: string,
  { number, questions }: { number: number; questions: number },
): Promise<void> {
  const { title, slug } = await tx
    .getRepository(Quiz)
    .findOneOrFail({ select: { title: true, slug: true }, where: { id: quizId } });
  await tx.query(
    `INSERT INTO import_quizzes AS q (import_id, quiz_id, number, title, slug, questions)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (import_id, quiz_id) DO UPDATE SET questions = q.questions + excluded.questions`,
    [importId, quizId, number, title, slug, questions],
  );
}

/** In the order of the file. */
export async function findImportQuizzes(
  database: EntityManager,
  importId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ quizzes: ImportQuiz[]; total: number }> {
  const [counted] = await database.query<[{ total: number }]>(
    `SELECT count(*)::int AS total FROM import_quizzes WHERE import_id = $1`,
    [importId],
  );
  const noted = await database.query<Omit<ImportQuiz, 'deleted'>[]>(
    `SELECT quiz_id AS id, title, slug, questions FROM import_quizzes WHERE import_id = $1
     ORDER BY number, quiz_id LIMIT $2 OFFSET $3`,
    [importId, limit, Math.min(offset, counted.total)],
  );
  const left = await database
    .getRepository(Quiz)
    .find({ select: { id: true }, where: { id: In(noted.map(({ id }) => id)) } });
  const ids = new Set(left.map(({ id }) => id));
  const quizzes = noted.map((quiz) => ({ ...quiz, deleted: !ids.has(quiz.id) }));
  return { quizzes, total: counted.total };
}
