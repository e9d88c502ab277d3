import fc from 'fast-check';
import {
  EXPORT_NAMES,
  exportOf,
  FORMAT_NAMES,
  formatByMediaType,
  type FormatName,
  formatOf,
} from '../../src/import-export/formats/formats';
import { readRows } from '../../src/import-export/formats/read-rows';
import type { Bytes, ExportedQuiz } from '../../src/import-export/formats/row';
import { HEAD } from '../../src/import-export/formats/sniff';
import { TextDecoding } from '../../src/import-export/formats/text/text-decoding';
import { textLines } from '../../src/import-export/formats/text/text-lines';
import { MEBIBYTE } from '../../src/platform/sizes';
import { collect, exported, rowsOf } from '../support/rows';
import { workbook, zipOf } from '../support/workbooks';

/** Any file gives rows, or a sentence that names a place in it, and takes bounded memory. */

/** A file of this size that is made as it is read; counts what was taken of it, and how often it is open. */
function endless(size: number, begin: string, unit: string) {
  const chunk = Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)));
  const file = { taken: 0, open: 0, bytes: { [Symbol.asyncIterator]: make } };
  async function* make(): AsyncGenerator<Uint8Array> {
    file.open += 1;
    try {
      yield Buffer.from(begin);
      for (let given = 0; given < size; given += chunk.length) {
        file.taken += chunk.length;
        // A file is read in turns, not at once.
        yield await Promise.resolve(chunk);
      }
    } finally {
      file.open -= 1;
    }
  }
  return file;
}

describe('a question without an end', () => {
  const BEGINNINGS: Record<FormatName, string | null> = {
    gift: 'Q ',
    aiken: 'Q\n',
    opentriviaqa: '#Q ',
    'moodle-xml': '<quiz><question type="x"><text>',
    json: '{"questions":[{"text":"',
    xlsx: '',
    markdown: '1. ',
    quizlet: '',
    jsonl: '{"text":"',
    opentdb: '{"results":[{"x":"',
    // A row whose quotation mark is missing ends with its line.
    csv: null,
    // Of a file that is no archive nothing is read.
    qti: null,
    archive: null,
  };
  const asked = FORMAT_NAMES.flatMap((name) =>
    BEGINNINGS[name] === null ? [] : [[name, BEGINNINGS[name]] as const],
  );
  it.each(asked)('stops the reader of %s', async (format, begin) => {
    const file = endless(2048 * MEBIBYTE, begin, `${'word '.repeat(200)}\n`);
    const rows = await rowsOf(file.bytes, format);
    expect(rows.at(-1)).toMatchObject({
      error: expect.stringMatching(
        /larger than|too long|longer than|ends in the middle|no flash cards/,
      ),
      fatal: true,
    });
    expect(file.taken).toBeLessThan(66 * MEBIBYTE);
    expect(file.open).toBe(0);
  });
});

test.each<[FormatName, string, string]>([
  ['csv', 'question,correct_answer,wrong_answer_1\n', 'Which?,yes,no\n'],
  ['csv', 'question,answer_1,answer_2,correct_numbers\n', 'Which?,yes,no,1\n'],
  ['quizlet', '', 'Which?\tyes\n'],
  ['jsonl', '', '{"question":"Which?","options":["a","b"],"answer":"a"}\n'],
  ['gift', '', 'Which?{=yes ~no}\n\n'],
  ['aiken', '', 'Which?\nA. yes\nB. no\nANSWER: A\n\n'],
  ['opentriviaqa', '', '#Q Which?\n^ yes\nA yes\nB no\n\n'],
])('the reader of %s closes the file when nobody reads on (%s)', async (format, begin, unit) => {
  const file = endless(4 * MEBIBYTE, begin, unit);
  const { rows } = await readRows(file.bytes, format);
  let row = await rows.next();
  while (!row.done && 'note' in row.value) row = await rows.next();
  expect(row.value).toHaveProperty('question');
  await rows.return(undefined);
  expect(file.open).toBe(0);
});

