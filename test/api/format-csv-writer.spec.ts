import { writeCsv } from '../../src/import-export/formats/csv/csv.writer';
import type { ExportedQuiz } from '../../src/import-export/formats/row';
import { Workbook } from '../../src/import-export/formats/xlsx/workbook';
import { LIMITS } from '../../src/platform/limits/limits';
import { exported, questions, rowsOf } from '../support/rows';

const quiz = (text: string): ExportedQuiz => ({
  title: text,
  difficulty: 'EASY',
  tags: [text],
  questions: [
    {
      text,
      type: 'MULTIPLE_CHOICE',
      difficulty: 'EASY',
      answers: [
        { text, isCorrect: true },
        { text: `${text}!`, isCorrect: false },
      ],
    },
  ],
});

/** Texts with formulas where a program that does not see their quotation marks begins a cell. */
const WITHIN = [
  "x;=cmd|' /C calc'!A0",
  'x;+1;-1;@SUM(A1);＝1',
  'x\n=1\r\n+1\r-1\t@x',
  'x; \u00a0\u200b=1',
  "x;'=1;''-1;'tis",
  'x;"=1";""+1',
  "'=1;=1",
  '- one\n- two',
];

/** As Excel: a cell that begins with a quotation mark is quoted up to the next one, which may not be its end. */
const cellsOf = (file: string, delimiter: string): string[] =>
  [
    ...file.matchAll(
      new RegExp(`(?:"((?:[^"]|"")*)"?)?([^${delimiter}\\r\\n]*)(?:${delimiter}|[\\r\\n]|$)`, 'g'),
    ),
  ].map(([, quoted = '', rest = '']) => quoted.replaceAll('""', '"') + rest);

it('no text begins a formula where cells are split at ";" or at tabs', () => {
  for (const delimiter of [';', '\t'])
    for (const text of [...WITHIN, 'x;', 'x;"', 'x;""'].flatMap((each) => [each, `"${each}"`])) {
      const file = [...writeCsv({ ...quiz(text), description: text, category: text })].join('');
      for (const cell of cellsOf(file, delimiter))
        expect([text, cell]).toEqual([
          text,
          expect.not.stringMatching(/^[\s\p{Cf}]*[=+\-@＝＋－＠]/u),
        ]);
    }
});

it('no exported CSV cell begins a formula, and each imports unchanged', async () => {
  for (const text of [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '＝1',
    "'=1",
    "''-1",
    "'tis",
    "'",
    '\u200b=1+1',
    "\u2060'\u202e@SUM(A1)",
    '\u200btext',
    '=HYPERLINK("x","y")',
    ...WITHIN,
  ]) {
    const questionsOf = quiz(text).questions.map((it) => ({ ...it, explanation: text }));
    const whole = { ...quiz(text), description: text, category: text, questions: questionsOf };
    const file = [...writeCsv(whole)].join('');
    const cells = file.replace(/^\uFEFF.*\r\n/, '').split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
    for (const cell of cells) expect(cell.replace(/^"?\p{Cf}*/u, '')).not.toMatch(/^[=+\-@＝]/);
    const [row] = questions(await rowsOf(file));
    expect([row?.question]).toEqual(questionsOf);
    expect(row?.quiz).toMatchObject({
      title: text,
      description: text,
      category: text,
      tags: [text],
    });
  }
});

it('texts in a workbook, where no cell is split, are guarded only at their beginning, and import unchanged', async () => {
  for (const [text, cell] of [
    ['Choose:\n- first\n- second', 'Choose:\n- first\n- second'],
    ['x;+1;-1;"=1"', 'x;+1;-1;"=1"'],
    ['- one\n- two', "'- one\n- two"],
    ["x;'=1", "x;''=1"],
    ...WITHIN.map((each) => [each]),
  ] as [string, string?][]) {
    const file = await exported(quiz(text), 'xlsx');
    if (cell !== undefined) expect(await textsIn(file)).toContain(cell);
    const [row] = questions(await rowsOf([file]));
    expect(row?.question.text).toBe(text);
    expect(row?.question.answers[0]?.text).toBe(text);
  }
});

/** What the cells of the sheet say. */
async function textsIn(file: Buffer): Promise<string[]> {
  const texts: string[] = [];
  const workbook = await Workbook.open([file]);
  const close = (name: string, text: string) => {
    if (name === 't') texts.push(text);
  };
  await workbook.readAll('xl/worksheets/sheet1.xml', { close });
  return texts;
}

it('a CSV file has columns for as many answers as a question may have', async () => {
  const count = LIMITS.content.answersPerQuestion.value;
  const answers = Array.from({ length: count }, (_, i) => ({ text: `a${i}`, isCorrect: i > 0 }));
  const many = quiz('Many');
  const questionsOfMany = many.questions.map((question) => ({ ...question, answers }));
  const file = [...writeCsv({ ...many, questions: questionsOfMany })].join('');
  const [row] = questions(await rowsOf(file));
  expect(row?.question.answers).toEqual(answers);
});

it('an exported CSV file has a byte order mark, CRLF and the documented columns', () => {
  const file = [...writeCsv(quiz('One, "two"'))].join('');
  expect(file).toBe(
    '\uFEFFquestion,type,difficulty,explanation,correct_numbers,answer_1,answer_2,' +
      'quiz_title,quiz_description,quiz_category,quiz_difficulty,quiz_tags\r\n' +
      '"One, ""two""",MULTIPLE_CHOICE,EASY,,1,"One, ""two""","One, ""two""!",' +
      '"One, ""two""",,,EASY,"One\\, ""two"""\r\n',
  );
});

it('the language and the rules of play that a quiz has are columns, and are read again', async () => {
  const rules = {
    timeLimit: 600,
    maxAttempts: 2,
    questionsPerAttempt: 1,
    acceptTypos: true,
    language: 'de-AT',
  };
  const file = [...writeCsv({ ...quiz('Rules'), ...rules })].join('');
  expect(file.split('\r\n')[0]).toMatch(
    /,quiz_tags,quiz_language,quiz_time_limit,quiz_max_attempts,quiz_questions_per_attempt,quiz_accept_typos$/,
  );
  const [row] = questions(await rowsOf(file));
  expect(row?.quiz).toMatchObject({ title: 'Rules', ...rules });
  const one = [...writeCsv({ ...quiz('Rules'), acceptTypos: true })].join('');
  expect(one).toMatch(/,quiz_tags,quiz_accept_typos\r\n.*,true\r\n$/);
});

it.each([
  ['quiz_time_limit', '5', 'seconds, 10 to 86400'],
  ['quiz_max_attempts', 'two', '1 to 100'],
  ['quiz_questions_per_attempt', '1.5', '1 to 1000'],
  ['quiz_accept_typos', 'perhaps', 'true or false'],
  ['quiz_language', 'German', 'a language tag (BCP 47), such as de or pt-BR'],
])('%s cannot be %s, and the error names what it may be', async (column, value, allowed) => {
  const file = `question,answer_1,answer_2,correct_numbers,quiz_title,${column}\nOne?,a,b,1,Quiz,${value}\n`;
  expect(await rowsOf(file)).toEqual([
    expect.objectContaining({ error: expect.stringContaining(`write ${allowed}`) as string }),
  ]);
});
