import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { BatchImportService } from '../../../authoring/questions/batch-import.service';
import { Clock } from '../../../platform/clock';
import { type FormatName, formatOf } from '../../formats/formats';
import { readRows } from '../../formats/read-rows';
import { type Bytes, quote, type TableColumn } from '../../formats/row';
import type { FolderPictures } from '../folder-pictures';
import { Import } from '../import.entity';
import { type RunningImport, whileRunning } from '../import.queries';
import { insertReportEntries } from '../import-report.queries';
import { ImportPicturesService } from './import-pictures.service';
import { RowStager } from './row-stager';
import { shortened, Staging } from './staging';
import { clearStaging, findStagedQuiz, findTooFewToDraw, leaveOutQuiz } from './staging.queries';
import { withStoredPictures } from './stored-pictures';

export interface FileToRead {
  name: string;
  bytes: Bytes;
  /** Those of the folder that it is in, if it was given with its folder. */
  pictures?: FolderPictures;
}

/** How far the files of an import are read. */
interface Reading {
  staging: Staging;
  /** Of the files so far; null: not recognised. */
  formats: Set<FormatName | null>;
  bytes: number;
  /** When it was last written, in milliseconds. */
  writtenAt: number;
  /** Writes what is staged, and how much is read. @throws NotRunning */
  write: () => Promise<void>;
}

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
    await this.startOver(job);
    const reading = this.newReading(job, onProgress);
    for (const file of files) {
      const error = await this.readFile(job, file, reading, files.length === 1);
      if (error !== null) return error;
    }
    await reading.write();
    await this.leaveOutKnownQuizzes(job, reading.staging);
    await this.noteTooFewToDraw(job, reading);
    await reading.write();
    return null;
  }

  private async startOver(job: RunningImport): Promise<void> {
    const counts = { read: 0, rows: 0, importable: 0, duplicates: 0, errors: 0, notes: 0 };
    await this.whileRunning(job, async (tx) => {
      await clearStaging(tx, job.id);
      await tx.update(Import, { id: job.id }, { ...counts, contentBytes: 0, columns: null });
    });
  }

  private newReading(job: RunningImport, onProgress: (bytes: number) => void): Reading {
    const staging = new Staging(job.id, (tx, prints) =>
      this.batches.findKnown(tx, job.accountId, prints),
    );
    const reading: Reading = {
      staging,
      formats: new Set(),
      bytes: 0,
      writtenAt: Date.now(),
      write: async () => {
        await this.whileRunning(job, (tx) => staging.write(tx, Math.round(reading.bytes)));
        staging.clear();
        onProgress(Math.round(reading.bytes));
        reading.writtenAt = Date.now();
      },
    };
    return reading;
  }

  /** @returns the error of a file that cannot be read completely */
  private async readFile(
    job: RunningImport,
    { name, bytes, pictures: beside }: FileToRead,
    reading: Reading,
    isAlone: boolean,
  ): Promise<string | null> {
    const { staging } = reading;
    let passes = 1;
    const counted = counting(bytes, async (length) => {
      reading.bytes += length / passes;
      // A file may be read for a long time without a row: that is progress all the same.
      if (Date.now() - reading.writtenAt > 2_000) await reading.write();
    });
    let columns: TableColumn[] | undefined;
    const { format, rows } = await readRows(counted, job.format ?? undefined, name, {
      columns: job.read ?? undefined,
      cards: job.cards ?? undefined,
      inFolder: beside !== undefined,
      onColumns: (found) => (columns = found),
    });
    passes = (format && formatOf(format).passes) ?? 1;
    reading.formats.add(format ?? null);
    // Of several files with several formats none is that of the import.
    await this.store(job, { format: reading.formats.size > 1 ? null : (format ?? null) });
    const refusal = format === 'archive' ? refusalOf(job, isAlone) : null;
    if (refusal !== null) return `${name}: ${refusal}`;
    staging.isArchive = format === 'archive';
    const stager = new RowStager(staging, this.pictures, job, { name, format, beside });
    for await (const read of rows) {
      // With the pictures that the account has already, so that questions with them are recognised.
      const row =
        format === 'archive'
          ? await withStoredPictures(this.database.manager, job.accountId, read)
          : read;
      if (columns) {
        if (isAlone) await this.store(job, { columns });
        columns = undefined;
      }
      const error = await stager.take(row);
      if (error !== null && format === 'archive')
        return `${name}: ${row.path ?? ''}: ${shortened(error)}`;
      if ('error' in row && row.fatal) {
        await reading.write();
        return `${name}:${row.line}: ${shortened(row.error)}`;
      }
      if (staging.isLarge) await reading.write();
    }
    return null;
  }

  private async store(
    job: RunningImport,
    found: { format: FormatName | null } | { columns: TableColumn[] },
  ): Promise<void> {
    await this.whileRunning(job, (tx) => tx.update(Import, { id: job.id }, found));
  }

  /** Notes the quizzes with fewer questions than an attempt is to draw. */
  private async noteTooFewToDraw(job: RunningImport, { staging, write }: Reading): Promise<void> {
    const tooFew = await this.whileRunning(job, (tx) => findTooFewToDraw(tx, job.id));
    for (const { file, line, rows, questionsPerAttempt } of tooFew) {
      staging.report('note', { file, line, path: null }, tooFewToDraw(questionsPerAttempt, rows));
      if (staging.isLarge) await write();
    }
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
function refusalOf({ quizId, title, category }: RunningImport, isAlone: boolean): string | null {
  if (!isAlone) return 'The archive of an account is imported alone: leave out the other files.';
  return quizId === null && title === null && category === null
    ? null
    : 'The archive of an account is imported as it is: leave out the quiz, the title and the category.';
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
