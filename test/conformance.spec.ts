import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testNames } from './support/test-names';

/** test/conformance.md says which test shows which statement. Here it is held to it. */

const PARTS = [
  ...['1. ', '2. ', '3. ', '4. ', '5. ', '6. ', '7. ', '8. ', '9. '].map((part) => `## ${part}`),
  ...['4.1 ', '4.2 ', '4.3 ', '4.4 ', '4.5 ', '4.6 ', '4.7 '].map((part) => `### ${part}`),
  '# The contract',
];

/** What a page promises and the tests do not keep. `read` gives the text of a linked file, null where there is none. */
function errorsOf(page: string, read: (link: string) => string | null): string[] {
  const lines = page.split('\n');
  const files = new Map<string, readonly string[] | null>();
  for (const line of lines) {
    const [, label, link] = /^\[([^\]]+)\]: (\S+)$/.exec(line) ?? [];
    if (!label || !link) continue;
    const source = read(link);
    files.set(label, source === null ? null : testNames(source));
  }

  const rows = lines.filter((line) => /^\| (?!statement \||decision \|)/.test(line));
  const errors = rows.flatMap((row) => {
    const [, statement = '', shownBy = '', ...more] = row.split(/(?<!\\)\|/);
    if (more.length !== 1) return [`not two columns: ${row}`];
    // Another part of the page says it.
    if (/^ part \d $/.test(shownBy)) return [];
    return shownBy.split('<br>').flatMap((proof) => {
      const [, label = '', name = ''] = /^\[([^\]]+)\] (.+)$/.exec(proof.trim()) ?? [];
      const names = files.get(label);
      if (names === undefined) return [`${statement.trim()}: no file behind "${proof.trim()}"`];
      if (names === null) return [`the file of [${label}] does not exist`];
      const found = names.filter((full) => full === name || full.endsWith(` › ${name}`));
      return found.length === 1 ? [] : [`${found.length} tests in [${label}] are named: ${name}`];
    });
  });

  const empty = PARTS.filter((part) => {
    const level = part.indexOf(' ');
    const start = lines.findIndex((line) => line.startsWith(part));
    const next = lines.findIndex(
      (line, at) => at > start && /^#+ /.test(line) && line.indexOf(' ') <= level,
    );
    const section = lines.slice(start, next < 0 ? undefined : next);
    return start < 0 || !rows.some((row) => section.includes(row));
  });
  return [...errors, ...empty.map((part) => `nothing on ${part}`)];
}

const page = readFileSync(join(__dirname, 'conformance.md'), 'utf8');
const fromDisk = (link: string) => {
  const file = join(__dirname, link);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
};

test('test/conformance.md covers every part of the specification and names existing tests', () => {
  expect(errorsOf(page, fromDisk)).toEqual([]);
});

describe('the check of test/conformance.md', () => {
  const source = `
    describe('a group', () => { it.each([1])('holds %s', () => {}); test('works', f); });
    it.skip('is skipped', f);
    describe.skip('a skipped group', () => { it('is in a skipped group', f); });
    (isInstalled ? it : it.skip)('needs a program', f);
    (isMissing ? describe.skip : describe)('a group that needs it', () => { test.each\`a\`('needs it', f); });`;
  const errors = (text: string) =>
    errorsOf(text, (link) => (link === 'a.spec.ts' ? source : null)).filter(
      (error) => !error.startsWith('nothing on'),
    );
  const LINKS = '\n[a]: a.spec.ts\n[b]: b.spec.ts\n';

  test.each([
    ['| it works | [a] works |', []],
    ['| it works | [a] a group › works<br>[a] holds %s |', []],
    ['| it works | [a] needs a program<br>[a] a group that needs it › needs it |', []],
    ['| it works | [a] does not |', ['0 tests in [a] are named: does not']],
    ['| it works | [a] is skipped |', ['0 tests in [a] are named: is skipped']],
    [
      '| it works | [a] is in a skipped group |',
      ['0 tests in [a] are named: is in a skipped group'],
    ],
    ['| it works | [b] works |', ['the file of [b] does not exist']],
    ['| it works | [c] works |', ['it works: no file behind "[c] works"']],
    ['| it works | |', ['it works: no file behind ""']],
    ['| it works | [a] works | [a] works |', [expect.stringContaining('not two columns')]],
  ])('the row %s has the expected errors', (row, expected) => {
    expect(errors(row + LINKS)).toEqual(expected);
  });

  test.each(PARTS)('a conformance page without "%s" is refused', (part) => {
    const without = page.split('\n').filter((line) => !line.startsWith(part));
    expect(errorsOf(without.join('\n'), fromDisk)).toContain(`nothing on ${part}`);
  });
});
