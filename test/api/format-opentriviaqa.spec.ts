import fc from 'fast-check';
import { readOpenTriviaQa } from '../../src/import-export/formats/opentriviaqa/opentriviaqa.reader';
import { decodeText } from '../../src/import-export/formats/opentriviaqa/opentriviaqa-text';
import type { ErrorRow, ImportRow, ParsedRow } from '../../src/import-export/formats/row';
import { pieces, rowsBy } from '../support/rows';

/** Rows of a file made of these lines; bytes are written as \x escapes (Latin-1). */
function read(...lines: string[]): Promise<ImportRow[]> {
  return rowsBy(readOpenTriviaQa, Buffer.from(lines.join('\n'), 'latin1'));
}

/** The only row's question; fails with the error if there is one. */
async function question(...lines: string[]) {
  const rows = await read(...lines);
  expect(rows).toEqual([{ line: 1, question: expect.anything() }]);
  return (rows[0] as ParsedRow).question;
}

async function error(...lines: string[]) {
  const rows = await read(...lines);
  expect(rows).toEqual([{ line: 1, error: expect.any(String) }]);
  return (rows[0] as ErrorRow).error;
}

const OPTIONS = ['^ Lyon', 'A Paris', 'B Lyon', 'C Nice', 'D Lille'];

describe('OpenTriviaQA: well-formed files', () => {
  it('each question has the line of its #Q', async () => {
    const file = [
      '#Q Which is on the Rhône?',
      ...OPTIONS,
      '',
      '#Q Is it far?',
      '^ No',
      'A Yes',
      'B No',
      '',
    ];
    expect(await rowsBy(readOpenTriviaQa, file.join('\n'))).toEqual([
      {
        line: 1,
        question: {
          text: 'Which is on the Rhône?',
          type: 'MULTIPLE_CHOICE',
          answers: [
            { text: 'Paris', isCorrect: false },
            { text: 'Lyon', isCorrect: true },
            { text: 'Nice', isCorrect: false },
            { text: 'Lille', isCorrect: false },
          ],
        },
      },
      {
        line: 8,
        question: {
          text: 'Is it far?',
          type: 'MULTIPLE_CHOICE',
          answers: [
            { text: 'Yes', isCorrect: false },
            { text: 'No', isCorrect: true },
          ],
        },
      },
    ]);
  });

  it('a file is read row by row', async () => {
    const file = pieces('#Q One?\n^ 1\nA 1\nB 2\n#Q Two?\n^ 2\nA 1\nB 2\n');
    let read = 0;
    async function* bytes() {
      for (const piece of file) {
        read++;
        yield await Promise.resolve(piece);
      }
    }
    const rows = readOpenTriviaQa(bytes());
    expect(await rows.next()).toMatchObject({ done: false, value: { line: 1 } });
    expect(read).toBeLessThan(file.length);
    expect(await rows.next()).toMatchObject({ done: false, value: { line: 5 } });
    expect(await rows.next()).toEqual({ done: true, value: undefined });
  });

  it('a file may be empty', async () => {
    expect(await read('')).toEqual([]);
    expect(await read('', ' \t ', '\r')).toEqual([]);
  });

  it.each([
    ['True', 'False'],
    ['FALSE', 'true'],
  ])('a question with the options %s and %s is TRUE_FALSE', async (a, b) => {
    expect((await question('#Q Snow is cold.', '^ True', `A ${a}`, `B ${b}`)).type).toBe(
      'TRUE_FALSE',
    );
  });

  it('a question with True and False among other options is MULTIPLE_CHOICE', async () => {
    const { type } = await question('#Q Snow is cold.', '^ True', 'A True', 'B False', 'C Maybe');
    expect(type).toBe('MULTIPLE_CHOICE');
  });
});