describe.each(FORMAT_NAMES)('any file as %s', (format) => {
  it('the reader stops at a line above the limit and closes the file', async () => {
    const file = endless(2048 * MEBIBYTE, '', 'x');
    const [row, ...more] = await rowsOf(file.bytes, format);
    expect(more).toEqual([]);
    expect(row).toEqual({
      line: 1,
      error: expect.stringMatching(/longer|larger|XML|no ZIP/),
      fatal: true,
    });
    expect(file.taken).toBeLessThan(66 * MEBIBYTE);
    expect(file.open).toBe(0);
  });

  it('the reader refuses an image', async () => {
    const png = Buffer.from('\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0', 'latin1');
    expect(await rowsOf(png, format)).toEqual([
      {
        line: 1,
        error:
          'The file is a PNG picture, not a text file: choose the file that holds the questions.',
        fatal: true,
      },
    ]);
  });

  it('the reader never throws, and every row is a valid question or an error with its line', async () => {
    const fragment = fc.constantFrom(
      ...[
        '\n',
        '\n\n',
        '\r',
        '"',
        ',',
        ';',
        '{',
        '}',
        '[',
        ']',
        '=',
        '~',
        '%50%',
        '#',
        '####',
        '->',
        '::',
        ':',
        '\\',
      ],
      ...[
        'question,a,b,correct',
        '$CATEGORY: ',
        '// {"quiz":{}}',
        '[html]',
        'T',
        'A. x',
        'B) y',
        'ANSWER: A',
        '#Q ',
        '^ x',
      ],
      ...[
        '<quiz>',
        '</quiz>',
        '<question type="multichoice">',
        '</question>',
        '<text>',
        '</text>',
        '<answer fraction="100">',
        '</answer>',
        '<questiontext format="html">',
        '</questiontext>',
        '&amp;',
        '&lt;p&gt;',
        '<![CDATA[',
        ']]>',
        '<?quiz {}?>',
        '<!--',
      ],
      ...[
        '{"questions":[',
        '{"results":[',
        '"text":"x"',
        '"answers":[',
        '{"text":"a","isCorrect":true}',
        'null',
        '1e999',
        'True',
        'False',
        'x',
        'é',
        '\xFF',
        '\0',
      ],
    );
    const fragments = fc
      .array(fragment, { maxLength: 40 })
      .map((all) => Buffer.from(all.join(''), 'latin1'));
    const noise = fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes));
    const file = fc.oneof({ weight: 5, arbitrary: fragments }, { weight: 1, arbitrary: noise });
    let rowsRead = 0;
    await fc.assert(
      fc.asyncProperty(file, async (bytes) => {
        const lines = bytes.toString('latin1').split(/\r\n|\r|\n/).length;
        const rows = await rowsOf(bytes, format);
        for (const [i, row] of rows.entries()) {
          expect(row.line).toBeGreaterThanOrEqual(1);
          expect(row.line).toBeLessThanOrEqual(lines);
          if ('error' in row) {
            expect(row.error).toMatch(/^[^a-z].*[.)]$/s);
            if (row.fatal) expect(i).toBe(rows.length - 1);
          } else if ('question' in row) {
            const { text, type, answers } = row.question;
            expect(
              [text, ...answers.map((answer) => answer.text)].every(
                (each) => each.trim() === each && each,
              ),
            ).toBe(true);
            expect(answers.length).toBeGreaterThanOrEqual(type === 'OPEN_ENDED' ? 1 : 2);
            expect(answers.some(({ isCorrect }) => isCorrect)).toBe(true);
          }
        }
        rowsRead += rows.length;
      }),
      { numRuns: 300 },
    );
    expect(rowsRead).toBeGreaterThan(0);
  });
});

test.each([
  ['of blank lines', ' \r\n\n\t\n'],
  ['with only a mark', '\uFEFF'],
  ['in UTF-16', Buffer.from('\uFEFF\n \n', 'utf16le')],
  ['of many blank lines', '\n '.repeat(50_000)],
])('a file %s is reported as empty', async (_name, content) => {
  const [empty] = await rowsOf('');
  expect(await rowsOf(content)).toEqual([empty]);
  expect(empty).toMatchObject({
    error: expect.stringMatching(/^The file is empty: /),
    fatal: true,
  });
  for (const format of FORMAT_NAMES)
    if (content.length < HEAD) expect(await rowsOf(content, format)).toEqual([empty]);
});

test('a file with words below many blank lines is not reported as empty', async () => {
  expect(await rowsOf(`${'\n '.repeat(50_000)}words`)).toMatchObject([
    { error: expect.stringContaining('could not be recognised') },
  ]);
});

