import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { QuizAuthoringService } from '../../authoring/quizzes/quiz-authoring.service';
import { Clock } from '../../platform/clock';
import { Malformed } from '../../platform/errors/domain-errors';
import { newId } from '../../platform/text/ids';
import type { Bytes } from '../formats/row';
import { MEBIBYTE } from '../formats/text/text-lines';
import type { ImportOptions, ImportView } from './import';
import {
  deleteOldest,
  findImport,
  IMPORT_COLUMNS,
  LEASE,
  type ImportLease,
} from './import.queries';
import { LeaseLost, type FileToRead } from './import-check.service';
import { ImportRunnerService } from './import-runner.service';

/** Imports of files that lie on this machine: read here, of any size, and not sent to the database first. */
@Injectable()
export class LocalImportsService {
  constructor(
    private readonly database: DataSource,
    private readonly quizzes: QuizAuthoringService,
    private readonly runner: ImportRunnerService,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads all files to their end, then imports them. An import that is killed after that is finished by a
   * worker, if one runs; started again, it adds nothing twice.
   * @throws Malformed when a file cannot be read to its end: nothing is imported then
   * @throws NotFound, Forbidden for a quiz that is not the account's
   */
  async import(
    accountId: string,
    files: readonly string[],
    options: ImportOptions,
    watch: {
      onBegin?: (importId: string) => void;
      onRead?: (bytes: number, ofBytes: number) => void;
      onWritten?: (questions: number, ofQuestions: number) => void;
    } = {},
  ): Promise<ImportView> {
    if (options.quizId !== undefined) await this.quizzes.requireOwner(accountId, options.quizId);
    const opened: (FileToRead & { handle: FileHandle })[] = [];
    let size = 0;
    try {
      for (const name of files) {
        const handle = await openFile(name);
        opened.push({ name, handle, bytes: bytesOf(handle) });
        size += (await handle.stat()).size;
      }
      const { lease, view } = await this.begin(accountId, files, options, size);
      watch.onBegin?.(view.id);
      try {
        const goOn = await this.runner.check(lease, view, opened, (bytes) =>
          watch.onRead?.(bytes, size),
        );
        const { importable } = await this.look(accountId, view.id);
        if (goOn)
          await this.runner.write(lease, view, (done) => watch.onWritten?.(done, importable));
      } catch (error) {
        // Cancelled: what was written stays, and the report says how much.
        if (!(error instanceof LeaseLost)) throw error;
      }
      const ended = await this.look(accountId, view.id);
      if (ended.state === 'failed') throw new Malformed(ended.error ?? 'The file cannot be read.');
      return ended;
    } finally {
      for (const { handle } of opened) await handle.close();
    }
  }

  private async begin(
    accountId: string,
    files: readonly string[],
    { dryRun, quizId, format, difficulty, published, source, licence }: ImportOptions,
    size: number,
  ): Promise<{ lease: ImportLease; view: ImportView }> {
    const now = this.clock.now();
    const [first = '', ...more] = files;
    await deleteOldest(this.database.manager, accountId);
    const [view] = await this.database.query<[ImportView & { token: string }]>(
      `INSERT INTO imports (id, account_id, state, dry_run, quiz_id, file_name, format, options, stored, size,
         created_at, started_at, token, leased_until, next_check_at)
       VALUES ($1, $2, 'running', $3, $4, $5, $6, $7, false, $8, $9, $9, gen_random_uuid(), $10, $10)
       RETURNING token, ${IMPORT_COLUMNS}`,
      [
        newId(),
        accountId,
        dryRun,
        quizId ?? null,
        more.length > 0 ? `${first} and ${more.length} more` : first,
        format ?? null,
        JSON.stringify({ difficulty, published, source, licence }),
        size,
        now,
        new Date(now.getTime() + LEASE),
      ],
    );
    return { lease: { id: view.id, token: view.token }, view };
  }

  private async look(accountId: string, id: string): Promise<ImportView> {
    const view = await findImport(this.database.manager, id, accountId);
    if (!view) throw new Error(`Import ${id} is gone`);
    return view;
  }
}

/** From the beginning each time: some formats are read twice. */
const bytesOf = (handle: FileHandle): Bytes => ({
  async *[Symbol.asyncIterator]() {
    for (let at = 0; ;) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(MEBIBYTE), 0, MEBIBYTE, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  },
});

/** @throws Malformed */
async function openFile(file: string): Promise<FileHandle> {
  let isFolder = false;
  try {
    // Before it is opened: a pipe would be waited for.
    const found = await stat(file);
    if (found.isFile()) return await open(file);
    isFolder = found.isDirectory();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Malformed(
      code === 'ENOENT'
        ? `${file}: there is no such file. Look at its name and its folder.`
        : `${file}: it cannot be read (${code ?? message}).`,
    );
  }
  throw new Malformed(
    isFolder
      ? `${file}: it is a folder. Name the files in it.`
      : `${file}: this input can't be rewound, which the format needs. Save it to a regular file first.`,
  );
}
