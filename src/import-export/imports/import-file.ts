import type { EntityManager } from 'typeorm';
import { TooLarge } from '../../platform/errors/domain-errors';
import type { Bytes } from '../formats/row';
import { MEBIBYTE } from '../formats/text/text-lines';

/**
 * Keeps an uploaded file in PostgreSQL, where a worker of another machine can read it, a chunk at a time and
 * each on its own: no transaction is open while a slow client sends.
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
    await database.query(
      `INSERT INTO import_chunks (import_id, number, bytes) VALUES ($1, $2, $3)`,
      [importId, number++, Buffer.concat(waiting)],
    );
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
    `The file is larger than ${most / MEBIBYTE} MiB, the most that is taken at once. Split it, or import it with quizctl.`,
  );

/** The file as it was kept, as often as it is read. */
export const storedFile = (database: EntityManager, importId: string): Bytes => ({
  [Symbol.asyncIterator]: () => chunksOf(database, importId),
});

async function* chunksOf(database: EntityManager, importId: string): AsyncGenerator<Uint8Array> {
  for (let number = 0; ; number += 1) {
    const [chunk] = await database.query<{ bytes: Buffer }[]>(
      `SELECT bytes FROM import_chunks WHERE import_id = $1 AND number = $2`,
      [importId, number],
    );
    if (!chunk) return;
    yield chunk.bytes;
  }
}
