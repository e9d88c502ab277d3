import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { FORMAT_NAMES, type FormatName } from '../../src/import-export/formats/formats';
import { readRows } from '../../src/import-export/formats/read-rows';
import { LIMITS } from '../../src/platform/limits/limits';
import { rowsOf } from '../support/rows';

/** No file of 256 KiB, whatever is in it, takes a reader more than a second of CPU. */

const SIZE = 256 * 1024;
/** Of CPU. The slowest of 1,300 generated files took half of it on a busy machine; what is quadratic takes ten times as much. */
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

/**
 * Milliseconds of CPU, which a busy machine stretches much less than time; the least of three tries where one
 * is above the limit.
 */
async function cpuOf(bytes: Buffer, format?: FormatName): Promise<number> {
  let least = Infinity;
  for (let tries = 0; tries < 3 && least >= LIMIT_MS; tries += 1)
    least = Math.min(least, await cpuOnce(bytes, format));
  return least;
}

async function cpuOnce(bytes: Buffer, format?: FormatName): Promise<number> {
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
  ['empty CSV rows', 'csv', { start: 'question,answer1,answer2\n', middle: '\r]', end: '' }],
  ['broken GIFT questions', 'gift', { start: '', middle: '<p>\n\n{', end: '' }],
  [
    'one question with thousands of answers and keys',
    'markdown',
    { start: `1. Q?\n${'- a\n'.repeat(32_000)}`, middle: 'Answer: b\n', end: '' },
  ],
  [
    'an answer key with thousands of answers',
    'markdown',
    { start: `1. Q?\na) x\nb) y\nAnswers\n${'1. B\n'.repeat(20_000)}`, middle: '1 B ', end: '' },
  ],
  ['titles of answer keys', 'markdown', { start: '1. Q?\n', middle: 'Key\n1. B\n', end: '' }],
  ['bold beginnings', 'markdown', { start: '1. Q?\n- ', middle: '**A. x', end: '** (x)' }],
  ['gaps of Anki', 'csv', { start: '', middle: '{{c1::', end: '}}\t\n' }],
  [
    'one question with thousands of answers and keys',
    'json',
    {
      start: `[{"question":"Q?","options":[${'"a",'.repeat(25_000)}"b"],"correct":[`,
      middle: '"c",',
      end: '"d"]}]',
    },
  ],
  [
    'one question with thousands of answers and letters',
    'aiken',
    { start: `Q?\n${'A. a\n'.repeat(25_000)}ANSWER: `, middle: 'B ', end: '' },
  ],
  [
    'one number thousands of times',
    'gift',
    { start: `Q {#${'=1 '.repeat(21_000)}}\n\n`, middle: '// comment\n', end: '' },
  ],
  [
    'feedback and its outcomes',
    'qti',
    {
      start: `<assessmentItem>${'<outcomeDeclaration/>'.repeat(6_000)}`,
      middle: '<modalFeedback/>',
      end: '<itemBody><choiceInteraction/></itemBody></assessmentItem>',
    },
  ],
  [
    'an export in Markdown with thousands of choices',
    'markdown',
    { start: '<!-- {"quiz":{}} -->\n## Questions\n1. Q?\n', middle: '- A. a\n', end: '' },
  ],
  ['comments of Markdown', 'markdown', { start: '', middle: '<!-- {"quiz":{}} -->\n', end: '' }],
  [
    'flash cards with one term',
    'csv',
    {
      start: Array.from({ length: 4_000 }, (_, n) => `a\tdefinition number ${n} is long\n`).join(
        '',
      ),
      middle: 'a\tthe same definition for each\n',
      end: '',
    },
  ],
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

const NESTED_TAGS = '<b>'.repeat(200_000);

// The first took 82 s of an import of 586 KiB, and three of these at once kept a worker from its other imports.
test.each<[string, FormatName, string, string]>([
  [
    'HTML in Moodle XML',
    'moodle-xml',
    moodle(NESTED_TAGS, '').start + moodle('', '').end,
    'HTML is nested',
  ],
  ['HTML in GIFT', 'gift', `[html]${'<b>'.repeat(21_000)}{T}\n\n`.repeat(9), 'HTML is nested'],
  ['XML', 'moodle-xml', `<quiz>${NESTED_TAGS}`, 'nested more than 32'],
  ['lists in JSON', 'json', '['.repeat(600_000), 'nested more than 32'],
  ['objects in JSON Lines', 'jsonl', '{"a":'.repeat(120_000), 'nested more than 32'],
  [
    'lists in a cell',
    'csv',
    `question,answers,correct\nQ?,${'['.repeat(600_000)},a\n`,
    'cannot be told apart',
  ],
  ['quotations in Markdown', 'markdown', `1. Q?\n${'> '.repeat(300_000)}\n`, 'at least 2 answers'],
  ['braces in GIFT', 'gift', `Q ${'{'.repeat(60_000)}\n\n`.repeat(9), 'GIFT cannot be read'],
])('586 KiB of nested %s take less than a second of CPU', async (_, format, text, error) => {
  const bytes = Buffer.from(text);
  const rows = await rowsOf([bytes], format);
  expect(rows.at(-1)).toHaveProperty('error', expect.stringContaining(error));
  expect(await cpuOf(bytes, format)).toBeLessThan(LIMIT_MS);
});

test.each<[string, FormatName, string]>([
  ['lines behind its answers', 'markdown', `1. Q?\n- a\n- b\n${'x\n'.repeat(200_000)}- c\n`],
  [
    'values of answers',
    'qti',
    `<assessmentItem><responseDeclaration identifier="R">${'<mapEntry mappedValue="1"/>'.repeat(200_000)}</responseDeclaration>
     <itemBody><choiceInteraction responseIdentifier="R"/></itemBody></assessmentItem>`,
  ],
  [
    'points',
    'qti',
    `<questestinterop><item><presentation><response_lid/></presentation>
     <respcondition>${'<setvar>1</setvar>'.repeat(400_000)}</respcondition></item></questestinterop>`,
  ],
])('a question with some 100,000 %s is an error of its row (%s)', async (_, format, text) => {
  const rows = await rowsOf([Buffer.from(text)], format);
  expect(rows).toContainEqual(expect.objectContaining({ error: expect.any(String) }));
});

test('HTML of 32 levels is read, and of 33 is an error of its question only', async () => {
  const nested = (levels: number) => `${'<b>'.repeat(levels)}deep?${'</b>'.repeat(levels)}`;
  const file = `[html]${nested(32)}{T}\n\n[html]${nested(33)}{T}\n\nLast?{F}\n`;
  expect(await rowsOf(file, 'gift')).toMatchObject([
    { line: 1, question: { text: 'deep?' } },
    {
      line: 3,
      error:
        'The HTML is nested more than 32 levels deep: close its tags, or write it as plain text.',
    },
    { line: 5, question: { text: 'Last?' } },
  ]);
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
  'no file of repeated characters takes the %s reader more than a second of CPU',
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

test('a file of invalid rows is read up to the limit and then refused', async () => {
  const file = `question,answer1,answer2\n${'x\n'.repeat(20_000)}`;
  const rows = await rowsOf([Buffer.from(file)]);
  const most = LIMITS.imports.badRows.value;
  expect(rows).toHaveLength(most + 1);
  expect(rows.at(-1)).toEqual({
    line: most + 1,
    error: expect.stringMatching(/More than half .* 10,000 .* reading stopped: fix/),
    fatal: true,
  });
});

test('a process that uses more CPU time than it may ends by SIGXCPU, however busy it is', async () => {
  const endOf = async (work: string) => {
    const child = spawn(process.execPath, [
      ...['--require', './test/faults/typescript.cjs', '--eval'],
      `const { limitCpuTime } = require('./src/import-export/imports/running/cpu-time');
       const release = limitCpuTime(300); ${work}`,
    ]);
    const [status, signal] = await once(child, 'exit');
    return (status ?? signal) as number | string;
  };
  const lifted = `release(); const until = Date.now() + 1000; while (Date.now() < until);`;
  // Time spent waiting does not count.
  const waits = 'setTimeout(release, 1000);';
  const ends = await Promise.all(['for (;;);', lifted, waits].map(endOf));
  expect(ends).toEqual(['SIGXCPU', 0, 0]);
});

it('matching the correct answer of a CSV row takes time linear in the row', async () => {
  const took = async (count: number, message = 'is not one of the answers') => {
    const header = ['question,correct', ...Array.from({ length: count }, (_, i) => `answer_${i}`)];
    const row = [
      'Q',
      'E\u0301'.repeat(300_000),
      ...Array.from({ length: count }, (_, i) => `a${i}`),
    ];
    const started = process.cpuUsage();
    const file = Buffer.from([header, row, row].map((cells) => cells.join(',')).join('\n'));
    const rows = await rowsOf([file], 'csv');
    const error = expect.stringContaining(message);
    expect(rows).toEqual([2, 3].map((line) => ({ line, error })));
    const { user, system } = process.cpuUsage(started);
    return user + system;
  };
  await took(2);
  expect(await took(60)).toBeLessThan(6 * (await took(2)));
  expect(await took(490, 'at most 60 answers')).toBeLessThan(6 * (await took(2)));
});
