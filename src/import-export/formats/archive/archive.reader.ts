import { createHash } from 'node:crypto';
import { PICTURE_FILE } from '../../../media/media.dto';
import { readPicture } from '../../../media/media.service';
import { DomainError } from '../../../platform/errors/domain-errors';
import { LIMITS } from '../../../platform/limits/limits';
import { MEBIBYTE } from '../../../platform/sizes';
import { NIL_ID } from '../../../platform/text/ids';
import { instantOf } from '../../../platform/text/instant.rules';
import { codePoints, isStorable } from '../../../platform/text/text.rules';
import {
  isFuture,
  ResultLineError,
  ResultLineReader,
} from '../../../play/archive/results-lines.rules';
import { LONGEST_JSON_LINE, readJson } from '../json/json';
import { isObject } from '../json/json-question';
import { quizOf } from '../metadata';
import {
  type Bytes,
  FileError,
  type ImportRow,
  type KeptOfQuiz,
  NOTHING,
  type QuizOfRow,
  quote,
} from '../row';
import { TextDecoding } from '../text/text-decoding';
import { type Line, textLines } from '../text/text-lines';
import { DamagedZip, ZipArchive } from '../zip/zip-file';

/**
 * The archive of an account: `manifest.json`, a file of JSON for each quiz as it is exported alone, and one of JSON Lines for the
 * results of each that was played, by the same name. Pictures are named after their content, and so they are in texts.
 */
export const MANIFEST = 'manifest.json';
const [QUIZZES, RESULTS] = ['quizzes/', 'results/'];

/** Not compressed and first, so that the beginning of the file shows what it is. */
export const ARCHIVE_MARK = '{"format":"quiz-account-archive","version":1}\n';

export const quizFile = (name: string): string => `${QUIZZES}${name}.json`;
export const pictureFile = (name: string, type: string): string =>
  `media/${name}.${type.slice('image/'.length)}`;
const PICTURE = /^media\/([\da-f-]{36})\.(?:png|jpeg|webp|gif|avif)$/;
export const resultsFile = (name: string): string => `${RESULTS}${name}.jsonl`;

const LARGEST_QUIZ = LIMITS.imports.jsonFile.value;

/**
 * Reads the quizzes of an archive, and checks its results; `ArchiveFile` reads these. What an export would not
 * have written is an error of the whole file: results name questions by their numbers, so none may be missing.
 * @throws FileError
 */
export async function* readArchive(bytes: Bytes): AsyncGenerator<ImportRow> {
  const archive = await ArchiveFile.open(bytes);
  try {
    if (archive.quizzes.length === 0) throw new FileError(1, NOTHING);
    archive.requireQuizzesOfResults();
    const known = new Set([MANIFEST]);
    let results = 0;
    for (const name of archive.quizzes) {
      known.add(quizFile(name)).add(resultsFile(name));
      yield* archive.rowsOf(name);
      const reader = new ResultLineReader();
      for await (const line of archive.resultsOf(name)) {
        if (++results > archivedResults.value) throw tooManyResults();
        archive.check(name, () => reader.read(line));
      }
    }
    for await (const { file } of archive.pictures()) known.add(file);
    const [foreign, ...more] = archive.names.filter((name) => !known.has(name));
    if (foreign !== undefined)
      yield { line: 1, path: foreign, note: ignored(foreign, more.length) };
  } finally {
    await archive.close();
  }
}

/** An open archive. */
export class ArchiveFile {
  private constructor(private readonly zip: ZipArchive) {}

  /** @throws FileError */
  static async open(bytes: Bytes): Promise<ArchiveFile> {
    const zip = await ZipArchive.open(bytes);
    const archive = new ArchiveFile(zip);
    try {
      const manifest = await archive.json(MANIFEST);
      if (!isObject(manifest) || manifest.format !== 'quiz-account-archive') throw notOurs();
      if (manifest.version !== 1)
        throw new FileError(
          1,
          'The archive was made by a newer version of the service: import it with that version.',
        );
      return archive;
    } catch (error) {
      await zip.close();
      throw error;
    }
  }

