import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { BatchImportService } from '../../../authoring/questions/batch-import.service';
import { Clock } from '../../../platform/clock';
import { type FormatName, formatOf } from '../../formats/formats';
import { readRows } from '../../formats/read-rows';
import {
  type Bytes,
  type ImportedQuestion,
  type ImportRow,
  type QuizOfRow,
  quote,
  type TableColumn,
} from '../../formats/row';
import type { FolderPictures } from '../folder-pictures';
import { Import } from '../import.entity';
import { type RunningImport, whileRunning } from '../import.queries';
import { insertReportEntries } from '../import-report.queries';
import { groupOf, type GroupQuiz, RowError, toGroupQuiz, toQuestion } from './file-rows';
import { ImportPicturesService } from './import-pictures.service';
import { Staging } from './staging';
import { clearStaging, findStagedQuiz, findTooFewToDraw, leaveOutQuiz } from './staging.queries';
import { withStoredPictures } from './stored-pictures';

export interface FileToRead {
  name: string;
  bytes: Bytes;
  /** Those of the folder that it is in, if it was given with its folder. */
  pictures?: FolderPictures;
}

/** Quizzes of a file whose validated fields are cached. */
const GROUPS_REMEMBERED = 1_000;

/** The first half of an import: reads its files completely and writes the report. */
@Injectable()
export class ImportCheckService {
  constructor(
    private readonly database: DataSource,
    private readonly batches: BatchImportService,
    private readonly pictures: ImportPicturesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Stages the questions of the files. Starts over if it was started before.
   * @returns the error of a file that cannot be read completely; null if all could
   * @throws NotRunning
   */
  async check(
    job: RunningImport,
    files: readonly FileToRead[],
    onProgress: (bytes: number) => void,
  ): Promise<string | null> {
    await this.whileRunning(job, async (tx) => {
      await clearStaging(tx, job.id);
      await tx.update(
        Import,
        { id: job.id },
        {
          read: 0,
          rows: 0,
          importable: 0,
          duplicates: 0,
          errors: 0,
          notes: 0,
          contentBytes: 0,
          columns: null,
        },
      );
    });
    const staging = new Staging(job.id, (tx, prints) =>
      this.batches.findKnown(tx, job.accountId, prints),
    );
    let bytesRead = 0;
    let written = Date.now();
    const write = async () => {
      await this.whileRunning(job, (tx) => staging.write(tx, Math.round(bytesRead)));
      staging.clear();
      onProgress(Math.round(bytesRead));
      written = Date.now();
    };
    for (const { name, bytes, pictures: beside } of files) {
      let passes = 1;
      const counted = counting(bytes, async (length) => {
        bytesRead += length / passes;
        // A file may be read for a long time without a row: that is progress all the same.
        if (Date.now() - written > 2_000) await write();
      });
      let columns: TableColumn[] | undefined;
      const { format, rows } = await readRows(counted, job.format ?? undefined, name, {
        columns: job.read ?? undefined,
        cards: job.cards ?? undefined,
        inFolder: beside !== undefined,
        onColumns: (found) => (columns = found),
      });
      passes = (format && formatOf(format).passes) ?? 1;
      await this.whileRunning(job, (tx) =>
        tx.update(Import, { id: job.id }, { format: format ?? null }),
      );
      const refusal = format === 'archive' ? refusalOf(job, files.length) : null;
      if (refusal !== null) return `${name}: ${refusal}`;
      staging.isArchive = format === 'archive';
      const storing = (question: ImportedQuestion) =>
        this.pictures.store(job.accountId, question, beside);
      const take = rowTaker(staging, { name, format, storing }, job, this.pictures);
      for await (const read of rows) {
        const row = format === 'archive' ? await this.withPictures(job, read) : read;
        if (columns) {
          const found = columns;
          columns = undefined;
          await this.whileRunning(job, (tx) =>
            tx.update(Import, { id: job.id }, { columns: found }),
          );
        }
        const error = await take(row);
        if (error !== null && format === 'archive') return `${name}: ${row.path ?? ''}: ${error}`;
        if ('error' in row && row.fatal) {
          await write();
          return `${name}:${row.line}: ${row.error}`;
        }
        if (staging.isLarge) await write();
      }
    }
    await write();
    await this.leaveOutKnownQuizzes(job, staging);
    const tooFew = await this.whileRunning(job, (tx) => findTooFewToDraw(tx, job.id));
    for (const { file, line, rows, questionsPerAttempt } of tooFew) {
      staging.report('note', { file, line, path: null }, tooFewToDraw(questionsPerAttempt, rows));
      if (staging.isLarge) await write();
    }
    await write();
    return null;
  }

  /** With the pictures that the account has already, so that questions with them are recognised. */
  private async withPictures(job: RunningImport, row: ImportRow): Promise<ImportRow> {
    const json = JSON.stringify(row);
    const found = await withStoredPictures(this.database.manager, job.accountId, json);
    return found === json ? row : (JSON.parse(found) as ImportRow);
  }

  /** Quizzes of an archive that the account has already. Their questions may be those of other quizzes, too. */
  private async leaveOutKnownQuizzes(job: RunningImport, staging: Staging): Promise<void> {
    for (const key of staging.quizzesWithKnownQuestions)
      await this.whileRunning(job, async (tx) => {
        const group = await findStagedQuiz(tx, job.id, key);
        if (!group || !(await this.batches.hasQuiz(tx, job.accountId, group.title, group.prints)))
          return;
        await leaveOutQuiz(tx, job.id, key);
        const message = `The account has the quiz ${quote(group.title)} with these questions already.`;
        const entry = {
          kind: 'duplicate' as const,
          file: group.file,
          line: 1,
          path: null,
          message,
        };
        await insertReportEntries(tx, job.id, [entry]);
      });
  }

  private whileRunning<T>(job: RunningImport, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return whileRunning(this.database, job, this.clock.now(), work);
  }
}

const tooFewToDraw = (questionsPerAttempt: number, rows: number): string =>
  `questionsPerAttempt is ${questionsPerAttempt}, but ${rows === 1 ? '1 question' : `${rows} questions`} of this quiz can be imported: each attempt asks all it has.`;

/** An archive becomes the quizzes that it holds. */
function refusalOf({ quizId, title, category }: RunningImport, files: number): string | null {
  if (files > 1) return 'The archive of an account is imported alone: leave out the other files.';
  return quizId === null && title === null && category === null
    ? null
    : 'The archive of an account is imported as it is: leave out the quiz, the title and the category.';
}

/** @returns a function that adds a row to the questions, or to the report, and returns its error */
function rowTaker(
  staging: Staging,
  {
    name: file,
    format,
    storing,
  }: {
    name: string;
    format: FormatName | undefined;
    /** The question, once its pictures are stored. */
    storing: (question: ImportedQuestion) => Promise<ImportedQuestion>;
  },
  job: RunningImport,
  pictures: ImportPicturesService,
): (row: ImportRow) => Promise<string | null> {
  const groups = new Map<string, GroupQuiz | RowError>();
  const quizOf = (quiz: QuizOfRow | undefined): GroupQuiz | RowError => {
    try {
      return toGroupQuiz(quiz, file, format, job);
    } catch (error) {
      if (error instanceof RowError) return error;
      throw error;
    }
  };
  return async (row) => {
    const place = { file, line: row.line, path: row.path ?? null };
    const refuse = (error: string) => {
      staging.report('error', place, error);
      return error;
    };
    if ('error' in row) return refuse(row.error);
    if ('note' in row) {
      staging.report('note', place, row.note);
      return null;
    }
    try {
      const key = groupOf(row.quiz, job);
      if (groups.size > GROUPS_REMEMBERED) groups.clear();
      const about = groups.get(key) ?? quizOf(row.quiz);
      groups.set(key, about);
      if (about instanceof RowError) throw about;
      const stored = await storing(row.question);
      const question = toQuestion(stored, format, job);
      // Those of an archive are stored when it is written.
      if (format !== 'archive') await pictures.require(job.accountId, question, job.published);
      staging.add(place, { key, about }, question);
      for (const note of row.notes ?? []) staging.report('note', place, note);
      return null;
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      return refuse(error.message);
    }
  };
}

function counting(bytes: Bytes, count: (length: number) => Promise<void>): Bytes {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const chunk of bytes) {
        await count(chunk.length);
        yield chunk;
      }
    },
  };
}
