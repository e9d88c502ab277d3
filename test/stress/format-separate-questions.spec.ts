import fc from 'fast-check';
import {
  EXPORT_NAMES,
  exportOf,
  FORMAT_NAMES,
  type FormatName,
} from '../../src/import-export/formats/formats';
import type { ExportedQuiz, ImportRow } from '../../src/import-export/formats/row';
import { WRITERS } from '../../src/import-export/formats/writers';
import { rowsOf } from '../support/rows';

/**
 * No accepted question contains another question's text, whatever mistakes a file has: a mistake is an error of its
 * row. Every text of a question contains the question's own token, so that a foreign one is found.
 */

interface Asked {
  token: string;
  text: string;
  answers: { text: string; isCorrect: boolean }[];
}

const WORDS = [
  'river',
  'Paris',
  'the moon',
  'B.B. King',
  '3.14',
  'A.D. 79',
  'x',
  'salt - water',
  'I am, you are',
];
const asked: fc.Arbitrary<Asked[]> = fc
  .array(
    fc.record({
      words: fc.array(fc.constantFrom(...WORDS), { minLength: 5, maxLength: 5 }),
      options: fc.integer({ min: 2, max: 4 }),
      correct: fc.nat(1),
      asks: fc.boolean(),
    }),
    { minLength: 2, maxLength: 5 },
  )
  .map((all) =>
    all.map(({ words, options, correct, asks }, number) => {
      const token = `q${number}z`;
      const [said, ...others] = words;
      return {
        token,
        text: `Name ${token} ${said}${asks ? '?' : '.'}`,
        answers: others.slice(0, options).map((word, place) => ({
          text: `${word} ${token}${place}`,
          isCorrect: place === correct,
        })),
      };
    }),
  );

const letter = (place: number) => String.fromCharCode(97 + place);

/** Where nothing but its text shows that a question begins, it ends with a question mark. */
const asking = (all: Asked[]): Asked[] =>
  all.map((it) => ({ ...it, text: it.text.replace(/\.$/, '?') }));

/** How people write such lists. `gap`: a blank line between questions, which some leave out. */
const STYLES: Record<string, (questions: Asked[], gap: string) => string> = {
  aiken: (all, gap) =>
    asking(all)
      .map(
        ({ text, answers }) =>
          `${text}\n${answers.map((it, i) => `${letter(i).toUpperCase()}. ${it.text}\n`).join('')}ANSWER: ${letter(answers.findIndex((it) => it.isCorrect)).toUpperCase()}\n`,
      )
      .join(gap),
  'letters and stars': (all, gap) =>
    asking(all)
      .map(
        ({ text, answers }, n) =>
          `${n + 1}. ${text}\n${answers.map((it, i) => `${letter(i)}) ${it.text}${it.isCorrect ? ' *' : ''}\n`).join('')}`,
      )
      .join(gap),
  'letters without numbers': (all, gap) =>
    asking(all)
      .map(
        ({ text, answers }) =>
          `${text}\n${answers.map((it, i) => `${letter(i)}) ${it.isCorrect ? '*' : ''}${it.text}\n`).join('')}`,
      )
      .join(gap),
  'letters and an answer line': (all, gap) =>
    asking(all)
      .map(
        ({ text, answers }, n) =>
          `${n + 1}) ${text}\n${answers.map((it, i) => `${letter(i)}. ${it.text}\n`).join('')}Answer: ${letter(answers.findIndex((it) => it.isCorrect))}\n`,
      )
      .join(gap),
  'an answer line above the letters': (all, gap) =>
    asking(all)
      .map(
        ({ text, answers }) =>
          `${text}\nAnswer: ${answers.find((it) => it.isCorrect)?.text}\n${answers.map((it, i) => `${letter(i)}) ${it.text}\n`).join('')}`,
      )
      .join(gap),
  bullets: (all, gap) =>
    asking(all)
      .map(
        ({ text, answers }) =>
          `${text}\n${answers.map((it) => `${it.isCorrect ? '*' : '-'} ${it.text}\n`).join('')}`,
      )
      .join(gap),
  boxes: (all, gap) =>
    asking(all)
      .map(
        ({ text, answers }, n) =>
          `## ${n + 1}. ${text}\n${answers.map((it) => `- [${it.isCorrect ? 'x' : ' '}] ${it.text}\n`).join('')}`,
      )
      .join(gap),
  numbers: (all, gap) =>
    asking(all)
      .map(
        ({ text, answers }, n) =>
          `${n + 1}. ${text}\n${answers.map((it, i) => `${i + 1}) ${it.text}${it.isCorrect ? ' ✓' : ''}\n`).join('')}`,
      )
      .join(gap),
  'typed answers': (all, gap) =>
    asking(all)
      .map(({ text, answers }) => `Question: ${text}\nAnswer: ${answers[0]?.text}\n`)
      .join(gap),
  opentriviaqa: (all) =>
    asking(all)
      .map(
        ({ text, answers }) =>
          `#Q ${text}\n^ ${answers.find((it) => it.isCorrect)?.text}\n${answers.map((it, i) => `${letter(i).toUpperCase()} ${it.text}\n`).join('')}\n`,
      )
      .join(''),
  'cards with tabs': (all) =>
    all.map(({ text, answers }) => `${text}\t${answers[0]?.text}\n`).join(''),
  'cards with dashes': (all) =>
    asking(all)
      .map(
        ({ text, answers }, n) =>
          `${n + 1}. ${text.replaceAll(' - ', ' ')} - ${answers[0]?.text.replaceAll(' - ', ' ')}\n`,
      )
      .join(''),
  'a German sheet': (all) =>
    [
      'Frage;Antwort A;Antwort B;Richtig',
      ...all.map(
        ({ text, answers }) =>
          `"${text}";"${answers[0]?.text}";${answers[1]?.text};${answers[0]?.isCorrect ? 'A' : 'B'}`,
      ),
    ].join('\n'),
};
// In exported Markdown a stray line is read as another line of the question above it, as in Markdown itself.
for (const format of EXPORT_NAMES.filter((it) => it !== 'markdown' && !exportOf(it).isZip))
  STYLES[`export as ${format}`] = (all) =>
    [...(WRITERS[format](quizOf(asking(all))) as Iterable<string>)].join('');

