import type { EntityManager } from 'typeorm';
import type { QuestionToImport } from '../../../authoring/questions/batch-import.service';
import { query, sql } from '../../../platform/database/sql';
import type { GroupQuiz } from './file-rows';

/** SQL of what was read of an import's files and is not yet written: its questions and their groups. */

export interface StagedQuestion {
  number: number;
  group_key: string;
  line: number;
  question: QuestionToImport;
  fingerprint: string;
}

/** A row of a file with the group that it belongs to. */
export interface StagedRow extends StagedQuestion {
  file: string;
  quiz: GroupQuiz;
}

export interface Group {
  key: string;
  quiz: GroupQuiz;
  quiz_id: string | null;
  quiz_size: number;
  rows: number;
}

/** Deletes what an earlier reading of the files has staged and reported. */
export async function clearStaging(tx: EntityManager, importId: string): Promise<void> {
  await query(tx, sql`DELETE FROM import_questions WHERE import_id = ${importId}`);
  await query(tx, sql`DELETE FROM import_groups WHERE import_id = ${importId}`);
  await query(tx, sql`DELETE FROM import_report_entries WHERE import_id = ${importId}`);
}

/** Inserts questions and their groups in one statement. */
export const insertStaged = (
  tx: EntityManager,
  importId: string,
  rows: readonly StagedRow[],
): Promise<unknown> =>
  query(
    tx,
    sql`
WITH r AS (
  SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    AS r (number int, group_key uuid, file text, quiz jsonb, line int, question jsonb, fingerprint uuid)
), groups AS (
  INSERT INTO import_groups AS p (import_id, key, number, file, quiz, rows)
  SELECT ${importId}::uuid, group_key, min(number), min(file), (array_agg(quiz ORDER BY number))[1], count(*)
  FROM r GROUP BY group_key
  ON CONFLICT (import_id, key) DO UPDATE SET rows = p.rows + excluded.rows
)
INSERT INTO import_questions (import_id, number, group_key, line, question, fingerprint)
SELECT ${importId}::uuid, number, group_key, line, question, fingerprint FROM r`,
  );

/** What a batch of rows adds to the counts of its import. */
export interface BatchCounts {
  rows: number;
  importable: number;
  duplicates: number;
  errors: number;
  notes: number;
  contentBytes: number;
}

export const addCounts = (
  tx: EntityManager,
  importId: string,
  bytesRead: number,
  { rows, importable, duplicates, errors, notes, contentBytes }: BatchCounts,
): Promise<unknown> =>
  query(
    tx,
    sql`UPDATE imports SET read = ${bytesRead}, rows = rows + ${rows}, importable = importable + ${importable},
          duplicates = duplicates + ${duplicates}, errors = errors + ${errors}, notes = notes + ${notes},
          content_bytes = content_bytes + ${contentBytes} WHERE id = ${importId}`,
  );

/** The staged questions with these fingerprints: where they are in the files. */
export const findStaged = (
  tx: EntityManager,
  importId: string,
  prints: readonly string[],
): Promise<{ print: string; line: number; file: string }[]> =>
  query(
    tx,
    sql`SELECT replace(q.fingerprint::text, '-', '') AS print, q.line, p.file FROM import_questions q
        JOIN import_groups p ON p.import_id = q.import_id AND p.key = q.group_key
        WHERE q.import_id = ${importId} AND q.fingerprint = ANY (${prints}::uuid[])`,
  );

/** The quizzes of the files whose attempts would draw more questions than are staged, with the place of the first. */
export const findTooFewToDraw = (
  tx: EntityManager,
  importId: string,
): Promise<{ file: string; line: number; rows: number; questionsPerAttempt: number }[]> =>
  query(
    tx,
    sql`SELECT p.file, q.line, p.rows, (p.quiz ->> 'questionsPerAttempt')::int AS "questionsPerAttempt"
        FROM import_groups p JOIN import_questions q ON q.import_id = p.import_id AND q.number = p.number
        WHERE p.import_id = ${importId} AND (p.quiz ->> 'questionsPerAttempt')::int > p.rows ORDER BY p.number`,
  );

/** How many quizzes the staged questions make. @param quizSize questions in each quiz without a title in the file */
export async function countStagedQuizzes(
  tx: EntityManager,
  importId: string,
  largest: number,
  quizSize: number,
): Promise<number> {
  const [{ quizzes }] = await query<[{ quizzes: number }]>(
    tx,
    sql`SELECT coalesce(sum(ceil(rows / CASE WHEN quiz ? 'title' THEN ${largest} ELSE ${quizSize} END::numeric)), 0)::int
          AS quizzes
        FROM import_groups WHERE import_id = ${importId}`,
  );
  return quizzes;
}

