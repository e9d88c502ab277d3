import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import { TooLarge } from '../../../platform/errors/domain-errors';

/** A file in a ZIP archive. */
export interface ZipEntry {
  name: string;
  content: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
  /** Not compressed: a picture, or what is to be recognised without unpacking. */
  isStored?: boolean;
}

/** The format without its extension of 64 bits. */
const MOST_ENTRIES = 65_535;
const MOST_BYTES = 0xffff_ffff;
/** The first moment that the format knows, in the local time that it has: equal content makes equal bytes. */
const NO_TIME = new Date(1980, 0, 1);
/** Characters that are compressed at once. */
const PIECE = 65_536;

/**
 * A ZIP archive as it is written: an entry is read when its turn comes, and only a piece of it is in memory.
 * @throws TooLarge
 */
export async function* writeZip(
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>,
): AsyncGenerator<Uint8Array> {
  const written: Uint8Array[] = [];
  let failure: Error | null = null;
  const zip = new Zip((error, chunk) => {
    // With an error, fflate passes no chunk, whatever its types say.
    if (error) failure ??= error;
    else if (chunk.length > 0) written.push(chunk);
  });
  let [count, size] = [0, 0];
  const take = function* () {
    if (failure) throw failure;
    for (const chunk of written.splice(0)) {
      if ((size += chunk.length) > MOST_BYTES)
        throw new TooLarge(
          'The archive is larger than 4 GiB, the most that a ZIP archive can hold.',
        );
      yield chunk;
    }
  };
  for await (const { name, content, isStored } of entries) {
    if (++count > MOST_ENTRIES)
      throw new TooLarge(
        `The archive has more than ${MOST_ENTRIES.toLocaleString('en')} files, the most that a ZIP archive can hold.`,
      );
    const file = isStored ? new ZipPassThrough(name) : new ZipDeflate(name, { level: 6 });
    file.mtime = NO_TIME;
    zip.add(file);
    let text = '';
    for await (const piece of content) {
      if (typeof piece === 'string') text += piece;
      if (text.length >= PIECE || (text !== '' && typeof piece !== 'string')) {
        file.push(Buffer.from(text));
        text = '';
      }
      if (typeof piece !== 'string') file.push(piece);
      yield* take();
    }
    file.push(Buffer.from(text), true);
    yield* take();
  }
  zip.end();
  yield* take();
}
