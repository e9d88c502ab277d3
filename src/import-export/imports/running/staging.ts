import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { QuestionToImport } from '../../../authoring/questions/batch-import.service';
import { fingerprint, questionBytes } from '../../../authoring/questions/question.rules';
import { firstCodePoints } from '../../../platform/text/text.rules';
import { quote } from '../../formats/row';
import { insertReportEntries } from '../import-report.queries';
import type { ImportReportEntry } from '../imports.dto';
import type { GroupQuiz } from './file-rows';
import { addCounts, findStaged, insertStaged, type StagedRow } from './staging.queries';

/** Rows, or characters of questions, per write. */
const [MOST_ROWS, MOST_CHARACTERS] = [200, 2_000_000];
/** Characters of a message: quotations are short, but a row may break many rules, and an XML parser quotes whole names. */
const LONGEST_MESSAGE = 1_000;
export const shortened = (message: string): string => firstCodePoints(message, LONGEST_MESSAGE);

/** The location of a row. */
export type RowPlace = Pick<ImportReportEntry, 'file' | 'line' | 'path'>;

/** Collects what was read of an import's files, and writes some hundred rows at a time. */
export class Staging {
  private rows: (StagedRow & RowPlace)[] = [];
  /** Numbered together with the rows, so that the report follows the order of the files. */
  private entries: (ImportReportEntry & { number: number })[] = [];
  private characters = 0;
  private number = 0;
  /** Questions of an archive are not compared one by one: its quizzes may share some, and stay whole. */
  isArchive = false;
  /** Groups of an archive with a question that the account has. */
  readonly quizzesWithKnownQuestions = new Set<string>();

  constructor(
    private readonly importId: string,
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

  report(kind: 'error' | 'note', { file, line, path }: RowPlace, message: string): void {
    const entry = { kind, file, line, path, message: shortened(message) };
    this.characters += entry.message.length;
    this.entries.push({ ...entry, number: ++this.number });
  }

  add(place: RowPlace, quiz: { key: string; about: GroupQuiz }, question: QuestionToImport): void {
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
   * Writes the collected rows, in the transaction that checks that the import still runs; call `clear` after its commit. A transaction that is
   * rolled back and repeated writes the same.
   */
  async write(tx: EntityManager, bytesRead: number): Promise<void> {
    const duplicates = await this.findDuplicates(tx);
    const repeated = new Set(duplicates.map(({ number }) => number));
    const rows = this.rows.filter(({ number }) => !repeated.has(number));
    if (rows.length > 0) await insertStaged(tx, this.importId, rows);
    const entries = [...this.entries, ...duplicates].sort((a, b) => a.number - b.number);
    await insertReportEntries(tx, this.importId, entries);
    const errors = entries.filter(({ kind }) => kind === 'error').length;
    await addCounts(tx, this.importId, bytesRead, {
      rows: this.rows.length + errors,
      importable: rows.length,
      duplicates: duplicates.length,
      errors,
      notes: this.entries.length - errors,
      contentBytes: rows.reduce((sum, { question }) => sum + questionBytes(question), 0),
    });
  }

  /** Call after the commit. */
  clear(): void {
    [this.rows, this.entries, this.characters] = [[], [], 0];
  }

  /** The rows that the account or the import has already, as entries of the report. */
  private async findDuplicates(
    tx: EntityManager,
  ): Promise<(ImportReportEntry & { number: number })[]> {
    const prints = this.rows.map((row) => row.fingerprint);
    const known = await this.findKnown(tx, prints);
    if (this.isArchive) {
      for (const { fingerprint, group_key: key } of this.rows)
        if (known.has(fingerprint)) this.quizzesWithKnownQuestions.add(key);
      return [];
    }
    const before = await findStaged(tx, this.importId, prints);
    const seen = new Map(before.map(({ print, line, file }) => [print, { line, file }]));
    return this.rows.flatMap(({ file, line, path, number, fingerprint }) => {
      const first = seen.get(fingerprint);
      const quizTitle = known.get(fingerprint);
      if (!first && quizTitle === undefined) {
        seen.set(fingerprint, { file, line });
        return [];
      }
      const message =
        quizTitle !== undefined
          ? alreadyIn(quizTitle)
          : first?.file === file
            ? `Duplicate of the question in line ${first.line}.`
            : `Duplicate of the question in ${first?.file}:${first?.line}.`;
      return [{ kind: 'duplicate', file, line, path, message, number }];
    });
  }
}

/** The reason for leaving out a row that the account has. */
export const alreadyIn = (quizTitle: string): string =>
  `The account has this question already, with these answers, in the quiz ${quote(quizTitle)}.`;

/** 128 bits in the form of a UUID. */
export const groupKeyOf = (file: string, key: string): string =>
  createHash('sha256')
    .update(JSON.stringify([file, key]))
    .digest('hex')
    .slice(0, 32);
