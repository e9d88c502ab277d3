import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { LIMITS } from '../../../platform/limits/limits';
import { MEBIBYTE } from '../../../platform/sizes';
import { type Bytes, FileError, headOf, quote } from '../row';
import { isZip } from '../sniff-zip';

const { unpackedArchive, archiveEntries, archiveRatio } = LIMITS.imports;
const MOST_RATIO = archiveRatio.value;
const SMALL = 16 * MEBIBYTE;

/**
 * A ZIP archive that somebody has sent. It is kept in a temporary file that nothing else sees: its list of
 * contents stands at its end. The names of entries are never paths of this machine: nothing is unpacked into files.
 */
export class ZipArchive {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
    private readonly handle: FileHandle,
  ) {}

  /** In the order of their characters. */
  get names(): string[] {
    return [...this.entries.keys()].sort();
  }

  /** @throws FileError if it is damaged, encrypted or too large, or has names that are not safe */
  static async open(bytes: Bytes): Promise<ZipArchive> {
    const { handle, size } = await spooled(bytes);
    try {
      return await guarded(async () => {
        const zip = await fromFdPromise(handle.fd, { autoClose: false, lazyEntries: true });
        if (zip.entryCount > archiveEntries.value)
          throw new FileError(
            1,
            `The ZIP archive has more than ${archiveEntries.value.toLocaleString('en')} files: split it.`,
          );
        return new ZipArchive(zip, await entriesOf(zip, size), handle);
      });
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The content of an entry. @throws FileError */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.entries.get(name);
    if (!entry) return;
    const stream = await guarded(() => this.zip.openReadStreamPromise(entry));
    const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    try {
      for (;;) {
        const next = await guarded(() => chunks.next());
        if (next.done) return;
        yield next.value;
      }
    } finally {
      stream.destroy();
    }
  }

  has = (name: string): boolean => this.entries.has(name);

  sizeOf = (name: string): number => this.entries.get(name)?.uncompressedSize ?? 0;

  close = (): Promise<void> => this.handle.close();
}

/** @throws FileError */
async function entriesOf(zip: ZipFile, size: number): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  let unpacked = 0;
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName;
    if (name.endsWith('/')) continue;
    if (entries.has(name))
      throw new FileError(1, `The ZIP archive has two files ${quote(name)}: make it again.`);
    if (isLink(entry))
      throw new FileError(
        1,
        `${quote(name)} in the ZIP archive is a link: put the file itself into it.`,
      );
    if (entry.isEncrypted())
      throw new FileError(1, 'The ZIP archive is encrypted: make one without a password.');
    // Each is compared with what is unpacked when it is read.
    unpacked += entry.uncompressedSize;
    if (unpacked > unpackedArchive.value || (unpacked > SMALL && unpacked > size * MOST_RATIO))
      throw new FileError(
        1,
        `The ZIP archive is too large when it is unpacked: it may have ${unpackedArchive.value / MEBIBYTE} MiB, and ${MOST_RATIO} times its packed size.`,
      );
    entries.set(name, entry);
  }
  return entries;
}

/** The kind of a file as Unix stores it. */
const [KIND, LINK] = [0o170000, 0o120000];
const isLink = (entry: Entry): boolean => ((entry.externalFileAttributes >>> 16) & KIND) === LINK;

/** The bytes in a file without a name. */
async function spooled(bytes: Bytes): Promise<{ handle: FileHandle; size: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'quiz-archive-'));
  // The open file stays until it is closed, and disappears with this process.
  const handle = await open(join(folder, 'archive.zip'), 'wx+', 0o600).finally(() =>
    rm(folder, { recursive: true }).catch(() => undefined),
  );
  try {
    let size = 0;
    if (!isZip(await headOf(bytes, 4)))
      throw new FileError(1, 'The file is no ZIP archive: choose the right format.');
    for await (const chunk of bytes) {
      if (size + chunk.length > unpackedArchive.value)
        throw new FileError(
          1,
          `The ZIP archive is larger than ${unpackedArchive.value / MEBIBYTE} MiB: split it.`,
        );
      // Unlike `write`, which may write only a part of it where the disk is nearly full.
      await handle.appendFile(chunk);
      size += chunk.length;
    }
    return { handle, size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export class DamagedZip extends FileError {}

/** Any error of the archive is one of the file. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileError) throw error;
    const reason = error instanceof Error ? error.message : '';
    throw new DamagedZip(
      1,
      `The ZIP archive is damaged, cut off or unsafe (${quote(reason)}): make it again.`,
    );
  }
}