test('JSON above 16 MiB is refused with a sentence that names JSON Lines', async () => {
  const question = JSON.stringify({ question: 'Which?', options: ['a', 'b'], answer: 'a' });
  const ofSize = (size: number) => {
    const unit = `${question},\n`;
    const text = `[${unit.repeat(Math.floor((size - question.length - 2) / unit.length))}${question}]`;
    return [Buffer.from(text.padEnd(size))];
  };
  let rows = 0;
  for await (const row of (await readRows(ofSize(16 * MEBIBYTE))).rows)
    rows += 'question' in row ? 1 : 0;
  expect(rows).toBeGreaterThan(260_000);
  expect(await rowsOf(ofSize(16 * MEBIBYTE + 1))).toEqual([
    {
      line: 1,
      error:
        'The JSON is larger than 16 MiB: save it as JSON Lines (.jsonl), with one question in each line, or split it. If it is an export with many pictures, export each quiz as QTI or the whole account as an archive instead.',
      fatal: true,
    },
  ]);
}, 60_000);

test('a line of 1 MiB is read, and one that is a character longer is refused', async () => {
  const lines = async (length: number) =>
    (await collect(textLines([Buffer.from('x'.repeat(length))], new TextDecoding()))).flat();
  expect((await lines(MEBIBYTE)).map(({ text }) => text.length)).toEqual([MEBIBYTE]);
  await expect(lines(MEBIBYTE + 1)).rejects.toThrow('Line 1 is longer than 1 MiB');
});

test.each<[string, FormatName, () => string | Buffer, RegExp]>([
  [
    'a question',
    'aiken',
    () => `Q\n${`${'x'.repeat(1_000)}\n`.repeat(1_100)}`,
    /question that begins in line 1 is larger than 1 MiB/,
  ],
  [
    'a cell',
    'xlsx',
    () => workbook([`<c t="inlineStr"><is><t>${'x'.repeat(MEBIBYTE + 1)}</t></is></c>`]),
    /A cell of the workbook is larger than 1 MiB/,
  ],
  [
    'the text of an XML element',
    'moodle-xml',
    () => `<quiz><question><text>${'x'.repeat(MEBIBYTE + 1)}</text></question></quiz>`,
    /<text> is longer than 1 MiB/,
  ],
])('%s of more than 1 MiB is refused (%s)', async (_what, format, make, error) => {
  const rows = await rowsOf([Buffer.from(make())], format);
  expect(rows).toEqual([{ line: 1, error: expect.stringMatching(error), fatal: true }]);
});

test('a question in Moodle XML of more than 32 MiB with its pictures is refused', async () => {
  const picture = `<file name="a.png" encoding="base64">${'A'.repeat(MEBIBYTE)}</file>\n`;
  const of = (pictures: number) =>
    rowsOf(
      [Buffer.from(`<quiz><question>${picture.repeat(pictures)}</question></quiz>`)],
      'moodle-xml',
    );
  expect(await of(31)).not.toContainEqual(expect.objectContaining({ fatal: true }));
  expect((await of(32)).at(-1)).toMatchObject({
    error: expect.stringMatching(/a question is larger than 32 MiB with its pictures/),
    fatal: true,
  });
}, 60_000);

test('JSON of more than 2.5 million values is refused before it is parsed', async () => {
  expect(await rowsOf([Buffer.from(`[${'{},'.repeat(2_600_000)}{}]`)], 'json')).toEqual([
    { line: 1, error: expect.stringContaining('too many values to be questions'), fatal: true },
  ]);
});

