import { Any, type EntityManager } from 'typeorm';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { query, type Slice, sql } from '../../platform/database/sql';
import { LIMITS } from '../../platform/limits/limits';
import { storable } from '../../platform/text/text.rules';
import { findPage } from './import.queries';
import { MOST_REPORT_ENTRIES, type ReportKind, SAMPLE } from './import.rules';
import type {
  Found,
  GroupedNote,
  ImportGroup,
  ImportQuiz,
  ImportReportEntry,
  SampleWithLanguage,
} from './imports.dto';

/** SQL of an import's report: its entries, the groups of its files, and the quizzes it created or added to. */

/** Without a path the line is enough. */
type NewReportEntry = Omit<ImportReportEntry, 'path'> & { path?: string | null };

/**
 * Appends to a report while there is room for entries of their kind: many notes do not displace errors. Quotations and
 * names from a file may contain characters that PostgreSQL does not store.
 */
export async function insertReportEntries(
  tx: EntityManager,
  importId: string,
  entries: readonly NewReportEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const rows = JSON.stringify(entries, (_, value: unknown) =>
    typeof value === 'string' ? storable(value) : value,
  );
  await query(
    tx,
    sql`
WITH kept AS (
  SELECT kind, max(number) AS last, count(*) AS count, sum(octet_length(message || file || coalesce(path, ''))) AS bytes
  FROM import_report_entries WHERE import_id = ${importId} GROUP BY kind
), added AS (
  SELECT r.*, (SELECT coalesce(max(last), 0) FROM kept) + place AS number,
    coalesce(k.count, 0) + count(*) OVER w AS count,
    coalesce(k.bytes, 0) + sum(octet_length(message || file || coalesce(path, ''))) OVER w AS bytes
  FROM ROWS FROM (jsonb_to_recordset(${rows}::jsonb) AS (kind text, file text, line int, path text, message text))
    WITH ORDINALITY AS r (kind, file, line, path, message, place) LEFT JOIN kept k USING (kind)
  WINDOW w AS (PARTITION BY kind ORDER BY place)
)
INSERT INTO import_report_entries (import_id, number, kind, file, line, path, message)
SELECT ${importId}::uuid, number, kind, file, line, path, message FROM added
WHERE count <= ${MOST_REPORT_ENTRIES} AND bytes <= ${LIMITS.imports.reportBytes.value}`,
  );
}

/** Rows that cannot be imported any more after the file was read. */
export async function recordLeftOut(
  tx: EntityManager,
  importId: string,
  kind: 'duplicate' | 'error',
  rows: readonly { group_key: string; line: number; message: string }[],
): Promise<void> {
  const count = kind === 'duplicate' ? sql`duplicates` : sql`errors`;
  await query(
    tx,
    sql`UPDATE imports SET importable = importable - ${rows.length}, ${count} = ${count} + ${rows.length}
        WHERE id = ${importId}`,
  );
  const keys = rows.map(({ group_key }) => group_key);
  const files = await query<{ key: string; file: string }[]>(
    tx,
    sql`SELECT key, file FROM import_groups WHERE import_id = ${importId} AND key = ANY (${keys}::uuid[])`,
  );
  const fileOf = new Map(files.map(({ key, file }) => [key, file]));
  await insertReportEntries(
    tx,
    importId,
    rows.map(({ group_key, line, message }) => ({
      kind,
      file: fileOf.get(group_key) ?? '',
      line,
      message,
    })),
  );
}

/** Kind by kind, each in the order of the file. @param kinds only these */
export function findReportEntries(
  database: EntityManager,
  importId: string,
  { kinds, ...page }: Slice & { kinds: readonly ReportKind[] },
): Promise<Found<ImportReportEntry>> {
  return findPage<ImportReportEntry>(database, page, {
    select: sql`kind, file, line, path, message`,
    from: sql`import_report_entries WHERE import_id = ${importId} AND kind = ANY (${kinds}::text[])`,
    order: sql`array_position(${kinds}::text[], kind), number`,
  });
}

/** Different notes that are listed, and lines that each is about. */
const LISTED_NOTES = 100;
const LINES_OF_A_NOTE = 10;