/** Deletes the next questions and returns them, in the order of the files. @param bytes at most, in all; the first is taken whatever its size */
export async function takeStaged(
  tx: EntityManager,
  importId: string,
  limit: number,
  bytes: number,
): Promise<StagedQuestion[]> {
  const [rows] = await query<[StagedQuestion[], number]>(
    tx,
    sql`
WITH first AS (
  SELECT number, octet_length(question::text) AS bytes FROM import_questions
  WHERE import_id = ${importId} ORDER BY number LIMIT ${limit}
), taken AS (
  SELECT number FROM (
    SELECT number, row_number() OVER w AS place, sum(bytes) OVER w AS bytes FROM first WINDOW w AS (ORDER BY number)
  ) s WHERE place = 1 OR bytes < ${bytes}
)
DELETE FROM import_questions q USING taken WHERE q.import_id = ${importId} AND q.number = taken.number
RETURNING q.number, q.group_key, q.line, q.question, replace(q.fingerprint::text, '-', '') AS fingerprint`,
  );
  return rows.sort((one, other) => one.number - other.number);
}

export const findGroupsOf = (
  tx: EntityManager,
  importId: string,
  keys: readonly string[],
): Promise<Group[]> =>
  query(
    tx,
    sql`SELECT key, quiz, quiz_id, quiz_size, rows FROM import_groups
        WHERE import_id = ${importId} AND key = ANY (${keys}::uuid[]) ORDER BY number`,
  );

/** Notes the quiz into which a group's questions were written. @param added how many */
export const noteGroup = (
  tx: EntityManager,
  importId: string,
  { key, quiz_id, quiz_size }: Group,
  added: number,
): Promise<unknown> =>
  query(
    tx,
    sql`UPDATE import_groups SET quiz_id = ${quiz_id}, quiz_size = ${quiz_size}, imported = imported + ${added}
        WHERE import_id = ${importId} AND key = ${key}`,
  );

/** A quiz of an archive as it is staged: the fingerprints of its questions. */
export async function findStagedQuiz(
  tx: EntityManager,
  importId: string,
  key: string,
): Promise<{ file: string; title: string; prints: string[] } | null> {
  const [found] = await query<{ file: string; title: string; prints: string[] }[]>(
    tx,
    sql`SELECT file, quiz ->> 'title' AS title,
          ARRAY(SELECT fingerprint::text FROM import_questions WHERE import_id = ${importId} AND group_key = p.key) AS prints
        FROM import_groups p WHERE import_id = ${importId} AND key = ${key}`,
  );
  return found ?? null;
}

/** Counts the questions of a quiz as duplicates. Its group stays, without questions. */
export const leaveOutQuiz = (tx: EntityManager, importId: string, key: string): Promise<unknown> =>
  query(
    tx,
    sql`WITH left_out AS (
          DELETE FROM import_questions WHERE import_id = ${importId} AND group_key = ${key}
          RETURNING question_bytes(question->>'text', question->>'explanation', question->'answers') AS bytes
        ), emptied AS (
          UPDATE import_groups SET rows = 0 WHERE import_id = ${importId} AND key = ${key}
        ), counted AS (SELECT count(*)::int AS questions, coalesce(sum(bytes), 0) AS bytes FROM left_out)
        UPDATE imports SET importable = importable - questions, duplicates = duplicates + questions,
          content_bytes = content_bytes - bytes
        FROM counted WHERE id = ${importId}`,
  );

interface ArchiveGroup {
  quizId: string | null;
  hasQuestions: boolean;
  isWhole: boolean;
}

/** A group of an archive: its quiz, whether all questions of it have been written, and whether its results have, too. */
export async function findGroupQuiz(
  tx: EntityManager,
  importId: string,
  key: string,
): Promise<ArchiveGroup | null> {
  const [found] = await query<ArchiveGroup[]>(
    tx,
    sql`SELECT quiz_id AS "quizId", imported >= rows AS "hasQuestions", quiz ? 'isWhole' AS "isWhole" FROM import_groups
        WHERE import_id = ${importId} AND key = ${key}`,
  );
  return found ?? null;
}

/** The group of a quiz of an archive that has no questions: no row of the file has made it. */
export const insertEmptyGroup = (
  tx: EntityManager,
  importId: string,
  { key, file, title, quizId }: { key: string; file: string; title: string; quizId: string },
): Promise<unknown> =>
  query(
    tx,
    sql`INSERT INTO import_groups (import_id, key, number, file, quiz, rows, quiz_id)
        VALUES (${importId}, ${key}, 0, ${file}, ${JSON.stringify({ title })}, 0, ${quizId})`,
  );

/** Notes that a quiz of an archive has been written with its results. */
export const noteWhole = (tx: EntityManager, importId: string, key: string): Promise<unknown> =>
  query(
    tx,
    sql`UPDATE import_groups SET quiz = quiz || '{"isWhole": true}'
        WHERE import_id = ${importId} AND key = ${key}`,
  );
