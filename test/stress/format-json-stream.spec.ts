import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Bytes, ImportRow } from '../../src/import-export/formats/row';
import { readRows } from '../../src/import-export/formats/read-rows';
import { collect, pieces, questions, rowsOf } from '../support/rows';

/** JSON of any size: read twice, and never held as a whole. */

const MEBIBYTE = 1024 * 1024;
const question = (text: string) => ({
  text,
  type: 'MULTIPLE_CHOICE',
  difficulty: 'EASY',
  answers: [
    { text: 'a', isCorrect: true },
    { text: 'b', isCorrect: false },
  ],
});
const json = (value: unknown) => JSON.stringify(value, null, 1);
const withQuestions = (shape: string) =>
  shape.replaceAll(/Q(\d)/g, (_, number: string) => json(question(number)));
const textsOf = (rows: ImportRow[]) => questions(rows).map((row) => row.question.text);

/** A file that is made as it is read, as often as it is; counts the bytes of each reading. */
function madeFile(begin: string, unit: string, units: number, end: string) {
  const taken: number[] = [];
  const bytes: Bytes = {
    async *[Symbol.asyncIterator]() {
      const number = taken.push(0) - 1;
      const give = async (text: string) => {
        const chunk = await Promise.resolve(Buffer.from(text));
        taken[number] = (taken[number] ?? 0) + chunk.length;
        return chunk;
      };
      yield await give(begin);
      for (let i = 0; i < units; i += 1) yield await give(unit);
      yield await give(end);
    },
  };
  return { taken, bytes };
}

