import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { QuestionToImport } from '../../authoring/questions/batch-import.service';
import { fingerprint } from '../../authoring/questions/question.rules';
import { quote } from '../formats/text/messages';
import { yieldToEventLoop } from '../formats/text/yield-to-event-loop';
import type { GroupQuiz } from './file-rows';
import { MOST_REPORT_BYTES, MOST_REPORT_ENTRIES, type ReportEntry } from './import';
import { insertReportEntries } from './import-report.queries';
import type { NearDuplicates } from './near-duplicates.rules';

/** Rows, or characters of questions, that are written at once. */
const [MOST_ROWS, MOST_CHARACTERS] = [200, 2_000_000];
/** Characters of an entry: what the readers quote is short, but a row may break many rules at a time. */
const LONGEST_MESSAGE = 1_000;

interface StagedRow {
  number: number;
  group_key: string;
  file: string;
  quiz: GroupQuiz;
  line: number;
  path: string | null;
  question: QuestionToImport;
  fingerprint: string;
}

/** Gathers what was read of an import's files, and writes it some hundred rows at a time. */
export class Staging {
  private rows: StagedRow[] = [];
  /** Those of them that are new, once they were looked at. */
  private looked: StagedRow[] | null = null;
  private entries: ReportEntry[] = [];
  private characters = 0;
  private number = 0;
  private readonly kept = {
    error: { count: 0, bytes: 0 },
    duplicate: { count: 0, bytes: 0 },
    similar: { count: 0, bytes: 0 },
    note: { count: 0, bytes: 0 },
  };
  private counts = { rows: 0, importable: 0, duplicates: 0, similar: 0, errors: 0, notes: 0 };

  constructor(
    private readonly importId: string,
    private readonly files: readonly string[],
    private readonly near: NearDuplicates,
    /** Which of these fingerprints the account has, and in which quiz (its title). */
    private readonly findKnown: (
      tx: EntityManager,
      prints: string[],
    ) => Promise<ReadonlyMap<string, string>>,
  ) {}

  get isLarge(): boolean {
    return (
      this.rows.length + this.entries.length >= MOST_ROWS || this.characters >= MOST_CHARACTERS
    );
  }

  report(
    kind: ReportEntry['kind'],
    place: Omit<ReportEntry, 'kind' | 'message'>,
    message: string,
  ): void {
    if (kind === 'error') this.counts.rows += 1;
    const counted = { error: 'errors', duplicate: 'duplicates', similar: 'similar', note: 'notes' };
    this.counts[counted[kind] as keyof Staging['counts']] += 1;
    const { file, line, path } = place;
    const entry = { kind, message: message.slice(0, LONGEST_MESSAGE), file, line, path };
    const kept = this.kept[kind];
    // Counted by kind: many notes keep no error from the report.
    kept.bytes += Buffer.byteLength(`${entry.message}${file}${path ?? ''}`);
    if (++kept.count > MOST_REPORT_ENTRIES || kept.bytes > MOST_REPORT_BYTES) return;
    this.characters += entry.message.length;
    this.entries.push(entry);
  }

  add(
    place: { file: string; line: number; path: string | null },
    quiz: { key: string; about: GroupQuiz },
    question: QuestionToImport,
  ): void {
    this.counts.rows += 1;
    this.characters += question.text.length + JSON.stringify(question.answers).length;
    this.rows.push({
      ...place,
      number: ++this.number,
      group_key: groupKeyOf(place.file, quiz.key),
      quiz: quiz.about,
      question,
      fingerprint: fingerprint(question),
    });
  }

  /**
   * Writes what was gathered, in the transaction of the lease; `clear` follows its commit. A transaction that is
   * undone and done again writes the same: looked at twice, each row would be much like itself.
   */
  async write(tx: EntityManager, bytesRead: number): Promise<void> {
    const rows = (this.looked ??= await this.look(tx));
    await tx.query(INSERT_GROUPS, [
      this.importId,
      JSON.stringify(
        rows.map(({ number, group_key, file, quiz }) => ({ number, group_key, file, quiz })),
      ),
    ]);
    await tx.query(INSERT_QUESTIONS, [
      this.importId,
      JSON.stringify(
        rows.map(({ number, group_key, line, question, fingerprint }) => ({
          number,
          group_key,
          line,
          question,
          fingerprint,
        })),
      ),
    ]);
    // What is said of duplicates came last: the report has the order of the files.
    const place = (file: string) => this.files.indexOf(file);
    this.entries.sort((a, b) => place(a.file) - place(b.file) || a.line - b.line);
    await insertReportEntries(tx, this.importId, this.entries);
    const { rows: all, importable, duplicates, similar, errors, notes } = this.counts;
    await tx.query(
      `UPDATE imports SET read = $2, rows = rows + $3, importable = importable + $4, duplicates = duplicates + $5,
         near_duplicates = near_duplicates + $6, errors = errors + $7, notes = notes + $8 WHERE id = $1`,
      [this.importId, bytesRead, all, importable, duplicates, similar, errors, notes],
    );
  }