/** Equal notes, with the first lines that they are about. */
export const findNotes = (database: EntityManager, importId: string) =>
  query<GroupedNote[]>(
    database,
    sql`SELECT message, count(*)::int AS count, (array_agg(line ORDER BY number))[1:${LINES_OF_A_NOTE}] AS lines
        FROM import_report_entries WHERE import_id = ${importId} AND kind = 'note'
        GROUP BY message ORDER BY min(number) LIMIT ${LISTED_NOTES}`,
  );

/** The lines in which rows begin, and how many rows begin there. */
export const findRowLines = (database: EntityManager, importId: string) =>
  query<{ line: number; rows: number }[]>(
    database,
    sql`SELECT line, count(*)::int AS rows FROM (
          SELECT line FROM import_questions WHERE import_id = ${importId}
          UNION ALL SELECT line FROM import_report_entries
          WHERE import_id = ${importId} AND kind IN ('error', 'duplicate')
        ) r GROUP BY line ORDER BY line`,
  );

/** The first questions that a preview would import. */
export const findSample = (database: EntityManager, importId: string) =>
  query<SampleWithLanguage[]>(
    database,
    sql`SELECT s.text, s.type, s.difficulty, s.format, s.explanation, s.answers, g.quiz->>'language' AS language
        FROM import_questions q JOIN import_groups g ON g.import_id = q.import_id AND g.key = q.group_key,
          jsonb_to_record(q.question) AS s (text text, type text, difficulty text, format text, explanation text, answers jsonb)
        WHERE q.import_id = ${importId} ORDER BY q.number LIMIT ${SAMPLE}`,
  );

/** The groups of the files, in their order. */
export const findGroups = (database: EntityManager, importId: string, limit: number) =>
  query<ImportGroup[]>(
    database,
    sql`SELECT file, quiz->>'title' AS title, quiz->>'category' AS category, quiz->>'name' AS name, rows, imported
        FROM import_groups WHERE import_id = ${importId} ORDER BY number, key LIMIT ${limit}`,
  );

/** Whether some questions of the files name neither a title nor a category. */
export async function hasUntitled(database: EntityManager, importId: string): Promise<boolean> {
  const [found] = await query<{ isUntitled: boolean }[]>(
    database,
    sql`SELECT EXISTS (SELECT FROM import_groups WHERE import_id = ${importId}
          AND coalesce(quiz->>'title', '') = '' AND coalesce(quiz->>'category', '') = '') AS "isUntitled"`,
  );
  return found?.isUntitled ?? false;
}

/**
 * Records the quizzes that got questions, in the same transaction: the report stays correct after a kill.
 * @param place `number`: where the first of the questions stands in the file; `ids`: the added questions, if the quiz
 * existed before
 */
export async function recordQuiz(
  tx: EntityManager,
  importId: string,
  quizId: string,
  { number, questions, ids }: { number: number; questions: number; ids: string[] },
): Promise<void> {
  const { title, slug } = await tx
    .getRepository(Quiz)
    .findOneOrFail({ select: { title: true, slug: true }, where: { id: quizId } });
  await query(
    tx,
    sql`INSERT INTO import_quizzes AS q (import_id, quiz_id, number, title, slug, questions, question_ids)
     VALUES (${importId}, ${quizId}, ${number}, ${title}, ${slug}, ${questions}, ${ids})
     ON CONFLICT (import_id, quiz_id) DO UPDATE
       SET questions = q.questions + excluded.questions, question_ids = q.question_ids || excluded.question_ids`,
  );
}

/** In the order of the file. */
export async function findImportQuizzes(
  database: EntityManager,
  importId: string,
  page: Slice,
): Promise<Found<ImportQuiz>> {
  const { rows, total } = await findPage<ImportQuiz>(database, page, {
    select: sql`quiz_id AS id, title, slug, questions`,
    from: sql`import_quizzes WHERE import_id = ${importId}`,
    order: sql`number, quiz_id`,
  });
  // By the entity, which is catalog's, instead of a join with its table.
  const left = await database
    .getRepository(Quiz)
    .find({ select: { id: true }, where: { id: Any(rows.map(({ id }) => id)) } });
  const ids = new Set(left.map(({ id }) => id));
  return { rows: rows.map((quiz) => ({ ...quiz, deleted: !ids.has(quiz.id) })), total };
}
