import { type ExportName, type FormatName } from '../../src/import-export/formats/formats';
import { withContents } from '../../src/import-export/formats/pictures';
import { readRows } from '../../src/import-export/formats/read-rows';
import type {
  Bytes,
  ExportedQuiz,
  ImportRow,
  ParsedRow,
  Reader,
} from '../../src/import-export/formats/row';
import { WRITERS } from '../../src/import-export/formats/writers';

/** The bytes in pieces, as small as a pipe may give them. */
export function pieces(content: string | Buffer, size = 7): Buffer[] {
  const bytes = Buffer.from(content);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** For `parse` of a response that may be no text. */
export function asBytes(response: unknown, done: (error: null, bytes: Buffer) => void): void {
  const pieces: Buffer[] = [];
  const stream = response as NodeJS.ReadableStream;
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  stream.on('end', () => done(null, Buffer.concat(pieces)));
}

/** A reader's rows. @throws FileError */
export function rowsBy(
  read: Reader,
  content: string | Buffer,
  size?: number,
): Promise<ImportRow[]> {
  return collect(read(pieces(content, size)));
}

/** A file's rows as an import sees them. */
export async function rowsOf(
  content: string | Buffer | Bytes,
  format?: FormatName,
  fileName?: string,
): Promise<ImportRow[]> {
  const bytes = typeof content === 'string' || Buffer.isBuffer(content) ? pieces(content) : content;
  return collect((await readRows(bytes, format, fileName)).rows);
}

/** The file of a quiz. */
export async function exported(quiz: ExportedQuiz, name: ExportName): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of withContents(WRITERS[name](quiz), quiz.pictures))
    chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** The rows that are questions; fails when there are others. */
export function questions(rows: ImportRow[]): ParsedRow[] {
  expect(rows.filter((row) => !('question' in row))).toEqual([]);
  return rows as ParsedRow[];
}