  /** What was written is in the database now. */
  clear(): void {
    this.counts = { rows: 0, importable: 0, duplicates: 0, similar: 0, errors: 0, notes: 0 };
    [this.rows, this.looked, this.entries, this.characters] = [[], null, [], 0];
  }

  private async look(tx: EntityManager): Promise<StagedRow[]> {
    const rows = await this.withoutKnown(tx);
    for (const row of rows) {
      this.findNearDuplicates(row);
      await yieldToEventLoop();
    }
    this.counts.importable += rows.length;
    return rows;
  }

  /** The rows that neither the account nor the import has; the others are reported. */
  private async withoutKnown(tx: EntityManager): Promise<StagedRow[]> {
    const prints = this.rows.map((row) => row.fingerprint);
    const known = await this.findKnown(tx, prints);
    const before = await tx.query<{ print: string; line: number; file: string }[]>(
      `SELECT replace(q.fingerprint::text, '-', '') AS print, q.line, p.file FROM import_questions q
       JOIN import_groups p ON p.import_id = q.import_id AND p.key = q.group_key
       WHERE q.import_id = $1 AND q.fingerprint = ANY ($2::uuid[])`,
      [this.importId, prints],
    );
    const seen = new Map(before.map(({ print, line, file }) => [print, { line, file }]));
    return this.rows.filter((row) => {
      const first = seen.get(row.fingerprint);
      const quizTitle = known.get(row.fingerprint);
      if (quizTitle !== undefined) this.report('duplicate', row, alreadyIn(quizTitle));
      else if (first)
        this.report('duplicate', row, `It is the question of ${placeIn(first, row)}.`);
      else seen.set(row.fingerprint, row);
      return !first && quizTitle === undefined;
    });
  }

  private findNearDuplicates(row: StagedRow): void {
    const { text } = row.question;
    const found = this.near.find(text);
    if (found) {
      const [line = '', ...file] = found.place.split(' ');
      const place = placeIn({ line: Number(line), file: file.join(' ') }, row);
      this.report(
        'similar',
        row,
        `Similar to ${place} (${quote(found.text)}). Both will be imported; you may want to remove one.`,
      );
    }
    this.near.add(text, `${row.line} ${row.file}`);
  }
}

/** Why a row is left out that the account has. */
export const alreadyIn = (quizTitle: string): string =>
  `The account has this question already, with these answers, in the quiz ${quote(quizTitle)}.`;

const placeIn = (place: { line: number; file: string }, seenFrom: { file: string }): string =>
  place.file === seenFrom.file ? `line ${place.line}` : `${place.file}:${place.line}`;

/** 128 bits in the form of a UUID. */
const groupKeyOf = (file: string, key: string): string =>
  createHash('sha256')
    .update(JSON.stringify([file, key]))
    .digest('hex')
    .slice(0, 32);

const INSERT_GROUPS = `
INSERT INTO import_groups AS p (import_id, key, number, file, quiz, rows)
SELECT $1, group_key, min(number), min(file), (array_agg(quiz ORDER BY number))[1], count(*)
FROM jsonb_to_recordset($2::jsonb) AS r (number int, group_key uuid, file text, quiz jsonb) GROUP BY group_key
ON CONFLICT (import_id, key) DO UPDATE SET rows = p.rows + excluded.rows`;

const INSERT_QUESTIONS = `
INSERT INTO import_questions (import_id, number, group_key, line, question, fingerprint)
SELECT $1, number, group_key, line, question, fingerprint
FROM jsonb_to_recordset($2::jsonb) AS r (number int, group_key uuid, line int, question jsonb, fingerprint uuid)`;
