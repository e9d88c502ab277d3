import fc from 'fast-check';
import { FORMAT_NAMES, type FormatName } from '../../src/exchange/formats/formats';
import { readRows } from '../../src/exchange/formats/read-rows';

/** No file of 256 KiB, whatever is in it, takes a reader more than a second of CPU. */

const SIZE = 256 * 1024;
const LIMIT_MS = 1_000;

/** A file of the given size: `start`, then `middle` again and again, then `end`. */
interface Hostile {
  start: string;
  middle: string;
  end: string;
}

const fileOf = ({ start, middle, end }: Hostile): Buffer => {
  const times = Math.floor((SIZE - start.length - end.length) / Buffer.byteLength(middle));
  return Buffer.from(start + middle.repeat(times) + end).subarray(0, SIZE);
};

/** Milliseconds of CPU, which a busy machine does not stretch as it does time. */
async function cpuOf(bytes: Buffer, format?: FormatName): Promise<number> {
  const before = process.cpuUsage();
  const { rows } = await readRows([bytes.subarray(0, SIZE / 4), bytes.subarray(SIZE / 4)], format);
  for await (const row of rows) void row;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const moodle = (start: string, middle: string): Hostile => ({
  start: `<quiz><question type="multichoice"><questiontext format="html"><text><![CDATA[${start}`,
  middle,
  end: ']]></text></questiontext></question></quiz>',
});

// Each of these took between 0.4 s and 42 s, most of them with a quarter of this size.
test.each<[string, FormatName | undefined, Hostile]>([
  ['line feeds', undefined, { start: 'x', middle: '\n', end: '' }],
  ['spaces behind ANSWER', 'aiken', { start: 'Q?\nA. a\nB. b\nANSWER: A', middle: ' ', end: 'x' }],
  ['spaces behind $CATEGORY', 'gift', { start: '$CATEGORY: a', middle: ' ', end: 'x' }],
  ['[tag: in a comment', 'gift', { start: '//', middle: '[tag:', end: '\nQ {T}' }],
  ['spaces in <pre>', 'moodle-xml', moodle('<pre>', ' ')],
  ['open paragraphs', 'moodle-xml', moodle('', '<p>a')],
  ['entities', 'moodle-xml', moodle('', '&amp;')],
  [
    'a header of thousands of different marks',
    'csv',
    {
      start: Array.from({ length: 20_000 }, (_, i) => String.fromCodePoint(0x4dc0 + i)).join(''),
      middle: '§¶',
      end: '',
    },
  ],
])('a file of %s (%s) takes less than a second of CPU', async (_, format, hostile) => {
  expect(await cpuOf(fileOf(hostile), format)).toBeLessThan(LIMIT_MS);
});

/** What the formats are made of. */
const TOKENS = [
  ...[
    ' ',
    '\n',
    '\r',
    '\t',
    '\u00a0',
    '\u2028',
    '\0',
    'a',
    'A',
    '1',
    'é',
    '😀',
    '\u0301',
    '\ufffd',
  ],
  ...['"', '""', "'", ',', ';', '|', 'question', 'question,answer,', 'sep=;\n', '""",'],
  ...[
    '{',
    '}',
    '[',
    ']',
    '[[',
    '{"a":',
    '"questions":[',
    '{"text":"a"},',
    ':',
    '\\',
    '\\u0000',
    '1e9',
  ],
  ...['ANSWER: A\n', 'A. a\n', 'A) ', 'ANSWER:', 'ANSWER'],
  ...[
    '::',
    '{=',
    '~',
    '=',
    '#',
    '####',
    '->',
    '%50%',
    '//',
    '$CATEGORY: a/',
    '{T}',
    '\\{',
    '&&',
    '\n\n',
  ],
  ...[
    '<',
    '>',
    '<p>',
    '</p>',
    '<br>',
    '<pre>',
    '<a ',
    '<!--',
    '<![CDATA[',
    ']]>',
    '&',
    '&amp;',
    '&#x41;',
  ],
  ...[
    '<quiz>',
    '<question type="multichoice">',
    '<questiontext><text>',
    '<answer fraction="1">',
    '<?quiz ',
  ],
  ...['#Q ', '^ ', 'A ', 'B ', '\n#Q a\n^ b\nA a\nB b\n', '/', '.', ')', '*'],
];
const STARTS = [
  '',
  'question,answer1,answer2\n',
  '[{"text":"',
  '{"questions":[',
  '{"response_code":0,"results":[',
  'Q?\nA. ',
  'Q {=',
  '::a:: Q {',
  '{"a":"',
  '<quiz>',
  moodle('', '').start,
  '#Q a\n^ b\nA ',
];
const token = fc.constantFrom(...TOKENS);
const hostile: fc.Arbitrary<Hostile> = fc.record({
  start: fc.constantFrom(...STARTS),
  middle: fc.array(token, { minLength: 1, maxLength: 3 }).map((tokens) => tokens.join('')),
  end: fc.oneof(token, fc.constant('')),
});

test.each([...FORMAT_NAMES, undefined])(
  'no file of repeated signs takes the reader of %s more than a second of CPU',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(hostile, async (file) => {
        const ms = await cpuOf(fileOf(file), format);
        expect(ms).toBeLessThan(LIMIT_MS);
      }),
      { numRuns: 20, endOnFailure: true },
    );
  },
  120_000,
);