test('the first row of a JSON file is returned after one chunk of the last pass', async () => {
  const unit = `,${json(question('Q'))}`.repeat(400);
  const file = madeFile(`{"questions": [${json(question('First'))}`, unit, 50, '], "title": "T"}');
  const { rows } = await readRows(file.bytes);
  expect((await rows.next()).value).toMatchObject({
    question: { text: 'First' },
    // It stands at the file's end.
    quiz: { title: 'T' },
  });
  // Its beginning was looked at before.
  expect(file.taken).toHaveLength(3);
  expect(file.taken[2]).toBeLessThan(3 * unit.length);
  await rows.return(undefined);
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that are really held. Another thread frees the buffers that a collection finds; a second one waits for it. */
function held(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('a JSON file of 80 MiB in one line is read in bounded memory', async () => {
  const unit = `,${JSON.stringify({ text: 'x'.repeat(250_000) })}`;
  const file = madeFile('{"questions":[{}', unit, 320, ']}');
  const before = held();
  let rows = 0;
  const grown: number[] = [];
  for await (const row of (await readRows(file.bytes)).rows) {
    expect(row).toHaveProperty('error', expect.stringContaining('The correct answer is missing'));
    rows += 1;
    if (rows % 40 === 0) grown.push(held() - before);
  }
  expect(rows).toBe(321);
  expect(file.taken[1]).toBeGreaterThan(76 * MEBIBYTE);
  // Less than at the beginning, where other tests have left something behind.
  expect(grown).toHaveLength(8);
  expect(Math.max(...grown)).toBeLessThan(16 * MEBIBYTE);
}, 60_000);

test('a truncated JSON file returns its error and no row', async () => {
  const text = `{"questions": [\n${Array(1_000)
    .fill(JSON.stringify(question('Q')))
    .join(',\n')},\n{"te`;
  expect(await rowsOf(text)).toEqual([
    {
      line: 1_002,
      error: 'The file ends in the middle, in line 1002: it was cut off. Fetch it again.',
      fatal: true,
    },
  ]);
});

describe('the order of the members of a JSON quiz does not matter', () => {
  const members = [
    '"title": "T"',
    `"questions": [${json(question('A'))}, ${json(question('B'))}]`,
    '"difficulty": "HARD"',
    '"tags": ["x"]',
  ];
  const orders = members.flatMap((_, i) => {
    const turned = [...members.slice(i), ...members.slice(0, i)];
    return [turned, turned.toReversed()];
  });
  const about = { title: 'T', difficulty: 'HARD', tags: ['x'] };
  it.each(
    orders.map((order) => [order.map((member) => member.split(':', 1)[0]).join(), order.join(',')]),
  )('%s', async (_names, text) => {
    for (const file of [`{${text}}`, `[{${text}}]`, `{"success": true, "data": {${text}}}`]) {
      const rows = questions(await rowsOf(file));
      expect(rows.map((row) => [row.question.text, row.quiz])).toEqual([
        ['A', { key: expect.any(String), ...about }],
        ['B', { key: expect.any(String), ...about }],
      ]);
    }
  });
});

it.each([
  ['the last of two lists', '{"questions": [Q1], "questions": [Q2, Q3]}', ['2', '3'], 'questions'],
  [
    'quizzes before questions',
    '{"questions": [Q1], "quizzes": [{"questions": [Q2]}]}',
    ['2'],
    'questions',
  ],
  ['the last of two answers', '{"data": [Q1], "data": {"questions": [Q2]}}', ['2'], 'data'],
])(
  'of several lists in a JSON file %s is read, and a note names the others',
  async (_name, shape, texts, unread) => {
    const [note, ...rows] = await rowsOf(withQuestions(shape));
    expect(note).toEqual({
      line: 1,
      note: expect.stringContaining(`The list "${unread}" (1) is not read`),
    });
    expect(textsOf(rows)).toEqual(texts);
  },
);

it.each([
  ['a name with an escape', '{"q\\u0075estions": [Q1]}', ['1']],
  [
    'a prototype is a member like others',
    '{"__proto__": {"questions": [Q1]}, "data": [Q2]}',
    ['2'],
  ],
  ['quizzes and questions in one list', '[Q1, {"questions": [Q2, Q3]}, Q1]', ['1', '2', '3', '1']],
  ['a list of none, and one of some', '{"data": {"quizzes": [{"questions": []}, Q1]}}', ['1']],
])('%s', async (_name, shape, texts) => {
  expect(textsOf(await rowsOf(withQuestions(shape)))).toEqual(texts);
});

test('each question of a JSON file has the line in which it begins', async () => {
  const text = `[\n{"title": "T",\n"questions": [\n{},\n{}]},\n{"questions": [{},\n\n{}]}]`;
  expect((await rowsOf(text)).map(({ line, path }) => [line, path])).toEqual([
    [4, '[0].questions[0]'],
    [5, '[0].questions[1]'],
    [6, '[1].questions[0]'],
    [8, '[1].questions[1]'],
  ]);
});

describe('the rows of a JSON file do not depend on how it is split into chunks', () => {
  const quiz = { title: 'É', questions: [question('Où?\n\\"{[]}'), question('数')], tags: ['ß'] };
  const results = [
    { type: 'multiple', question: 'É &amp;', correct_answer: 'a', incorrect_answers: ['b'] },
  ];
  it.each([
    ['a quiz', Buffer.from(json(quiz))],
    ['quizzes with a mark', Buffer.from(`\uFEFF${json([quiz, quiz])}`)],
    ['UTF-16', Buffer.from(`\uFEFF${json({ data: [quiz] })}`, 'utf16le')],
    [
      'Windows-1252 in one line',
      Buffer.from(JSON.stringify([question('É'), question('ß')]), 'latin1'),
    ],
    ['Open Trivia DB', Buffer.from(json({ response_code: 0, results }))],
    ['no JSON', Buffer.from(`[${json(quiz)},\n{"a": nul}]`)],
    ['cut off', Buffer.from(json(quiz).slice(0, -9))],
  ])('%s', async (_name, bytes) => {
    const whole = await rowsOf([bytes]);
    expect(whole.length).toBeGreaterThan(0);
    for (let at = 1; at < bytes.length; at += 1)
      expect(await rowsOf([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    expect(await rowsOf(pieces(bytes, 1))).toEqual(whole);
  });
});

describe('an oversized or unterminated JSON value is refused with its line', () => {
  const large = 'word '.repeat(MEBIBYTE);
  it.each([
    [
      'a text',
      `[\n{}, {"text": "${large}${large}`,
      2,
      /^The value that begins in line 2 is larger than 8 MiB/,
    ],
    [
      'a quiz among others',
      `[{}, {"questions": [${'{"text": "x"},'.repeat(700_000)}`,
      1,
      /larger than 8 MiB|too many values/,
    ],
    [
      'a member beside the questions',
      `{"questions": [{}],\n"x": "${large}${large}`,
      2,
      /^The content of the file outside its questions is larger/,
    ],
    ['a list of nothing', `[{}, [${'{},'.repeat(300_000)}`, 1, /too many values to be questions/],
    ['brackets in a question', `[{},\n${'['.repeat(40)}`, 2, /nested more than 32 levels deep/],
    ['letters', `["${'é'.repeat(5 * MEBIBYTE)}`, 1, /larger than 8 MiB/],
  ])('%s', async (_name, text, line, error) => {
    expect(await collect((await readRows([Buffer.from(text)], 'json')).rows)).toEqual([
      { line, error: expect.stringMatching(error), fatal: true },
    ]);
  });
});

test('a JSON line in two encodings is refused', async () => {
  const bytes = Buffer.concat([
    Buffer.from(`[${JSON.stringify(question('é'.padEnd(300_000)))},`),
    Buffer.from(`${JSON.stringify(question('é'))}]`, 'latin1'),
  ]);
  expect(await rowsOf([bytes])).toEqual([
    {
      line: 1,
      error: 'The file mixes encodings: line 1 is UTF-8 only in part. Save it again as UTF-8.',
      fatal: true,
    },
  ]);
});