describe('OpenTriviaQA: tolerated deviations', () => {
  it('the lines of a verse are kept without blank ones, whatever word they begin with', async () => {
    const lines = [
      '#Q Who sang:',
      '',
      'I walked alone ',
      'A long  way',
      'B flat was the key?',
      '',
      ...OPTIONS,
    ];
    expect((await question(...lines)).text).toBe(
      'Who sang:\nI walked alone\nA long way\nB flat was the key?',
    );
  });

  it('the question may be on the line after #Q', async () => {
    expect((await question('#Q', 'Where?', ...OPTIONS)).text).toBe('Where?');
  });

  it('tabs and no-break spaces become single spaces', async () => {
    expect((await question('#Q \t Where \x20 is\tit,\xC2\xA0then? ', ...OPTIONS)).text).toBe(
      'Where is it, then?',
    );
  });

  it.each([
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('%s line ends are read and counted alike', async (_name, end) => {
    const file = ['#Q One?', ...OPTIONS, '', '#Q Two?', ...OPTIONS, ''].join(end);
    const rows = await rowsBy(readOpenTriviaQa, file);
    expect(rows.map(({ line }) => line)).toEqual([1, 8]);
    expect(rows).toEqual(rows.map(({ line }) => ({ line, question: expect.anything() })));
  });

  it('a byte order mark, NUL and other control characters are dropped', async () => {
    const { text } = await question('\xEF\xBB\xBF#Q Wh\0ere\x07 is\x0Bit\x7F?', ...OPTIONS);
    expect(text).toBe('Where is it?');
  });

  it.each([
    ['letters in lower case', ['^ Lyon', 'a Paris', 'b Lyon']],
    ['full stops', ['^ Lyon', 'A. Paris', 'B. Lyon']],
    ['brackets', ['^ Lyon', 'A) Paris', 'B) Lyon']],
    ['missing spaces', ['^Lyon', 'AParis', 'BLyon']],
    ['indented lines', ['  ^ Lyon', '  A Paris', '  B Lyon']],
    ['a letter left out', ['^ Lyon', 'A Paris', 'C Lyon']],
    ['blank lines between', ['', '^ Lyon', '', 'A Paris', '', 'B Lyon']],
    ['an option in another case', ['^ LYON', 'A Paris', 'B Lyon']],
  ])('%s is accepted', async (_name, lines) => {
    const { answers } = await question('#QWhere?', ...lines);
    expect(answers).toEqual([
      { text: 'Paris', isCorrect: false },
      { text: 'Lyon', isCorrect: true },
    ]);
  });

  it('an answer over two lines is joined', async () => {
    const { answers } = await question(
      '#Q Where?',
      '^ in the',
      'far north',
      'A here',
      'B in the far',
      'north',
    );
    expect(answers[1]).toEqual({ text: 'in the far north', isCorrect: true });
  });

  it('an answer line that begins with a one-letter word is not an option', async () => {
    const { answers } = await question('#Q Who?', '^ X', 'A me and', 'I alone', 'B X');
    expect(answers.map(({ text }) => text)).toEqual(['me and I alone', 'X']);
  });
});

describe('OpenTriviaQA: errors', () => {
  it.each([
    ['no text', ['#Q ', ...OPTIONS], 'The question has no text: write it after "#Q".'],
    ['no "^"', ['#Q Where?', 'A Paris', 'B Lyon'], /^No line names the correct answer: /],
    [
      'an empty "^"',
      ['#Q Where?', '^', 'A Paris', 'B Lyon'],
      /^No correct answer follows the "\^"/,
    ],
    ['two "^"', ['#Q Where?', '^ Paris', '^ Lyon', 'A Paris', 'B Lyon'], /^More than one line/],
    ['no option', ['#Q Where?', '^ Paris'], /^At least two options are needed, not 0: /],
    [
      'one option',
      ['#Q Where?', '^ Paris', 'A Paris'],
      /^At least two options are needed, not 1: /,
    ],
    [
      'an answer that is no option',
      ['#Q Where?', '^ Rome', 'A Paris', 'B Lyon'],
      'The correct answer "Rome" is not among the options: make it equal to one.',
    ],
    [
      'an empty option',
      ['#Q Where?', '^ Paris', 'A Paris', 'B Lyon', 'C'],
      'Option C is empty: write its text or remove the line.',
    ],
    [
      'repeated options',
      ['#Q Where?', '^ Lyon', 'A Paris', 'B Lyon', 'C  Paris '],
      'Options A and C are both "Paris": change or remove one.',
    ],
    [
      'a case that none of the options has',
      ['#Q Gas?', '^ co', 'A CO', 'B Co'],
      'The correct answer "co" is more than one of the options: make it equal to one.',
    ],
    [
      'several errors',
      ['#Q', '^ Rome', 'A Paris', 'B'],
      'The question has no text: write it after "#Q"; option B is empty: write its text or remove the line; ' +
        'the correct answer "Rome" is not among the options: make it equal to one.',
    ],
  ])(
    'a question with %s is reported as an error, and the next question is read',
    async (_name, lines, expected) => {
      expect(await error(...lines)).toMatch(expected);
      expect((await read(...lines, '', '#Q Next?', ...OPTIONS))[1]).toMatchObject({
        line: lines.length + 2,
        question: { text: 'Next?' },
      });
    },
  );

  it('a report entry lists three errors and counts the others', async () => {
    const all = await error('#Q Where?', '^ x', 'A x', 'B x', 'C x', 'D x', 'E x', 'F x');
    const listed = Array(3).fill(expect.stringMatching(/both "x"/));
    expect(all.split('; ')).toEqual([...listed, 'and 2 more.']);
  });

  it('lines outside a question are reported once with their first line, and the question before is kept', async () => {
    const rows = await read(
      'Trivia, part 2',
      'of 3',
      '',
      '#Q Where?',
      ...OPTIONS,
      '',
      '-- the end --',
      'A bye',
    );
    expect(rows).toEqual([
      { line: 1, error: 'The line "Trivia, part 2" belongs to no question: begin one with "#Q".' },
      { line: 4, question: expect.objectContaining({ text: 'Where?' }) },
      { line: 11, error: 'The line "-- the end --" belongs to no question: begin one with "#Q".' },
    ]);
  });

  it('an error quotes at most 60 characters', async () => {
    const [row] = await read('y'.repeat(1000));
    expect(row).toEqual({ line: 1, error: expect.stringContaining(`"${'y'.repeat(60)}…"`) });
  });
});

describe('OpenTriviaQA: encodings', () => {
  it.each([
    ['UTF-8', '\xE2\x80\x9CCaf\xC3\xA9\xE2\x80\x9D \xE6\xAD\xA1 \xF0\x9F\x98\x80', '“Café” 歡 😀'],
    ['Latin-1 accents', 'Caf\xE9? K\xF6ln, 60\xA2', 'Café? Köln, 60¢'],
    ['Windows-1252 quotes', '\x93Go\x94 \x96 it\x92s 5\x80\x85', '“Go” – it’s 5€…'],
    ['both in one line', '\xC3\xA9t\xE9', 'été'],
    [
      'a closing quote whose last byte became "?"',
      '\xE2\x80\x9CGo\xE2\x80?, he said',
      '“Go”, he said',
    ],
    ['the Cyrillic A whose last byte became "?"', '\xD0?n egg', 'Аn egg'],
    ['another lost letter beside UTF-8', '\xCF\x86\xCF?\xCF\x83', 'φ\uFFFDσ'],
    ['the same two bytes in a Latin-1 line', 'na\xCF?f \xE9', 'naÏ?f é'],
    ['a byte that means nothing', 'a\x81b', 'a\uFFFDb'],
    ['Windows-1252 stored as C1 controls', 'it\xC2\x92s', 'it’s'],
    ['marks that show nothing', 'Ma\xE2\x80\x8Bry\xE2\x80\x8E', 'Mary'],
  ])('%s: the text is decoded', (_name, bytes, text) => {
    expect(decodeText(Buffer.from(bytes, 'latin1'))).toBe(text);
  });

  it('an invalid line does not affect other lines', async () => {
    const { text, answers } = await question(
      '#Q Caf\xC3\xA9?',
      '^ K\xF6ln',
      'A K\xF6ln',
      'B \xC5\x81\xC3\xB3d\xC5\xBA',
    );
    expect(text).toBe('Café?');
    expect(answers.map((answer) => answer.text)).toEqual(['Köln', 'Łódź']);
  });
});

describe('OpenTriviaQA: random bytes', () => {
  const fragment = fc.constantFrom(
    ...[
      '#Q ',
      '#Q',
      '^ ',
      'A ',
      'B ',
      'C ',
      'b ',
      'True',
      'False',
      'x',
      'X',
      ' ',
      '\t',
      '\0',
      '\r',
      '?',
    ],
    ...[
      '\n',
      '\n',
      '\n\n',
      '\n^ x\nA x\nB y\n',
      '\n^ true\nA False\nB True\n',
      '\xE2\x80',
      '\xE9',
      '\xC3\xA9',
    ],
  );
  const fragments = fc
    .array(fragment, { maxLength: 60 })
    .map((all) => Buffer.from(all.join(''), 'latin1'));
  // Bytes that begin with a UTF-16 byte order mark are decoded as UTF-16, and may be refused as damaged.
  const noise = fc
    .uint8Array({ maxLength: 200 })
    .map((bytes) => Buffer.from(bytes))
    .filter((bytes) => !/^(?:\xFF\xFE|\xFE\xFF)/.test(bytes.toString('latin1')));
  const content = fc.oneof({ weight: 3, arbitrary: fragments }, { weight: 1, arbitrary: noise });

  it('random bytes never throw, and every question that is read is valid', async () => {
    let questions = 0;
    const property = fc.asyncProperty(content, async (bytes) => {
      const lines = bytes.toString('latin1').split(/\r\n|\r|\n/).length;
      let last = 0;
      for (const row of await rowsBy(readOpenTriviaQa, bytes)) {
        expect(row.line).toBeGreaterThan(last);
        expect(row.line).toBeLessThanOrEqual(lines);
        last = row.line;
        if (!('question' in row)) {
          expect(row).toEqual({ line: row.line, error: expect.stringMatching(/^[A-Z].*\.$/) });
          continue;
        }
        questions++;
        const { text, type, answers } = row.question;
        const texts = answers.map((answer) => answer.text);
        const folded = new Set(texts.map((answer) => answer.trim().toLowerCase()));
        for (const each of [...text.split('\n'), ...texts]) {
          expect(each).toBe(each.trim());
          expect(each).not.toMatch(/^$|\s\s|\p{Cc}|\p{Cs}/u);
        }
        expect(answers.length).toBeGreaterThanOrEqual(2);
        expect(new Set(texts.map((answer) => answer.trim())).size).toBe(answers.length);
        expect(answers.filter((answer) => answer.isCorrect)).toHaveLength(1);
        expect(type === 'TRUE_FALSE').toBe(
          texts.length === 2 && folded.has('true') && folded.has('false'),
        );
      }
    });
    await fc.assert(property, { numRuns: 2000 });
    expect(questions).toBeGreaterThan(0);
  });
});