const quizOf = (all: Asked[]): ExportedQuiz => ({
  title: 'Rivers',
  difficulty: 'EASY',
  tags: [],
  questions: all.map(({ text, answers }) => ({
    text,
    type: 'MULTIPLE_CHOICE',
    difficulty: 'EASY',
    answers,
  })),
});

/** Whether a question of this format is written in lines of its own, which one mistake spoils. */
const HAS_LINES: Record<FormatName, boolean> = {
  markdown: true,
  aiken: true,
  gift: true,
  opentriviaqa: true,
  quizlet: true,
  csv: true,
  json: false,
  jsonl: false,
  opentdb: false,
  'moodle-xml': false,
  xlsx: false,
  qti: false,
  archive: false,
};
const LINE_BY_LINE = FORMAT_NAMES.filter((name) => HAS_LINES[name]);

/** What goes wrong in a file: each changes one line. */
const MISTAKES: ((line: string) => string[])[] = [
  () => [],
  (line) => [line.trimStart().replace(/^\S+\s/, '')],
  (line) => [line.replace(/^(.)[.)]/, '$1')],
  (line) => [line.replaceAll('*', '').replace('✓', '')],
  (line) => [line.replace(/[{}"]/, '')],
  (line) => [line.replace(/"(?=[^"]*$)/, '')],
  (line) => [`"${line}`],
  (line) => [line.replace('\t', ' ')],
  (line) => ['', line],
  (line) => [line, line],
  (line) => [`  ${line}`],
  (line) => [line.toUpperCase().replace(/Q(\d)Z/g, 'q$1z')],
  (line) => [`${line} *`],
  (line) => [line, 'b) q9z a stray answer'],
  (line) => [line, '- q9z a stray answer'],
  (line) => [line, '7. q9z a stray question?'],
  (line) => [line, 'q9z a stray question?'],
];

const textsOf = (row: ImportRow): string[] =>
  'question' in row
    ? [
        row.question.text,
        row.question.explanation ?? '',
        ...row.question.answers.map((it) => it.text),
      ]
    : [];
const tokensOf = (...texts: string[]) => new Set(texts.join(' ').match(/q\dz/g));

/** A line without any mark may be the rest of the text above it. */
const isGlued = (text: string): boolean =>
  tokensOf(text.replace(/(?<!b\) |- |7\. )q9z/g, '')).size > 1;

/** Another question's text, or a text into which a part of another question was drawn. */
const isMixed = (row: ImportRow): boolean => {
  const texts = textsOf(row);
  const asked = new Set(texts.join(' ').match(/name q\dz|q9z a stray question/gi));
  return asked.size > 1 || texts.some(isGlued);
};

/** Wrong answers of such cards are answers of other cards, as a note says. */
const areChosen = (row: ImportRow): boolean =>
  'note' in row && row.note.startsWith('Each card becomes a multiple choice');

describe.each(Object.keys(STYLES))('questions written as %s', (style) => {
  const write = STYLES[style]!;

  it('are read one by one', async () => {
    await fc.assert(
      fc.asyncProperty(asked, fc.constantFrom('\n', ''), async (all, gap) => {
        const file = write(all, gap);
        const rows = await rowsOf(file);
        const found = rows
          .filter((row) => 'question' in row)
          .map((row) => [...tokensOf(...textsOf(row))]);
        expect({ file, found }).toEqual({ file, found: all.map(({ token }) => [token]) });
      }),
      { numRuns: 40 },
    );
  });

  it('never contain the text of another question, whatever line has a mistake', async () => {
    const mistake = fc.record({ at: fc.nat(40), how: fc.nat(MISTAKES.length - 1) });
    // An export is not read in another format.
    const format = fc.constantFrom<FormatName | undefined>(
      ...(style.startsWith('export') ? [undefined] : LINE_BY_LINE),
    );
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(
        asked,
        fc.constantFrom('\n', ''),
        fc.array(mistake, { minLength: 1, maxLength: 2 }),
        fc.option(format, { nil: undefined, freq: 9 }),
        async (all, gap, mistakes, format) => {
          let lines = write(all, gap).split('\n');
          for (const { at, how } of mistakes) {
            const place = at % lines.length;
            lines = lines.flatMap((line, i) => (i === place ? MISTAKES[how]!(line) : [line]));
          }
          const rows = await rowsOf(lines.join('\n'), format);
          const mixed = rows.some(areChosen) ? [] : rows.filter(isMixed);
          if (mixed.length > 0)
            throw new Error(`${JSON.stringify(mixed)} in ${format ?? ''}:\n${lines.join('\n')}`);
          accepted += rows.filter((row) => 'question' in row).length;
        },
      ),
      { numRuns: 200 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});
