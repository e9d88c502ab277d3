import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsService } from '../../access/accounts/accounts.service';
import { BatchImportService } from '../../authoring/questions/batch-import.service';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { Clock } from '../../platform/clock';
import { formatOf } from '../formats/formats';
import { readInThread } from '../formats/thread/read-in-thread';
import type { Bytes, ImportRow } from '../formats/row';
import { quote } from '../formats/text/messages';
import { yieldToEventLoop } from '../formats/text/yield-to-event-loop';
import { RowError, toGroupQuiz, toQuestion, type GroupQuiz } from './file-rows';
import { QUIZ_SIZE, type ImportView } from './import';
import { keepLease, type ImportLease } from './import.queries';
import { NearDuplicates } from './near-duplicates.rules';
import { insertReportEntries } from './import-report.queries';
import { Staging } from './staging';

export interface FileToRead {
  name: string;
  bytes: Bytes;
}

/** The import is no longer ours: it was cancelled, or another worker has it. */
export class LeaseLost extends Error {}

/** Quizzes of a file whose fields were looked at and are remembered. */
const GROUPS_REMEMBERED = 1_000;
/** Questions of the account that are compared with the file's, a page at a time. */
const [PAGE, MOST_PAGES] = [1_000, 100];

/** The first half of an import: reads its files to their end and says everything that there is to say. */
@Injectable()
export class ImportCheckService {
  constructor(
    private readonly database: DataSource,
    private readonly batches: BatchImportService,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Stages the questions of the files. Starts over if it was started before.
   * @returns what is wrong with a file that cannot be read to its end; null when all could
   * @throws LeaseLost
   */
  async check(
    lease: ImportLease,
    view: ImportView,
    files: readonly FileToRead[],
    onProgress: (bytes: number) => void = () => undefined,
  ): Promise<string | null> {
    await this.startOver(lease);
    const near = new NearDuplicates();
    const names = files.map(({ name }) => name);
    const staging = new Staging(lease.id, names, near, (tx, prints) =>
      this.batches.findKnown(tx, view.accountId, prints),
    );
    let bytesRead = 0;
    let written = Date.now();
    const write = async () => {
      await this.underLease(lease, (tx) => staging.write(tx, Math.round(bytesRead)));
      staging.clear();
      onProgress(Math.round(bytesRead));
      written = Date.now();
    };
    for (const { name, bytes } of files) {
      let passes = 1;
      const counted = counting(bytes, async (length) => {
        bytesRead += length / passes;
        // A file may go on for long without a row: that it is read is said all the same.
        if (Date.now() - written > 2_000) await write();
      });
      let take: ReturnType<typeof rowTaker> | undefined;
      for await (const { format, rows } of readInThread(counted, {
        format: view.format ?? undefined,
        name,
      })) {
        if (!take) {
          passes = (format && formatOf(format).passes) ?? 1;
          await this.noteFormat(lease, format);
          take = rowTaker(staging, name, format, view);
        }
        for (const row of rows) {
          const fatal = take(row);
          if (fatal !== null) {
            await write();
            return fatal;
          }
          if (staging.isLarge) await write();
        }
      }
    }
    // Only what is written is compared.
    await write();
    await this.compareWithAccount(view.accountId, near, staging, write);
    await write();
    return null;
  }

  /** How many quizzes the import would make, and what the account's plan says to that. */
  async foretell(tx: EntityManager, view: ImportView): Promise<void> {
    if (view.quizId) return;
    const [[{ needed }]] = await tx.query<[[{ needed: number }], number]>(
      `UPDATE imports SET quizzes = (
         SELECT coalesce(sum(CASE WHEN quiz ? 'title' THEN 1 ELSE ceil(rows / ${QUIZ_SIZE}.0) END), 0)
         FROM import_groups WHERE import_id = $1)
       WHERE id = $1 RETURNING quizzes AS needed`,
      [view.id],
    );
    const limit = this.accounts.quizLimitOf(await this.accounts.get(view.accountId));
    const owned = await tx.getRepository(Quiz).countBy({ ownerId: view.accountId });
    if (limit === null || owned + needed <= limit) return;
    await insertReportEntries(tx, view.id, [
      {
        kind: 'note',
        file: view.fileName,
        line: 1,
        message: `This makes ${needed} quizzes, but your plan has room for ${Math.max(limit - owned, 0)} more: the import would stop there.`,
      },
    ]);
    await tx.query(`UPDATE imports SET notes = notes + 1 WHERE id = $1`, [view.id]);
  }

  private startOver(lease: ImportLease): Promise<void> {
    return this.underLease(lease, async (tx) => {
      for (const table of ['import_questions', 'import_groups', 'import_report_entries'])
        await tx.query(`DELETE FROM ${table} WHERE import_id = $1`, [lease.id]);
      await tx.query(
        `UPDATE imports SET read = 0, rows = 0, importable = 0, duplicates = 0, near_duplicates = 0, errors = 0, notes = 0
         WHERE id = $1`,
        [lease.id],
      );
    });
  }

  private async noteFormat(lease: ImportLease, format: string | undefined): Promise<void> {
    await this.database.query(`UPDATE imports SET format = $2 WHERE id = $1 AND token = $3`, [
      lease.id,
      format ?? null,
      lease.token,
    ]);
  }

  /** The account's questions pass by the file's, and not the other way round: they need no index of their own. */
  private async compareWithAccount(
    accountId: string,
    near: NearDuplicates,
    staging: Staging,
    write: () => Promise<void>,
  ): Promise<void> {
    let after: string | null = null;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const texts = await this.batches.textsOf(accountId, after, PAGE);
      for (const { text, quizTitle } of texts) {
        const found = near.find(text);
        await yieldToEventLoop();
        if (!found) continue;
        const [line = '', ...file] = found.place.split(' ');
        staging.report(
          'similar',
          { file: file.join(' '), line: Number(line), path: null },
          `Much like ${quote(text)} in your quiz ${quote(quizTitle)}: it is imported all the same; look whether one is enough.`,
        );
      }
      // Also to keep the lease.
      await write();
      if (texts.length < PAGE) return;
      after = texts.at(-1)?.fingerprint ?? null;
    }
  }

