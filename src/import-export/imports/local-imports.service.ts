import { type FileHandle, open, stat } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { QuizAuthoringService } from '../../authoring/quizzes/quiz-authoring.service';
import { Clock } from '../../platform/clock';
import { Malformed } from '../../platform/errors/domain-errors';
import type { Bytes } from '../formats/row';
import { MEBIBYTE } from '../formats/text/text-lines';
import { insertImport } from './import.queries';
import type { ImportOptions, ImportView } from './imports.dto';
import { ImportsService } from './imports.service';
import type { FileToRead } from './running/import-check.service';
import { ImportRunnerService, type Watch } from './running/import-runner.service';

/** Imports of files on this machine: read in this process, of any size, and not sent to the database first. */
@Injectable()
export class LocalImportsService {
  constructor(
    private readonly database: DataSource,
    private readonly quizzes: QuizAuthoringService,
    private readonly imports: ImportsService,
    private readonly runner: ImportRunnerService,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads all files completely, then imports them. An import that is killed after that is finished by a worker, if
   * one runs; started again, it adds nothing twice. A cancelled one keeps what was written.
   * @throws Malformed if a file cannot be read completely: then nothing is imported
   * @throws NotFound, Forbidden for a quiz that is not the account's
   */
  async import(
    accountId: string,
    files: readonly string[],
    options: ImportOptions,
    watchOf: (importId: string, bytes: number) => Watch = () => ({}),
  ): Promise<ImportView> {
    if (options.quizId !== undefined)
      await this.quizzes.requireOwner({ accountId }, options.quizId);
    const opened: (FileToRead & { handle: FileHandle })[] = [];
    let size = 0;
    try {
      for (const name of files) {
        const handle = await openFile(name);
        opened.push({ name, handle, bytes: bytesOf(handle) });
        size += (await handle.stat()).size;
      }
      const [first = '', ...more] = files;
      const name = more.length > 0 ? `${first} and ${more.length} more` : first;
      const now = this.clock.now();
      const job = await this.database.transaction((tx) =>
        insertImport(tx, accountId, name, options, now, size),
      );
      await this.runner.work(job, opened, watchOf(job.id, size));
      const ended = await this.imports.get(accountId, job.id);
      if (ended.state === 'failed') throw new Malformed(ended.error ?? 'The file cannot be read.');
      return ended;
    } finally {
      for (const { handle } of opened) await handle.close();
    }
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
    // Checked before opening: opening a pipe would block.
    const found = await stat(file);
    if (found.isFile()) return await open(file);
    isFolder = found.isDirectory();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Malformed(
      code === 'ENOENT'
        ? `${file}: file not found. Check its name and its folder.`
        : `${file}: it cannot be read (${code ?? message}).`,
    );
  }
  throw new Malformed(
    isFolder
      ? `${file}: this is a folder. Pass the files in it.`
      : `${file}: this input can't be rewound, which the format needs. Save it to a regular file first.`,
  );
}
