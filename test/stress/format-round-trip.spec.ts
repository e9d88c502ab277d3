import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { DIFFICULTIES, QUESTION_TYPES } from '../../src/catalog/vocabulary';
import { EXPORT_NAMES, type ExportName, exportOf } from '../../src/import-export/formats/formats';
import { READERS } from '../../src/import-export/formats/readers';
import type { ExportedQuiz } from '../../src/import-export/formats/row';
import { fold, tidy } from '../../src/platform/text/text.rules';
import { RICH_QUIZ } from '../support/rich-quiz';
import { collect, exported, pieces, questions, rowsOf } from '../support/rows';

/** What was exported and imported again is equal: every text that the service can hold, in every format. */

const SIGNS = [
  ...[
    '"',
    "'",
    ',',
    ';',
    '\t',
    '\n',
    '\r',
    '\r\n',
    '  ',
    '\n\n',
    '\\',
    '\\n',
    '|',
    '=',
    '+',
    '-',
    '@',
  ],
  ...[
    '{',
    '}',
    '~',
    '#',
    '####',
    ':',
    '::',
    '->',
    '%50%',
    '%',
    '[html]',
    '[plain]',
    '//',
    '$CATEGORY: x',
  ],
  ...[
    '<',
    '>',
    '&',
    '&amp;',
    '&&092;',
    '&&010',
    ']]>',
    '<![CDATA[',
    '<?quiz {}?>',
    '?>',
    '<!--',
    '*',
    '\\*',
  ],
  ...[
    '#Q',
    '^',
    'A. ',
    'ANSWER: A',
    '{"text":',
    '```',
    '\u0001',
    '\u007f',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\ufffe',
  ],
  ...[
    '\u200b',
    '\u00a0',
    '\u3000',
    'É',
    'e\u0301',
    '漢',
    '😀',
    '\u{F0000}',
    '\u{10FFFF}',
    '\ue000',
    '_x0041',
    'a',
    'b',
    '1',
    '=',
  ],
];
const text = fc
  .oneof(
    fc.array(fc.constantFrom(...SIGNS), { minLength: 1, maxLength: 8 }).map((all) => all.join('')),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  )
  .map((any) => tidy(any.replaceAll('\0', '')))
  .filter((any) => any !== '' && any.isWellFormed());

const answers = fc
  .uniqueArray(text, { minLength: 2, maxLength: 6, selector: fold })
  .chain((texts) =>
    fc
      .subarray(texts, { minLength: 1 })
      .map((correct) => texts.map((each) => ({ text: each, isCorrect: correct.includes(each) }))),
  );
const trueFalse = fc
  .tuple(
    fc.oneof(
      fc.constant(['True', 'False']),
      fc.constant(['False', 'True']),
      answers.map((all) => all.map((each) => each.text)),
    ),
    fc.boolean(),
  )
  .map(([texts, first]) => [
    { text: texts[0] ?? '', isCorrect: first },
    { text: texts[1] ?? '', isCorrect: !first },
  ]);
const question = fc
  .record({
    text,
    type: fc.constantFrom(...QUESTION_TYPES),
    difficulty: fc.constantFrom(...DIFFICULTIES),
    answers,
    pair: trueFalse,
    isSingle: fc.boolean(),
    explanation: fc.option(text, { nil: undefined }),
    source: fc.option(text, { nil: undefined }),
    licence: fc.option(text, { nil: undefined }),
  })
  .map(({ pair, isSingle, ...all }) => {
    // One accepted answer is enough for an open question.
    const accepted = all.answers.filter(({ isCorrect }) => isCorrect).slice(0, 1);
    const answers = all.type === 'OPEN_ENDED' && isSingle ? accepted : all.answers;
    return { ...all, answers: all.type === 'TRUE_FALSE' ? pair : answers };
  });
const few = fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined });
const quiz: fc.Arbitrary<ExportedQuiz> = fc.record({
  title: text,
  language: fc.constantFrom('de', 'pt-BR', undefined),
  timeLimit: fc.option(fc.integer({ min: 60, max: 3_600 }), { nil: undefined }),
  maxAttempts: few,
  questionsPerAttempt: few,
  acceptTypos: fc.constantFrom(true, false, undefined),
  description: fc.option(text, { nil: undefined }),
  category: fc.option(text, { nil: undefined }),
  difficulty: fc.constantFrom(...DIFFICULTIES),
  tags: fc.uniqueArray(text, { maxLength: 3, selector: fold }),
  questions: fc.array(question, { minLength: 1, maxLength: 4 }),
});

/** Without what is absent. */
const plain = (value: object): unknown => JSON.parse(JSON.stringify(value));