  private async underLease(
    lease: ImportLease,
    work: (tx: DataSource['manager']) => Promise<void>,
  ): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (!(await keepLease(tx, lease, this.clock.now()))) throw new LeaseLost();
      await work(tx);
    });
  }
}

/** @returns what takes a row: the sentence of a fatal error, else null */
function rowTaker(
  staging: Staging,
  file: string,
  format: Parameters<typeof toQuestion>[1],
  view: ImportView,
): (row: ImportRow) => string | null {
  const groups = new Map<string, GroupQuiz | RowError>();
  return (row) => {
    const place = { file, line: row.line, path: row.path ?? null };
    if ('note' in row) staging.report('note', place, row.note);
    else if ('error' in row) {
      staging.report('error', place, row.error);
      return row.fatal ? `${file}:${row.line}: ${row.error}` : null;
    } else {
      try {
        const key = row.quiz?.key ?? '';
        if (groups.size > GROUPS_REMEMBERED) groups.clear();
        const about =
          groups.get(key) ?? attempt(() => toGroupQuiz(row.quiz, file, format, view.options));
        groups.set(key, about);
        if (about instanceof RowError) throw about;
        staging.add(place, { key, about }, toQuestion(row.question, format, view.options));
        for (const note of row.notes ?? []) staging.report('note', place, note);
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        staging.report('error', place, error.message);
      }
    }
    return null;
  };
}

function attempt(read: () => GroupQuiz): GroupQuiz | RowError {
  try {
    return read();
  } catch (error) {
    if (error instanceof RowError) return error;
    throw error;
  }
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
