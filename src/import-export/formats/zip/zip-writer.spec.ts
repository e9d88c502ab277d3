import { unzipSync, ZipPassThrough } from 'fflate';
import { TooLarge } from '../../../platform/errors/domain-errors';
import { writeZip, type ZipEntry } from './zip-writer';

const bytesOf = async (...entries: ZipEntry[]) => {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeZip(entries)) pieces.push(piece);
  return Buffer.concat(pieces);
};

/** Reads what is written, and keeps nothing of it. @returns its size */
async function sizeOf(entries: Iterable<ZipEntry>): Promise<number> {
  let size = 0;
  for await (const piece of writeZip(entries)) size += piece.length;
  return size;
}

describe('writing a ZIP archive', () => {
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it.each([true, false])(
    'text and bytes of an entry keep their order (stored: %j)',
    async (isStored) => {
      const long = 'x'.repeat(100_000);
      const content = ['ab', Buffer.from('c'), long, 'd', Buffer.from('e'), 'f'];
      const { file } = unzipSync(await bytesOf({ name: 'file', content, isStored }));
      expect(Buffer.from(file!).toString()).toBe(`abc${long}def`);
    },
  );

  it('a stored entry is in the archive as it is, and others are compressed', async () => {
    const text = 'application/zip '.repeat(100);
    const stored = await bytesOf({ name: 'mimetype', content: [text], isStored: true });
    expect(stored.includes(text)).toBe(true);
    const compressed = await bytesOf({ name: 'mimetype', content: [text] });
    expect(compressed.length).toBeLessThan(text.length / 2);
  });

  it('equal content makes equal bytes at any time', async () => {
    const entries: ZipEntry[] = [
      { name: 'text', content: ['a'] },
      { name: 'picture', content: [Buffer.from('b')], isStored: true },
    ];
    jest.useFakeTimers({ now: new Date('2026-03-01T12:00:00Z') });
    const before = await bytesOf(...entries);
    jest.setSystemTime(new Date('2027-07-02T18:30:10Z'));
    expect(await bytesOf(...entries)).toEqual(before);
  });

  it('an archive of more than 65,535 files is refused at the first one beyond', async () => {
    let read = 0;
    const endless = function* (): Generator<ZipEntry> {
      for (;;) yield { name: String(++read), content: [], isStored: true };
    };
    await expect(sizeOf(endless())).rejects.toThrow(
      new TooLarge('The archive has more than 65,535 files, the most that a ZIP archive can hold.'),
    );
    expect(read).toBe(65_536);
  });

  it('an archive of more than 4 GiB is refused', async () => {
    // Without the checksum, which takes ten seconds for as many bytes.
    jest.spyOn(ZipPassThrough.prototype, 'push').mockImplementation(function (
      this: ZipPassThrough,
      chunk,
      final = false,
    ) {
      this.ondata(null, chunk as Uint8Array<ArrayBuffer>, final);
    });
    const piece = Buffer.alloc(64 * 1024 * 1024);
    const files = (pieces: number) => [
      { name: 'large', content: Array.from({ length: pieces }, () => piece), isStored: true },
    ];
    expect(await sizeOf(files(63))).toBeGreaterThan(63 * piece.length);
    await expect(sizeOf(files(64))).rejects.toThrow(
      new TooLarge('The archive is larger than 4 GiB, the most that a ZIP archive can hold.'),
    );
  });

  it('a name that is too long for the format is refused in the words of the library', async () => {
    await expect(bytesOf({ name: 'n'.repeat(70_000), content: ['a'] })).rejects.toThrow(
      'filename too long',
    );
  });
});