  get names(): readonly string[] {
    return this.zip.names;
  }

  /** The names of its quizzes' files, without folder and ending, in their order. */
  get quizzes(): string[] {
    return this.zip.names.flatMap((name) => /^quizzes\/([^/]+)\.json$/.exec(name)?.[1] ?? []);
  }

  /** @throws FileError for results without the file of their quiz: they would be lost without a word */
  requireQuizzesOfResults(): void {
    for (const file of this.zip.names) {
      const [, name] = /^results\/([^/]+)\.jsonl$/.exec(file) ?? [];
      if (name === undefined || this.zip.has(quizFile(name))) continue;
      throw new FileError(
        1,
        `${quote(quizFile(name))} is missing in the archive: export the account again.`,
      );
    }
  }

  close = (): Promise<void> => this.zip.close();

  /** @throws FileError for what is no picture, or is not named after its content */
  async *pictures(): AsyncGenerator<{ file: string; image: ReturnType<typeof readPicture> }> {
    for (const file of this.zip.names) {
      const [, name] = PICTURE.exec(file) ?? [];
      if (name === undefined) continue;
      if (this.zip.sizeOf(file) > PICTURE_FILE.most) throw badPicture(file);
      yield { file, image: pictureOf(file, name, await this.bytes(file)) };
    }
  }

  /** The questions of a quiz, and notes. @throws FileError also where a question cannot be read */
  async *rowsOf(name: string): AsyncGenerator<ImportRow> {
    const file = quizFile(name);
    const bytes = await this.bytes(file);
    const object = parsed(file, bytes.toString());
    if (!isObject(object) || !Array.isArray(object.questions) || typeof object.title !== 'string')
      throw noQuiz(file);
    // A quiz without questions is created with the results.
    if (object.questions.length === 0) return;
    for await (const row of readJson([bytes])) {
      const path = row.path ? `${file}: ${row.path}` : file;
      if ('error' in row) throw new FileError(row.line, `${file}: ${row.error}`);
      if ('note' in row) yield { ...row, path };
      else
        yield { ...row, path, quiz: { ...row.quiz, key: file, kept: this.keptOf(file, object) } };
    }
  }

  /** The quiz itself, and whether it has questions. @throws FileError */
  async quiz(name: string): Promise<{ quiz: QuizOfRow; isEmpty: boolean }> {
    const file = quizFile(name);
    const object = await this.json(file);
    if (!isObject(object)) throw noQuiz(file);
    const isEmpty = !Array.isArray(object.questions) || object.questions.length === 0;
    return { quiz: { ...quizOf(object, file), kept: this.keptOf(file, object) }, isEmpty };
  }

  /** The lines of its results. @param rewrite changes what a line says of pictures @throws FileError */
  async *resultsOf(
    name: string,
    rewrite: (line: object) => Promise<object> | object = (line) => line,
  ): AsyncGenerator<unknown> {
    const file = resultsFile(name);
    if (!this.zip.has(file)) return;
    for await (const lines of this.linesOf(file))
      for (const { text } of lines) {
        if (!text.trim()) continue;
        const line = parsed(file, text);
        yield isObject(line) ? await rewrite(line) : line;
      }
  }

  /** @throws FileError that names the file, unless the archive itself is damaged */
  private async *linesOf(file: string): AsyncGenerator<Line[]> {
    const bytes = { [Symbol.asyncIterator]: () => this.zip.read(file) };
    try {
      yield* textLines(bytes, new TextDecoding(), LONGEST_JSON_LINE);
    } catch (error) {
      // The reader's advice is for a file of questions that somebody has saved; an export has no such lines.
      throw error instanceof FileError && !(error instanceof DamagedZip) ? changed(file) : error;
    }
  }

