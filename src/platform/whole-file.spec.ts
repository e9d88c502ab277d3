import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeWhole } from './whole-file';

describe('writeWhole', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'quiz-whole-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  async function* parts(...texts: string[]) {
    for (const text of texts) yield await Promise.resolve(text);
  }
  async function* broken() {
    yield await Promise.resolve('half');
    throw new Error('the source ended');
  }

  it('a file is written with its mode, and replaces an earlier one', async () => {
    const file = join(folder, 'a.json');
    writeFileSync(file, 'earlier and longer');
    await writeWhole(file, parts('one ', 'two'), 0o600);
    expect(readFileSync(file, 'utf8')).toBe('one two');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it('a file that cannot be completed leaves the earlier one, and nothing beside it', async () => {
    const file = join(folder, 'a.json');
    writeFileSync(file, 'earlier');
    await expect(writeWhole(file, broken())).rejects.toThrow('the source ended');
    expect(readFileSync(file, 'utf8')).toBe('earlier');
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it.each(['succeeds', 'fails'])(
    'a file that happens to have the ending .part stays when the file beside it %s',
    async (how) => {
      const file = join(folder, 'a.json');
      writeFileSync(`${file}.part`, 'another one');
      const writing = writeWhole(file, how === 'fails' ? broken() : parts('new'));
      await writing.catch(() => undefined);
      expect(readFileSync(`${file}.part`, 'utf8')).toBe('another one');
    },
  );

  it('until a file is complete, the earlier one is read', async () => {
    const file = join(folder, 'a.json');
    writeFileSync(file, 'earlier');
    async function* read() {
      yield 'new';
      yield ` after ${await Promise.resolve(readFileSync(file, 'utf8'))}`;
    }
    await writeWhole(file, read());
    expect(readFileSync(file, 'utf8')).toBe('new after earlier');
  });

  it('a link stays one, a device is written to, and a folder is refused', async () => {
    const [file, link] = [join(folder, 'a.json'), join(folder, 'link.json')];
    writeFileSync(file, 'earlier');
    symlinkSync(file, link);
    await writeWhole(link, parts('new'));
    expect(readFileSync(file, 'utf8')).toBe('new');
    await writeWhole('/dev/null', parts('gone'));
    expect(statSync('/dev/null').isFile()).toBe(false);
    await expect(writeWhole(folder, parts('no'))).rejects.toThrow('EISDIR');
    expect(readdirSync(folder)).toEqual(['a.json', 'link.json']);
  });
});
