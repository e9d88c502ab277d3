import { unzipSync } from 'fflate';
import { writeZip, type ZipEntry } from './zip-writer';

const zipped = async (...entries: ZipEntry[]) => {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeZip(entries)) pieces.push(piece);
  return unzipSync(Buffer.concat(pieces));
};

describe('writing a ZIP archive', () => {
  it.each([true, false])(
    'text and bytes of an entry keep their order (stored: %j)',
    async (isStored) => {
      const long = 'x'.repeat(100_000);
      const content = ['ab', Buffer.from('c'), long, 'd', Buffer.from('e'), 'f'];
      const { file } = await zipped({ name: 'file', content, isStored });
      expect(Buffer.from(file!).toString()).toBe(`abc${long}def`);
    },
  );

  it('a name that is too long for the format is refused in the words of the library', async () => {
    await expect(zipped({ name: 'n'.repeat(70_000), content: ['a'] })).rejects.toThrow(
      'filename too long',
    );
  });
});