  /** @throws FileError if it throws a `ResultLineError` */
  check<T>(name: string, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ResultLineError)) throw error;
      throw new FileError(
        1,
        `${quote(resultsFile(name))} in the archive has a line that cannot be read (${error.message}): export the account again.`,
      );
    }
  }

  private keptOf(file: string, object: Record<string, unknown>): KeptOfQuiz {
    const { slug, createdAt, published, featured, writtenBy } = object;
    const created = typeof createdAt === 'string' ? instantOf(createdAt) : undefined;
    const fits =
      (slug === undefined ||
        (typeof slug === 'string' && slug.length <= LONGEST_SLUG && SLUG.test(slug))) &&
      (created === undefined || (created && isTime(created))) &&
      (writtenBy === undefined ||
        (typeof writtenBy === 'string' &&
          writtenBy.length <= 2 * LONGEST_WRITER &&
          codePoints(writtenBy) <= LONGEST_WRITER &&
          isStorable(writtenBy)));
    if (!fits) throw changed(file);
    if (created && isFuture(created))
      throw new FileError(
        1,
        `${quote(file)} in the archive was created in the future (${created.toISOString()}): compare the clocks of both deployments, and export the account again.`,
      );
    return {
      ...(typeof slug === 'string' && { slug }),
      ...(created && { createdAt: created.toISOString() }),
      published: published === true,
      featured: featured === true,
      ...(typeof writtenBy === 'string' && { writtenBy }),
    };
  }

  private async json(file: string): Promise<unknown> {
    return parsed(file, (await this.bytes(file)).toString());
  }

  /** @throws FileError */
  private async bytes(file: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    if (this.zip.sizeOf(file) > LARGEST_QUIZ)
      throw file === MANIFEST
        ? notOurs()
        : new FileError(
            1,
            `${quote(file)} in the archive is larger than ${LARGEST_QUIZ / MEBIBYTE} MiB: split this quiz, and export the account again.`,
          );
    for await (const piece of this.zip.read(file)) pieces.push(piece);
    return Buffer.concat(pieces);
  }
}

function pictureOf(file: string, name: string, bytes: Buffer) {
  try {
    const image = readPicture(bytes);
    const hash = createHash('sha256').update(image.bytes).digest('hex').slice(0, 32);
    if (hash === name.replaceAll('-', '')) return image;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
  throw badPicture(file);
}

/** What is ignored of an archive that was packed again: a Mac adds a file for each. */
function ignored(file: string, more: number): string {
  const first = quote(file);
  if (more === 0) return `${first} is not part of the archive and is ignored.`;
  if (more === 1) return `${first} and 1 other file are not part of the archive and are ignored.`;
  return `${first} and ${more.toLocaleString('en')} other files are not part of the archive and are ignored.`;
}

const changed = (file: string): FileError =>
  new FileError(1, `${quote(file)} in the archive was changed: export the account again.`);

const noQuiz = (file: string): FileError =>
  new FileError(1, `${quote(file)} in the archive is no quiz: export the account again.`);

const badPicture = (file: string): FileError =>
  new FileError(
    1,
    `${quote(file)} in the archive is no picture of the service, or was changed: export the account again.`,
  );

const { archivedResults } = LIMITS.imports;

const tooManyResults = (): FileError =>
  new FileError(
    1,
    `The archive has more than ${archivedResults.value.toLocaleString('en')} attempts and other results, which is more than can be imported: export its quizzes one by one, without results.`,
  );

const SLUG = /^[a-z\d]+(?:-[a-z\d]+)*$/;

/** An id may follow what a title becomes. */
const LONGEST_SLUG = LIMITS.content.slug.value + `-${NIL_ID}`.length;

/** An assistant that names itself, with the name of its key. */
const LONGEST_WRITER =
  LIMITS.content.writtenBy.value + LIMITS.accounts.keyName.value + ' (key “”)'.length;

const isTime = (date: Date): boolean =>
  date.getUTCFullYear() >= 2000 && date.getUTCFullYear() < 2100;

function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw file === MANIFEST
      ? notOurs()
      : new FileError(1, `${quote(file)} in the archive is not JSON: export the account again.`);
  }
}

const notOurs = (): FileError =>
  new FileError(
    1,
    'The ZIP archive is not the archive of an account: unpack it, and import the files with questions.',
  );
