import type { Request, Response } from 'express';
import type { EntityManager } from 'typeorm';
import { TooLarge, UnsupportedMediaType } from '../../platform/errors/domain-errors';
import { receive } from '../../platform/http/request/file-body';
import { MEBIBYTE } from '../../platform/sizes';
import { formatByMediaType, type FormatName } from '../formats/formats';
import type { Bytes } from '../formats/row';
import { ImportChunk } from './import-chunk.entity';

/** The format that a `Content-Type` names. JSON and ZIP are not decided: several formats are one or the other. */
export function formatOfUpload({ headers }: Request): FormatName | undefined {
  const named = formatByMediaType(headers['content-type'] ?? '');
  return named === 'json' || named === 'archive' ? undefined : named;
}

/** Types that no reader can read. Many others are sent for tables and texts: Windows calls a CSV file `vnd.ms-excel`. */
const NEVER_QUESTIONS =
  /^(?:(?:image|audio|video|font)\/|application\/(?:pdf|msword|vnd\.ms-powerpoint|vnd\.openxmlformats-officedocument\.(?:wordprocessing|presentation)ml\.))/i;

export const unsupportedFile = () =>
  new UnsupportedMediaType(
    'Files of this Content-Type cannot be imported. Send questions as a table, a text or an export of another program; if only the header is wrong, send application/octet-stream.',
  );

/**
 * Passes on an uploaded file as it arrives.
 * @throws Malformed (400) for a form, a compressed or an incomplete body; TooLarge (413); UnsupportedMediaType (415)
 */
export function receiveQuestions<T>(
  request: Request,
  response: Response,
  most: number,
  take: (bytes: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const file = {
    most,
    tooLarge: () => fileTooLarge(most),
    example: 'curl --data-binary @questions.csv',
  };
  return receive(request, response, file, (bytes) => {
    if (NEVER_QUESTIONS.test(request.headers['content-type'] ?? '')) throw unsupportedFile();
    return take(bytes);
  });
}

/**
 * Stores an uploaded file in PostgreSQL, where a worker of another machine can read it, one chunk per transaction: no
 * transaction is open while a slow client sends.
 * @returns its size in bytes
 * @throws TooLarge above `most` bytes
 */
export async function storeFile(
  database: EntityManager,
  importId: string,
  bytes: Bytes,
  most: number,
): Promise<number> {
  let size = 0;
  let number = 0;
  let waiting: Uint8Array[] = [];
  let length = 0;
  const store = async () => {
    const stored = { importId, number: number++, bytes: Buffer.concat(waiting) };
    await database.insert(ImportChunk, stored);
    [waiting, length] = [[], 0];
  };
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > most) throw fileTooLarge(most);
    waiting.push(chunk);
    if ((length += chunk.length) >= MEBIBYTE) await store();
  }
  if (length > 0) await store();
  return size;
}

export const fileTooLarge = (most: number) =>
  new TooLarge(
    `The file is larger than ${most / MEBIBYTE} MiB, the most that is taken at once. Split it, or ask the operator to import it with quizctl.`,
    'file-too-large',
  );

/** The stored file; it can be read repeatedly. */
export const storedFile = (database: EntityManager, importId: string): Bytes => ({
  [Symbol.asyncIterator]: () => chunksOf(database, importId),
});

async function* chunksOf(database: EntityManager, importId: string): AsyncGenerator<Uint8Array> {
  for (let number = 0; ; number += 1) {
    const chunk = await database.findOneBy(ImportChunk, { importId, number });
    if (!chunk) return;
    yield chunk.bytes;
  }
}
