import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsService } from '../access/accounts.service';
import { BatchImportService } from '../authoring/batch-import.service';
import { QuizAuthoringService } from '../authoring/quiz-authoring.service';
import { CreateQuizRequest } from '../authoring/create-quiz.request';
import type { Difficulty } from '../catalog/vocabulary';
import { LimitReached } from '../platform/domain-errors';
import { readBody } from '../platform/http/validation.pipe';
import type { FormatName } from './formats/formats';
import { readQuestionFiles, type FilePart, type FileRow, type RowReport } from './question-files';

export interface ImportReport {
  dryRun: boolean;
  imported: number;
  quizzes: number;
  /** Rows left out because the account has the question already, or because it came before in the files. */
  duplicates: number;
  skipped: RowReport[];
  /** What the files have and we have not, row by row. */
  notes: RowReport[];
  /** Each file; one with several quizzes or categories once for each. */
  files: { file: string; title?: string; category: string; rows: number; imported: number }[];
  /** Why the import ended before the last row, for example the account's quota; null when it did not. */
  stopped: string | null;
}

export interface ImportOptions {
  /** Recognised from the content of each file when it is not given. */
  format?: FormatName;
  /** Of questions whose file does not tell. */
  difficulty: Difficulty;
  published: boolean;
  dryRun: boolean;
}

/** As many questions as one batch of the API holds. */
const QUIZ_SIZE = 50;

/** Turns question files into quizzes, by the same authoring services as the API and so by its rules. */
@Injectable()
export class ImportService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly quizzes: QuizAuthoringService,
    private readonly batches: BatchImportService,
  ) {}

  /**
   * Imports files: whole quizzes as they are, other questions in quizzes of 50 by their category, which is
   * the file's name where the file names none. What the account has already is left out, so
   * importing a file twice adds nothing, and an import that was interrupted is simply started again.
   * @throws Invalid when a file cannot be read; nothing is imported then
   */
  async import(
    accountId: string,
    files: readonly string[],
    options: ImportOptions,
    watch: { onProgress?: (done: number, total: number, file: string) => void } = {},
  ): Promise<ImportReport> {
    const read = await readQuestionFiles(files, options);
    const report: ImportReport = {
      dryRun: options.dryRun,
      imported: 0,
      quizzes: 0,
      duplicates: read.repeated,
      skipped: read.skipped,
      notes: read.notes,
      files: [],
      stopped: null,
    };
    const total = read.parts.reduce((sum, { rows }) => sum + rows.length, 0);
    let done = 0;
    for (const part of read.parts) {
      const { file, rows, quiz } = part;
      const fresh = await this.withoutKnown(accountId, rows);
      report.duplicates += rows.length - fresh.length;
      done += rows.length - fresh.length;
      const about = {
        file,
        ...(quiz?.title && { title: quiz.title }),
        category: part.category ?? '',
        rows: rows.length,
        imported: 0,
      };
      report.files.push(about);
      // A whole quiz stays one, however long it is.
      const size = quiz?.title ? fresh.length : QUIZ_SIZE;
      for (let start = 0; start < fresh.length; start += size) {
        const questions = fresh.slice(start, start + size);
        try {
          const imported = options.dryRun
            ? questions.length
            : await this.importQuiz(accountId, part, questions, options);
          about.imported += imported;
          report.imported += imported;
          report.duplicates += questions.length - imported;
          if (imported > 0) report.quizzes += 1;
        } catch (error) {
          if (!(error instanceof LimitReached)) throw error;
          report.stopped = error.message;
          return report;
        }
        watch.onProgress?.((done += questions.length), total, file);
      }
    }
    return report;
  }

  private async withoutKnown(accountId: string, rows: FileRow[]): Promise<FileRow[]> {
    const known = await this.batches.findKnown(
      this.database.manager,
      accountId,
      rows.map((row) => row.fingerprint),
    );
    return rows.filter((row) => !known.has(row.fingerprint));
  }

  /** One quiz with its questions, whole or not at all. @returns how many questions it got */
  private importQuiz(
    accountId: string,
    part: FilePart,
    rows: FileRow[],
    options: ImportOptions,
  ): Promise<number> {
    return this.database.transaction(async (tx) => {
      // Looked at again under the account's lock: the same import may be running twice.
      await this.accounts.lock(tx, accountId);
      const known = await this.batches.findKnown(
        tx,
        accountId,
        rows.map((row) => row.fingerprint),
      );
      const fresh = rows.filter((row) => !known.has(row.fingerprint));
      if (fresh.length === 0) return 0;
      const request = readBody(CreateQuizRequest, await this.quizOf(tx, accountId, part, options));
      const quiz = await this.quizzes.createIn(tx, accountId, request);
      for (let start = 0; start < fresh.length; start += QUIZ_SIZE) {
        const batch = fresh.slice(start, start + QUIZ_SIZE).map((row) => row.question);
        await this.batches.importIn(tx, accountId, quiz.id, batch);
      }
      return fresh.length;
    });
  }

  /** What the file says of the quiz, and what is said where it does not. */
  private async quizOf(
    tx: EntityManager,
    accountId: string,
    { category, quiz, format }: FilePart,
    { difficulty, published }: ImportOptions,
  ): Promise<object> {
    const about = { difficulty, ...quiz, category, published };
    if (quiz?.title) return about;
    const name = category ?? 'Questions';
    const number = (await this.quizzes.countInCategory(tx, accountId, category ?? '')) + 1;
    return {
      ...about,
      title: `${name}, part ${number}`,
      ...(format === 'opentriviaqa' && {
        description: 'From OpenTriviaQA, CC BY-SA 4.0.',
        tags: ['opentriviaqa'],
      }),
    };
  }
}
