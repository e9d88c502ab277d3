import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Writes a file beside its place and moves it there at the end: nobody finds half of it, and one that was there before stays
 * until the new one is complete. What is not complete has a name of its own, with the ending `.part`; a process that is
 * killed leaves it there. A device or a pipe, such as /dev/stdout, is written to as it is.
 */
export async function writeWhole(
  file: string,
  content: AsyncIterable<string | Uint8Array>,
  mode = 0o666,
): Promise<void> {
  // Of a link, the file that it leads to is replaced.
  const place = await realpath(file).catch(() => file);
  const before = await stat(place).catch(() => null);
  if (before && !before.isFile()) return pipeline(Readable.from(content), createWriteStream(place));
  const draft = `${place}.${randomBytes(4).toString('hex')}.part`;
  // Somebody's file is never overwritten, nor deleted below.
  const opened = await open(draft, 'wx', mode);
  try {
    await pipeline(Readable.from(content), opened.createWriteStream());
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
