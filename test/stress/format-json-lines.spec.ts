import { readRows } from '../../src/import-export/formats/read-rows';
import type { Bytes } from '../../src/import-export/formats/row';
import { MEBIBYTE } from '../../src/platform/sizes';
import { memoryHeld } from '../support/memory';
import { rowsOf } from '../support/rows';

/** JSON Lines of any size: read twice, and never held as a whole. */

/** A file that is made as it is read, as often as it is, of memory of its own; counts the bytes of each reading. */
function madeFile(line: string, lines: number) {
  const chunk = Buffer.from(`${line}\n`);
  const taken: number[] = [];
  const bytes: Bytes = {
    async *[Symbol.asyncIterator]() {
      const number = taken.push(0) - 1;
      for (let i = 0; i < lines; i += 1) {
        taken[number] = (taken[number] ?? 0) + chunk.length;
        yield await Promise.resolve(Buffer.from(chunk));
      }
    },
  };
  return { taken, bytes };
}

test('JSON Lines of 80 MiB are read in bounded memory', async () => {
  const file = madeFile(JSON.stringify({ text: 'x'.repeat(262_144) }), 320);
  const before = memoryHeld();
  let rows = 0;
  const grown: number[] = [];
  for await (const row of (await readRows(file.bytes, 'jsonl')).rows) {
    expect(row).toHaveProperty('error', expect.stringContaining('The correct answer is missing'));
    rows += 1;
    if (rows % 40 === 0) grown.push(memoryHeld() - before);
  }
  expect(rows).toBe(320);
  // Before these, its beginning.
  expect(file.taken.filter((bytes) => bytes > 80 * MEBIBYTE)).toHaveLength(2);
  expect(grown).toHaveLength(8);
  expect(Math.max(...grown)).toBeLessThan(16 * MEBIBYTE);
}, 60_000);

test.each([
  [
    'a line above 8 MiB',
    `{}\n{"text": "${'word '.repeat(2 * MEBIBYTE)}"}\n`,
    2,
    /longer than 8 MiB/,
  ],
  [
    'a list of nothing',
    `{}\n[${'{},'.repeat(2_700_000)}{}]\n`,
    2,
    /too many values to be questions/,
  ],
])(
  'JSON Lines with %s are refused with the line',
  async (_name, text, line, error) => {
    const rows = await rowsOf([Buffer.from(text)], 'jsonl');
    expect(rows.at(-1)).toEqual({ line, error: expect.stringMatching(error), fatal: true });
  },
  30_000,
);