/** How a line begins in which a question begins. */
const MARKS: Partial<Record<ExportName, RegExp>> = {
  json: /^ {4}\{/,
  csv: /^"One/,
  markdown: /^\d\. One/,
  gift: /^\[plain\]/,
  'moodle-xml': /<question /,
};

describe.each(EXPORT_NAMES)('round trip through %s', (format) => {
  it('every exported quiz imports unchanged, without report entries', async () => {
    await fc.assert(
      fc.asyncProperty(quiz, fc.integer({ min: 1, max: 5_000 }), async (quiz, size) => {
        const file = await exported(quiz, format);
        const read = READERS[exportOf(format).format];
        const rows = questions(await collect(read(pieces(file, size))));
        expect(rows.map((row) => row.question)).toEqual(quiz.questions.map(plain));
        expect(rows.flatMap((row) => row.notes ?? [])).toEqual([]);
        const { tags, ...about } = { ...quiz, questions: undefined };
        const quizOfRow = plain({
          key: rows[0]?.quiz?.key,
          ...about,
          ...(tags.length > 0 && { tags }),
        });
        for (const row of rows) expect(row.quiz).toEqual(quizOfRow);
      }),
      { numRuns: 200 },
    );
  });

  it('an export is detected by its content', async () => {
    await fc.assert(
      fc.asyncProperty(quiz, async (quiz) => {
        const rows = questions(await rowsOf(await exported(quiz, format)));
        expect(rows.map((row) => row.question)).toEqual(quiz.questions.map(plain));
      }),
      { numRuns: 40 },
    );
  });

  it('an export is detected by its content although its title looks like another format', async () => {
    const odd = {
      title: '{"text":"',
      difficulty: 'EASY' as const,
      tags: ['ANSWER: A'],
      questions: [
        {
          text: '!',
          type: 'MULTIPLE_CHOICE' as const,
          difficulty: 'EASY' as const,
          answers: [
            { text: '!', isCorrect: false },
            { text: '"', isCorrect: true },
          ],
        },
      ],
    };
    const rows = questions(await rowsOf(await exported(odd, format)));
    expect(rows.map((row) => row.question)).toEqual(odd.questions.map(plain));
  });

  it('an export is detected and has no notes although its texts look like a list and a tag', async () => {
    const [question] = RICH_QUIZ.questions;
    const odd = { ...question!, text: 'One\r[tag:a]', answers: [...question!.answers] };
    odd.answers.push({ text: 'Two\u2028- [x] three', isCorrect: false });
    const rows = questions(
      await rowsOf(await exported({ ...RICH_QUIZ, questions: [odd] }, format)),
    );
    expect(rows.map((row) => row.question)).toEqual([plain(odd)]);
    expect(rows.flatMap((row) => row.notes ?? [])).toEqual([]);
  });

  it('a question keeps its Markdown beside pictures that the file has and has not', async () => {
    const [here, elsewhere] = ['00000000-0000-7000-8000-000000000001', randomUUID()];
    const text = `**Type** media:${here}. ![a](media:${here}) ![b](media:${here}) ![c](media:${elsewhere})`;
    const question = { ...RICH_QUIZ.questions[0]!, text, format: 'markdown' as const };
    const content = Buffer.from('picture');
    const picture = { type: 'image/png', bytes: content.length, read: () => [content] };
    const pictures = new Map([[here, picture]]);
    const file = await exported({ ...RICH_QUIZ, questions: [question], pictures }, format);
    const [row] = questions(await rowsOf(file));
    expect(row?.question.format).toBe('markdown');
    expect(row?.notes).toBeUndefined();
    const read = row?.question.text.replace(/data:image\/\w+;base64,[\w+/=]+/g, `media:${here}`);
    expect(read).toBe(text);
  });

  it('each row of an export has the line in which its question begins', async () => {
    const one = {
      text: 'One\r\ntwo?',
      type: 'MULTIPLE_CHOICE' as const,
      difficulty: 'EASY' as const,
      explanation: 'Three\nlines\nlong',
      answers: [
        { text: 'yes', isCorrect: true },
        { text: 'no', isCorrect: false },
      ],
    };
    const quiz = {
      title: 'Lines',
      difficulty: 'EASY' as const,
      tags: [],
      questions: [one, one, one],
    };
    const file = await exported(quiz, format);
    const rows = questions(await rowsOf(file));
    expect(rows).toHaveLength(3);
    const mark = MARKS[format];
    const lines = file.toString().split(/\r\n|\n|\r/);
    const marked = lines.flatMap((text, i) => (mark?.test(text) ? [i + 1] : []));
    // A line of a workbook is a row of its sheet. In a QTI package each question is a file.
    const expected = mark ? marked : format === 'xlsx' ? [2, 3, 4] : [1, 1, 1];
    expect(rows.map(({ line }) => line)).toEqual(expected);
  });
});

it.each(['_x0041_', '_x0041\r\nb', '_x0041\u000bb', '_x005F_x0041_', '__x0041_x000D_'])(
  'a workbook keeps %j, which looks like an escaped character',
  async (text) => {
    const question = { ...RICH_QUIZ.questions[0]!, text };
    const file = await exported({ ...RICH_QUIZ, questions: [question] }, 'xlsx');
    const [row] = questions(await rowsOf(file));
    expect(row?.question.text).toBe(text);
  },
);

it.each(EXPORT_NAMES.filter((name) => !exportOf(name).isZip))(
  '%s: an export that was saved as UTF-16 is read',
  async (format) => {
    const file = await exported(RICH_QUIZ, format);
    const text = String(file).replace(/^\ufeff/, '');
    const rows = await rowsOf(Buffer.from(`\ufeff${text}`, 'utf16le'));
    expect(questions(rows)).toHaveLength(RICH_QUIZ.questions.length);
    expect(rows).toEqual(await rowsOf(file));
  },
);

it.each(['gift', 'moodle-xml', 'markdown'] as const)(
  '%s: two exports in one file are two quizzes',
  async (format) => {
    const files = ['Rivers', 'Lakes'].map((title) => exported({ ...RICH_QUIZ, title }, format));
    const [rivers = '', lakes = ''] = (await Promise.all(files)).map(String);
    const joined =
      format === 'moodle-xml'
        ? rivers.replace('</quiz>', () => lakes.slice(lakes.indexOf('<quiz>') + '<quiz>'.length))
        : rivers + lakes;
    const rows = questions(await rowsOf(joined, format));
    const titles = new Map(rows.map(({ quiz }) => [quiz?.key, quiz?.title]));
    expect([...titles.values()]).toEqual(['Rivers', 'Lakes']);
    expect(rows).toHaveLength(2 * RICH_QUIZ.questions.length);
  },
);