describe('format detection', () => {
  it.each([
    ['json', ' {"questions": []}'],
    ['json', '[{"text": "x"}]'],
    ['opentdb', '{"response_code":0,"results":[]}'],
    ['csv', 'Frage;question;answer 1;answer 2\n'],
    [
      'csv',
      'question,answer 1,answer 2\n"Which is right?\nA. x\nANSWER: A","#Q What?\n^ a\nA a",b\n',
    ],
    ['gift', '[html]<p>Q</p>{=a ~b}'],
    ['gift', 'Q {\n  ~a \\{x\\}\n  =b\n}'],
    ['gift', 'Grant is buried here.{T}\n'],
    ['gift', 'Is it?{FALSE#It is not.}\n\nMore.'],
    ['gift', '$CATEGORY: x\n\nQ {}'],
    ['gift', '// a comment\n\n::Q:: What?{=a ~b}'],
    ['aiken', 'What?\nA. x\nB. y\nANSWER: A'],
    ['moodle-xml', '\uFEFF<?xml version="1.0"?>\n<quiz></quiz>'],
    ['opentriviaqa', '#Q What?\n^ a\nA a\nB b'],
    [undefined, 'Some words.'],
  ])('the format %s is detected: %s', async (name, text) => {
    const { format, rows } = await readRows([Buffer.from(text)]);
    await rows.return(undefined);
    expect(format).toBe(name);
  });

  it('a file in another format than the given one is reported with its format', async () => {
    expect(await rowsOf('{"questions":[]}', 'csv')).toEqual([
      { line: 1, error: expect.stringMatching(/It looks like JSON \(json\)\.$/), fatal: true },
    ]);
  });

  it.each([
    ['PK\x03\x04', /Excel/],
    ['%PDF-1.7', /PDF/],
    ['\x1F\x8B\x08', /gzip/],
    ['\0'.repeat(20), /NUL/],
    ['', /empty/],
    ['Some words.', /Choose the format: json, jsonl, csv, xlsx/],
  ])('content of no known format is refused with an instruction: %j', async (text, error) => {
    expect(await rowsOf(Buffer.from(text, 'latin1'))).toEqual([
      { line: 1, error: expect.stringMatching(error), fatal: true },
    ]);
  });

  it.each([
    [
      'a shell script',
      '#!/bin/sh\nfor f in *; do\n  x=${f:=1}; find . -exec rm {} \\;\ndone\nf() { echo; }\n',
    ],
    ['a program', 'int main(void) {\n  if (a == b) { return 1; }\n  int x[] = { 1, 2 };\n}\n'],
    ['a style sheet', 'body {\n  color: red;\n}\n'],
    ['a log', '2026-11-21T12:00:00Z INFO {"a":1} started\n'],
    ['LaTeX', '\\begin{document}\n$x_{T}$ is larger.\n'],
  ])('%s is not detected as GIFT', async (_name, text) => {
    expect(await rowsOf(text)).toEqual([
      {
        line: 1,
        error: expect.stringMatching(/^The file’s format could not be recognised/),
        fatal: true,
      },
    ]);
  });

  it('a media type names the format', () => {
    expect(formatByMediaType('text/csv; charset=utf-8')).toBe('csv');
    expect(formatByMediaType('Application/XML')).toBe('moodle-xml');
    expect(formatByMediaType('text/plain')).toBeUndefined();
  });
});

it('a stream error is thrown, not reported as an error of the file', async () => {
  const broken = (text: string): Bytes => ({
    async *[Symbol.asyncIterator]() {
      yield await Promise.resolve(Buffer.from(text));
      throw new Error('disk');
    },
  });
  const csv = 'question,a,b,correct\n'.padEnd(70_000, 'x,y\n');
  const json = '[\n'.padEnd(70_000, '{},\n');
  const jsonl = '{}\n'.repeat(25_000);
  const zip = 'PK\u0003\u0004'.padEnd(70_000);
  const contentFor = (format: FormatName): string =>
    formatOf(format).isZip ? zip : ({ json, opentdb: json, jsonl }[format as string] ?? csv);
  // For XML this would be an error of the file before the stream's.
  for (const format of FORMAT_NAMES.filter((name) => name !== 'moodle-xml'))
    await expect(rowsOf(broken(contentFor(format)), format)).rejects.toThrow('disk');
});

