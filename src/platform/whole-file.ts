import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Writes a file beside its place and moves it there at the end: nobody finds half of it, and one that was there before stays
 * until the new one is complete. What is not complete has the ending `.part`. A device or a pipe, such as /dev/stdout, is
 * written to as it is.
 */
export async function writeWhole(
  file: string,
  content: AsyncIterable<string | Uint8Array>,
  mode = 0o666,
): Promise<void> {
  const write = (to: string) => pipeline(Readable.from(content), createWriteStream(to, { mode }));
  // Of a link, the file that it leads to is replaced.
  const place = await realpath(file).catch(() => file);
  const before = await stat(place).catch(() => null);
  if (before && !before.isFile()) return write(place);
  const draft = `${place}.part`;
  try {
    await write(draft);
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
