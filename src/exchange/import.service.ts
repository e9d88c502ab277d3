import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountsService } from '../access/accounts.service';
import { BatchImportService } from '../authoring/batch-import.service';
import { QuizAuthoringService } from '../authoring/quiz-authoring.service';
import { CreateQuizRequest } from '../authoring/create-quiz.request';
import type { Difficulty } from '../catalog/vocabulary';
import { LimitReached } from '../platform/domain-errors';
import { readBody } from '../platform/http/validation.pipe';
import { readQuestionFiles, type FileRow, type SkippedRow } from './question-files';

export interface ImportReport {
  dryRun: boolean;
  imported: number;
  quizzes: number;
  /** Rows left out because the account has the question already, or because it came before in the files. */
  duplicates: number;
  skipped: SkippedRow[];
  files: { file: string; category: string; rows: number; imported: number }[];
  /** Why the import ended before the last row, for example the account's quota; null when it did not. */
  stopped: string | null;
}

export interface ImportOptions {
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
   * Imports OpenTriviaQA files, one category for each. What the account has already is left out, so
   * importing a file twice adds nothing, and an import that was interrupted is simply started again.
   * @throws Invalid when a file cannot be read; nothing is imported then
   */
  async import(
    accountId: string,
    files: readonly string[],
    options: ImportOptions,
    watch: { onProgress?: (done: number, total: number, file: string) => void } = {},
  ): Promise<ImportReport> {
    const read = await readQuestionFiles(files, options.difficulty);
    const report: ImportReport = {
      dryRun: options.dryRun,
      imported: 0,
      quizzes: 0,
      duplicates: read.repeated,
      skipped: read.skipped,
      files: [],
      stopped: null,
    };
    const total = read.files.reduce((sum, { rows }) => sum + rows.length, 0);
    let done = 0;
    for (const { file, category, rows } of read.files) {
      const fresh = await this.withoutKnown(accountId, rows);
      report.duplicates += rows.length - fresh.length;
      done += rows.length - fresh.length;
      const about = { file, category, rows: rows.length, imported: 0 };
      report.files.push(about);
      for (let start = 0; start < fresh.length; start += QUIZ_SIZE) {
        const part = fresh.slice(start, start + QUIZ_SIZE);
        try {
          const imported = options.dryRun
            ? part.length
            : await this.importQuiz(accountId, category, part, options);
          about.imported += imported;
          report.imported += imported;
          report.duplicates += part.length - imported;
          if (imported > 0) report.quizzes += 1;
        } catch (error) {
          if (!(error instanceof LimitReached)) throw error;
          report.stopped = error.message;
          return report;
        }
        watch.onProgress?.((done += part.length), total, file);
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
    category: string,
    rows: FileRow[],
    { difficulty, published }: ImportOptions,
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
      const number = (await this.quizzes.countInCategory(tx, accountId, category)) + 1;
      const request = readBody(CreateQuizRequest, {
        title: `${category}, part ${number}`,
        description: 'From OpenTriviaQA, CC BY-SA 4.0.',
        category,
        difficulty,
        tags: ['opentriviaqa'],
        published,
      });
      const quiz = await this.quizzes.createIn(tx, accountId, request);
      await this.batches.importIn(
        tx,
        accountId,
        quiz.id,
        fresh.map((row) => row.question),
      );
      return fresh.length;
    });
  }
}