describe('valid files with random damaged bytes', () => {
  const quiz: ExportedQuiz = {
    title: 'Rivers & "lakes"',
    description: 'Of Europe.',
    category: 'Rivers/Lakes',
    difficulty: 'HARD',
    tags: ['a, b'],
    questions: Array.from({ length: 5 }, (_, i) => ({
      text: `Which is {no. ${i}},\nsaid =“plainly”?`,
      type: 'MULTIPLE_CHOICE' as const,
      difficulty: 'EASY' as const,
      explanation: 'Because <b>it</b> is: é.',
      answers: [
        { text: '=2', isCorrect: true },
        { text: '~3 # x', isCorrect: false },
      ],
      source: 'An atlas',
      licence: 'CC0',
    })),
  };

  it.each(EXPORT_NAMES)(
    'reading a damaged file ends soon, in rows or an error: %s',
    async (format) => {
      const good = await exported(quiz, format);
      const damage = fc.array(
        fc.record({
          at: fc.nat(good.length - 1),
          take: fc.nat(20),
          put: fc.uint8Array({ maxLength: 4 }),
        }),
        { minLength: 1, maxLength: 4 },
      );
      await fc.assert(
        fc.asyncProperty(damage, fc.boolean(), async (places, named) => {
          let bytes = good;
          for (const { at, take, put } of places)
            bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + take)]);
          const rows = await rowsOf(bytes, named ? exportOf(format).format : undefined);
          for (const [i, row] of rows.entries())
            if ('error' in row && row.fatal) expect(i).toBe(rows.length - 1);
        }),
        { numRuns: 300, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
      );
    },
    90_000,
  );
});

test('a workbook that unpacks to more than 128 MiB is refused with bounded memory', async () => {
  const bomb = workbook([], [], ' '.repeat(135 * MEBIBYTE));
  expect(bomb.length).toBeLessThan(300_000);
  const before = process.memoryUsage().rss;
  expect(await rowsOf([bomb])).toEqual([
    {
      line: 1,
      error: expect.stringMatching(/larger than 128 MiB when it is unpacked/),
      fatal: true,
    },
  ]);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * MEBIBYTE);
});

test('a workbook of 16 MiB is read, and one that is a byte larger is refused with an instruction', async () => {
  const errorOf = async (size: number) => {
    const bytes = Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(size - 4, 'x')]);
    const [row, ...more] = await rowsOf([bytes], 'xlsx');
    expect(more).toEqual([]);
    return (row as { error: string }).error;
  };
  expect(await errorOf(16 * MEBIBYTE)).toContain('damaged or encrypted');
  expect(await errorOf(16 * MEBIBYTE + 1)).toContain(
    'The workbook is larger than 16 MiB: save its sheet as CSV (UTF-8).',
  );
});

const SHEET = 'xl/worksheets/sheet2.xml';
const book = (xml: string, parts: Record<string, string> = {}) =>
  zipOf({ 'xl/workbook.xml': xml, ...parts });
const names = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`xl/${n}`, '']));

test.each<[string, () => Buffer]>([
  ['with 500,001 elements in a small part', () => book(`<x>${'<sheet/>'.repeat(500_000)}</x>`)],
  ['nested 101 levels deep', () => book('<a>'.repeat(101))],
  ['of 10,001 files', () => book('<x/>', names(10_000))],
  [
    'with 8,000,001 elements in a sheet',
    () => workbook([], [], '', { [SHEET]: `<x>${'<c/>'.repeat(8_000_000)}</x>` }),
  ],
  ['with a row of 501 cells', () => workbook(['<c r="SG1" t="str"><v>Question</v></c>'])],
])('a workbook %s is refused with an instruction', async (_, file) => {
  expect(await rowsOf([file()])).toEqual([
    { line: 1, error: expect.stringMatching(/damaged or encrypted|more than 500/), fatal: true },
  ]);
});

test('a question in OpenTriviaQA with half a million options is refused', async () => {
  const options = 'B\n'.repeat(240_000) + 'C\n'.repeat(240_000);
  expect(await rowsOf([Buffer.from(`#Q Which?\n^ a\nA a\n${options}`)], 'opentriviaqa')).toEqual([
    { line: 1, error: expect.stringMatching(/looks like a part of another question/) },
  ]);
});

test('questions in Moodle XML with thousands of hints and answers are refused', async () => {
  const question = `<question type="multichoice">${'<answer/>'.repeat(24_000)}${'<?quiz {}?>'.repeat(24_000)}</question>`;
  const file = Buffer.from(`<quiz>${question.repeat(4)}</quiz>`);
  expect(await rowsOf([file], 'moodle-xml')).toEqual(
    [1, 2, 3, 4].map((number) => ({
      line: 1,
      path: `question ${number}`,
      error: expect.stringContaining('at most 60 answers'),
    })),
  );
});
