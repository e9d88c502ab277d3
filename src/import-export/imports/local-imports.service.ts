import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { QuizAuthoringService } from '../../authoring/quizzes/quiz-authoring.service';
import { Clock } from '../../platform/clock';
import { Malformed } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { MEBIBYTE } from '../../platform/sizes';
import { FORMAT_NAMES, formatOf } from '../formats/formats';
import type { Bytes } from '../formats/row';
import { FolderPictures } from './folder-pictures';
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
   * Reads all files completely, then imports them; of a folder, the question files in it, with the pictures beside them.
   * An import that is killed after that is finished by a worker, if one runs; started again, it adds nothing twice. A
   * cancelled one keeps what was written.
   * @throws Malformed if a file cannot be read completely: then nothing is imported
   * @throws NotFound, Forbidden for a quiz that is not the account's
   */
  async import(
    accountId: string,
    paths: readonly string[],
    options: ImportOptions,
    watchOf: (importId: string, bytes: number, files: number) => Watch = () => ({}),
  ): Promise<ImportView> {
    if (options.quizId !== undefined)
      await this.quizzes.requireOwner({ accountId }, options.quizId);
    const opened: (FileToRead & { handle: FileHandle })[] = [];
    let size = 0;
    try {
      for (const path of paths)
        for (const file of await filesAt(path)) {
          const handle = await openFile(file.name);
          opened.push({ ...file, handle, bytes: bytesOf(handle) });
          size += (await handle.stat()).size;
        }
      const [first = '', ...more] = paths;
      const name = more.length > 0 ? `${first} and ${more.length} more` : first;
      const now = this.clock.now();
      const job = await this.database.transaction((tx) =>
        insertImport(tx, accountId, name, options, now, size),
      );
      await this.runner.work(job, opened, watchOf(job.id, size, opened.length));
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

/** The file itself; the question files of a folder, in the order of their names. @throws Malformed */
async function filesAt(path: string): Promise<Omit<FileToRead, 'bytes'>[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return [{ name: path }];
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  const names = files.filter(isQuestionFile).sort();
  if (names.length === 0)
    throw new Malformed(
      `${path}: the folder has no question files. They end in ${ENDINGS.join(', ')} or .txt.`,
    );
  if (names.length > MOST_FILES)
    throw new Malformed(
      `${path}: the folder has ${names.length.toLocaleString('en')} question files, and at most ${MOST_FILES} are read at once. Import them in several folders.`,
    );
  const pictures = await FolderPictures.open(path);
  return names.map((name) => ({ name: join(path, name), pictures }));
}

/** Of the question files of a folder. */
const ENDINGS = FORMAT_NAMES.map(formatOf).flatMap(({ isPackage, endings }) =>
  isPackage ? [] : endings,
);
const MOST_FILES = LIMITS.imports.folderFiles.value;

/** Hidden files are no question files, and neither is what people write about a folder. */
const isQuestionFile = (name: string): boolean =>
  !/^(?:\.|readme\b|licen[cs]e\b)/i.test(name) &&
  [...ENDINGS, '.txt'].includes(extname(name).toLowerCase());

/** @throws Malformed */
async function openFile(file: string): Promise<FileHandle> {
  try {
    // Checked before opening: opening a pipe would block.
    if ((await stat(file)).isFile()) return await open(file);
  } catch (error) {
    throw unreadable(file, error);
  }
  throw new Malformed(
    `${file}: this input can't be rewound, which the format needs. Save it to a regular file first.`,
  );
}

function unreadable(path: string, error: unknown): Malformed {
  const { code, message } = error as NodeJS.ErrnoException;
  return new Malformed(
    code === 'ENOENT'
      ? `${path}: file not found. Check its name and its folder.`
      : `${path}: it cannot be read (${code ?? message}).`,
  );
}
