import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FormatName } from '../../src/import-export/formats/formats';
import { readRows } from '../../src/import-export/formats/read-rows';
import type { ImportRow } from '../../src/import-export/formats/row';
import { sheetText } from '../../src/import-export/formats/xlsx/xlsx.reader';
import { collect, rowsOf } from '../support/rows';
import { workbook } from '../support/workbooks';

/** The files and pastes of teachers, with mistakes in them: what is right is read, and every mistake is an error. */

/** A row in a line: `*` before a correct answer, `!` before an error. */
function shown(row: ImportRow): string {
  if ('note' in row) return `note: ${row.note}`;
  if ('error' in row) return `! ${row.line}: ${row.error}`;
  const { text, answers } = row.question;
  return `${text} ${answers.map((it) => `${it.isCorrect ? '*' : ''}${it.text}`).join(' / ')}`;
}

async function read(file: string | Buffer, name?: string) {
  const { format, rows } = await readRows([Buffer.from(file)], undefined, name);
  return { format, rows: (await collect(rows)).map(shown) };
}
const sample = (name: string) => read(readFileSync(join(__dirname, 'samples/teacher', name)), name);

/** A workbook of these cells. */
const sheet = (rows: (string | number)[][]) =>
  workbook(
    rows.map((cells) =>
      cells
        .map((it) =>
          typeof it === 'number' ? `<c><v>${it}</v></c>` : `<c t="str"><v>${it}</v></c>`,
        )
        .join(''),
    ),
  );

test.each<[string, FormatName, (string | RegExp)[]]>([
  [
    'excel-de.csv',
    'csv',
    [
      'Wie heißt die Hauptstadt von Österreich? *Wien / Graz / Linz',
      'Wer schrieb "Faust"? Schiller / *Goethe / Lessing',
      'Welcher Fluss fließt durch Köln? Elbe / *Rhein / Main',
      '! 5: No correct answer is given: write its text, number or letter in the column "Richtig".',
      /^note: The file is not UTF-8 .* check that accented letters look right/,
    ],
  ],
  [
    'quizlet.txt',
    'quizlet',
    [
      /^note: The file has no header/,
      /^note: Each card becomes a question whose answer is typed/,
      'la maison *the house',
      'le chat *the cat',
      '! 3: The line has no tab: put one between the question and its answer.',
      'la fenêtre *the window',
      'le livre *the book',
    ],
  ],
  [
    'quizlet-clean.txt',
    'quizlet',
    [
      /^note: The file has no header/,
      /^note: Each card becomes/,
      ...[
        'la maison *the house',
        'le chat *the cat',
        'la fenêtre *the window',
        'le livre *the book',
      ],
    ],
  ],
  [
    'moodle.xml',
    'moodle-xml',
    [
      'Capital of Italy? *Rome / Milan',
      'The sun is a star. *True / False',
      'Where does photosynthesis happen? *in the chloroplasts',
      '6 times 7? *42',
      '! 27: Matching questions are not supported yet: write one question for each pair.',
      /^! 31: An essay has no answers/,
    ],
  ],
  [
    'quiz.gift',
    'gift',
    [
      'Capital of Italy? *Rome / Milan / Turin',
      'The sun is a star. *True / False',
      /^! 5: GIFT cannot be read here \(line \d\): the answers do not end/,
      'Two plus two? *4 / 5',
      'Which are prime? *2 / *3 / 4',
      '! 11: Matching questions are not supported yet: write one question for each pair.',
      'Largest ocean? *Pacific / Atlantic',
    ],
  ],
  [
    'list.md',
    'markdown',
    [
      'Which river flows through Vienna? *The Danube / The Rhine',
      /^! 7: No answer is marked as correct: put \* behind the correct one/,
      'Which river flows through Paris? The Loire / *The Seine',
    ],
  ],
  [
    'abc.txt',
    'markdown',
    [
      'What is the capital of Italy? Milan / *Rome / Turin',
      'What is the capital of France? Lyon / *Paris / Nice',
      /^! 12: No answer is marked as correct/,
    ],
  ],
  [
    'ten-mistakes.txt',
    'markdown',
    [
      'What is the capital of Italy? Milan / *Rome',
      /^! 5: No answer is marked as correct/,
      '! 9: Give the question at least 2 answers.',
      '! 12: Answer c found where b is expected: letter the answers a, b and c.',
      /^! 16: The correct answer "C" is not one of the answers/,
      /^! 21: Two of the answers are both "Nairobi"/,
      /^! 25: The marks and the line "Answer:" name different answers/,
      /^! 30: The line "What is the capital of Chad\?" looks like another question/,
      '! 35: Give the question at least 2 answers.',
      /^! 37: The answers are marked in different ways/,
      /^! 41: Answer 2 is empty/,
      /^! 45: The text "or Pokhara" follows an answer/,
      'What is the capital of Cuba? *Havana / Santiago',
    ],
  ],
])('%s is read as %s, and each of its mistakes is an error', async (name, format, rows) => {
  expect(await sample(name)).toEqual({
    format,
    rows: rows.map((row) => (typeof row === 'string' ? row : expect.stringMatching(row))),
  });
});

test("a teacher's workbook with keys as letter, number and text is read, and each mistake is an error of its row", async () => {
  const file = sheet([
    ['Question', 'Answer A', 'Answer B', 'Answer C', 'Correct'],
    ['Capital of Italy?', 'Milan', 'Rome', 'Turin', 'B'],
    ['Capital of France?', 'Lyon', 'Nice', 'Paris', 3],
    ['Capital of Spain?', 'Madrid', 'Seville', 'Bilbao', 'Madrid'],
    ['Capital of Norway?', 'Oslo', 'Bergen', 'Tromsø', ''],
    ['', 'x', 'y', 'z', 'A'],
    ['Capital of Peru?', 'Lima', '', '', 'A'],
    ['Capital of Kenya?', 'Nairobi', 'Mombasa', 'Kisumu', 'D'],
    ['Capital of Japan?', 'Kyoto', 'Tokyo', 'Osaka', 'B) Tokyo'],
    ['Capital of Cuba?', 'Havana', 'Santiago', 'Holguín', 'B) Havana'],
  ]);
  expect((await read(file)).rows).toEqual([
    'note: Only the sheet "Kahoot" is read; ignored: "Notes".',
    'Capital of Italy? Milan / *Rome / Turin',
    'Capital of France? Lyon / Nice / *Paris',
    'Capital of Spain? *Madrid / Seville / Bilbao',
    '! 5: No correct answer is given: write its text, number or letter in the column "Correct".',
    '! 6: The question has no text: write it.',
    '! 7: Give the question at least 2 answers.',
    expect.stringMatching(/^! 8: The correct answer "D" is not one of the answers/),
    'Capital of Japan? Kyoto / *Tokyo / Osaka',
    expect.stringMatching(/^! 10: The correct answer "B\) Havana" is not one of the answers/),
  ]);
});

test('the sheet with the questions is read although a cover precedes it', async () => {
  const cells = (...texts: string[]) =>
    `<row>${texts.map((it) => `<c t="str"><v>${it}</v></c>`).join('')}</row>`;
  const questions = `<worksheet><sheetData>${cells('Question', 'A', 'B', 'Correct')}${cells('Capital of Italy?', 'Milan', 'Rome', 'B')}</sheetData></worksheet>`;
  const cover = ['<c t="str"><v>Author</v></c><c t="str"><v>Anna</v></c>'];
  const file = workbook(cover, [], '', { 'xl/worksheets/sheet1.xml': questions });
  expect((await read(file)).rows).toEqual([
    'note: Only the sheet "Notes" is read; ignored: "Kahoot".',
    'Capital of Italy? Milan / *Rome',
  ]);
  expect(await sheetText([file], 1_000)).toBe(
    'Question,A,B,Correct\nCapital of Italy?,Milan,Rome,B',
  );
});

test('a workbook that names one sheet many times is read as one with a single sheet', async () => {
  const sheets = Array.from({ length: 1_000 }, (_, n) => `<sheet name="${n}" r:id="b"/>`);
  const file = workbook(['<c t="str"><v>Question</v></c><c t="str"><v>Answer</v></c>'], [], '', {
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${sheets.join('')}</sheets></workbook>`,
  });
  expect((await read(file)).rows).toEqual([
    '! 1: The file holds no questions: choose the file that does.',
  ]);
});

/** The rows of a workbook with a header: what each row says, and its notes. */
async function readSheet(
  rows: string[],
  parts: Record<string, string> = {},
  strings: string[] = [],
) {
  const header = ['Question', 'A', 'B', 'Correct'].map((it) => `<c t="str"><v>${it}</v></c>`);
  const file = workbook([header.join(''), ...rows], strings, '', parts);
  const all = await rowsOf(file);
  return all.flatMap((row) =>
    'note' in row ? [] : [[shown(row), ...(('notes' in row && row.notes) || [])]],
  );
}

const ask = (text: string, ...cells: string[]) =>
  `<c t="str"><v>${text}</v></c>${cells.join('')}<c t="str"><v>A</v></c>`;
const run = (text: string, align = '') =>
  `<r>${align && `<rPr><vertAlign val="${align}"/></rPr>`}<t xml:space="preserve">${text}</t></r>`;

test('raised and lowered digits of a workbook are kept, and of letters a note says that they are not', async () => {
  const inline = (...runs: string[]) => `<c t="inlineStr"><is>${runs.join('')}</is></c>`;
  const rows = [
    ask('Power?', '<c t="s"><v>0</v></c>', inline(run('H'), run('2', 'subscript'), run('O'))),
    ask('Mean?', '<c t="s"><v>1</v></c>', '<c><v>1</v></c>'),
    ask('Date?', inline(run('4'), run('th', 'superscript')), '<c><v>1</v></c>'),
    ask('None?', '<c><v>2</v></c>', '<c><v>1</v></c>'),
  ];
  const si = (...runs: string[]) => `<si>${runs.join('')}</si>`;
  const strings = `<sst>${si(run('10'), run('-3 ', 'superscript'), run('m'))}${si(run('x'), run('max', 'subscript'))}</sst>`;
  const note = 'Raised and lowered letters are read as others.';
  expect(await readSheet(rows, { 'xl/sharedStrings.xml': strings })).toEqual([
    ['Power? *10⁻³ m / H₂O'],
    ['Mean? *xmax / 1', note],
    ['Date? *4th / 1', note],
    ['None? *2 / 1'],
  ]);
});

test('a workbook keeps seconds, times that have passed and leading zeros', async () => {
  const formats = ['h:mm:ss', '[h]:mm:ss', '00000', '[mm]:ss', '"0"00', 'dd/mm/yyyy hh:mm'];
  const codes = formats.map((code, n) => {
    const quoted = code.replaceAll('"', '&quot;');
    return `<numFmt numFmtId="${170 + n}" formatCode="${quoted}"/>`;
  });
  const cells = [0, ...formats.map((_, n) => 170 + n), 46, 20, 21, 45].map(
    (id) => `<xf numFmtId="${id}"/>`,
  );
  const styles = `<styleSheet><numFmts>${codes.join('')}</numFmts><cellXfs>${cells.join('')}</cellXfs></styleSheet>`;
  const cell = (style: number, value: number) => `<c s="${style}"><v>${value}</v></c>`;
  const rows = [
    ask('Record?', cell(1, 7_235 / 86_400), cell(1, 0.5)),
    ask('Work?', cell(2, 1.5), cell(2, 37.25 / 24 + 5 / 86_400)),
    ask('Postcode?', cell(3, 1_067), cell(3, 99_999)),
    ask('Minutes?', cell(4, 90 / 1_440), cell(7, 2)),
    ask('Agent?', cell(5, 7), cell(0, 7.5)),
    ask('When?', cell(6, 45_000.25), cell(6, 45_000)),
    ask('Hidden seconds?', cell(6, 45_000 + 7_235 / 86_400), cell(8, 7_235 / 86_400)),
    ask('Built in?', cell(9, 7_235 / 86_400), cell(10, 95 / 86_400)),
  ];
  expect(await readSheet(rows, { 'xl/styles.xml': styles })).toEqual([
    ['Record? *02:00:35 / 12:00'],
    ['Work? *36:00 / 37:15:05'],
    ['Postcode? *01067 / 99999'],
    ['Minutes? *1:30 / 48:00'],
    ['Agent? *7 / 7.5'],
    ['When? *2023-03-15 06:00 / 2023-03-15'],
    ['Hidden seconds? *2023-03-15 02:01 / 02:01'],
    ['Built in? *02:00:35 / 00:01:35'],
  ]);
});

test('a category whose cells are merged is that of all their rows, and a merged header is none of them', async () => {
  const row = (...texts: string[]) =>
    texts.map((it) => (it ? `<c t="str"><v>${it}</v></c>` : '<c/>')).join('');
  const file = workbook(
    [
      row('Category', 'Question', 'A', 'B', 'Correct'),
      row('Rivers', 'One?', 'x', 'y', 'A'),
      row('', 'Two?', 'x', 'y', 'A'),
      row('', 'Three?', 'x', 'y', 'A'),
      row('Lakes', 'Four?', 'x', 'y', 'A'),
      row('', 'Five?', 'x', 'y', 'A'),
    ],
    [],
    '<mergeCells><mergeCell ref="A5:A6"/><mergeCell ref="A2:A3"/><mergeCell ref="B3:B4"/></mergeCells>',
  );
  const rows = (await rowsOf(file)).filter((it) => 'question' in it);
  expect(rows.map((it) => [it.question.text, it.quiz?.category])).toEqual([
    ['One?', 'Rivers'],
    ['Two?', 'Rivers'],
    ['Three?', undefined],
    ['Four?', 'Lakes'],
    ['Five?', 'Lakes'],
  ]);
  expect(await sheetText([file], 1_000)).toContain('\nRivers,Two?,x,y,A\n,Three?,x,y,A\nLakes');
});

test('a formula of a workbook without a value, or with an error, is noted', async () => {
  const rows = [
    ask('Sum?', '<c><f>1+1</f><v>2</v></c>', '<c><v>3</v></c>'),
    `${ask('Lost?', '<c><v>1</v></c>', '<c><v>2</v></c>')}<c><f>1+1</f></c>`,
    `${ask('Blank?', '<c><v>1</v></c>', '<c><v>2</v></c>')}<c t="str"><f>""</f><v></v></c>`,
    ask('Error?', '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>', '<c><v>3</v></c>'),
  ];
  expect(await readSheet(rows)).toEqual([
    ['Sum? *2 / 3'],
    ['Lost? *1 / 2', expect.stringMatching(/^A formula has no value in the file/)],
    ['Blank? *1 / 2'],
    ['Error? *#DIV/0! / 3', expect.stringMatching(/^A formula shows an error/)],
  ]);
});

test('what players answered is not taken for a correct answer', async () => {
  const file =
    'Question,Answer 1,Answer 2,Correct Answers,Player,Answer\nCapital of Italy?,Milan,Rome,Rome,Tom,Milan\n';
  expect((await read(file)).rows).toEqual([
    'note: The columns "Player" and "Answer" cannot be kept and are ignored.',
    'Capital of Italy? Milan / *Rome',
  ]);
});

test.each([
  ['Domanda;Risposta;Risposta;Risposta;Corretta', 'Capitale?;Milano;Roma;Torino;B'],
  ['Frage;Antwort;Antwort;Antwort;Richtig', 'Hauptstadt?;Graz;Wien;Linz;Wien'],
  ['Question;Answer;Answer;Answer;Correct number', 'Capital?;Lyon;Paris;Nice;2'],
])(
  'several columns with one name beside a key are answers to choose from: %s',
  async (header, row) => {
    const [text, one, two, three] = row.split(';');
    expect((await read(`${header}\n${row}\n`)).rows).toEqual([
      `${text} ${one} / *${two} / ${three}`,
    ]);
  },
);

/** A test on paper with two questions. */
const PAPER = '1. Capital of Italy?\na) Milan\nb) Rome\n2. Capital of France?\na) Paris\nb) Lyon\n';

test.each([
  '\nAnswer key\n1. B\n2. A',
  '\n## Answers\n\n1) B\n2) A',
  'Lösungen:\n1-B 2-A',
  '\nAnswers: 1. B, 2. A',
  '---\n**Answer Key:**\n- 1. **B** - Rome\n- 2. **A**',
  '\nGabarito\n1\tB\n2\tA',
  '\nRéponses :\n1 : b) Rome\n2 : Paris',
  '\nSoluciones\nPregunta 1: B\nPregunta 2: A',
  '\n**Respuestas correctas:**\n1. B\n2. A',
  '\n## Respostas corretas\n1. B\n2. A',
  '\nRisposte corrette: 1. B 2. A',
  '\nOdpowiedzi poprawne\n1. B\n2. A',
])('an answer key at the end is read by the numbers of the questions: %j', async (key) => {
  expect((await read(PAPER + key)).rows).toEqual([
    'Capital of Italy? Milan / *Rome',
    'Capital of France? *Paris / Lyon',
  ]);
});

test.each<[string, string, (string | RegExp)[]]>([
  [
    'that lacks a question',
    `${PAPER}\nAnswers\n1. B`,
    ['Capital of Italy? Milan / *Rome', /^! 4: No answer is marked as correct/],
  ],
  [
    'with a question too many',
    `${PAPER}\nAnswers\n1. B\n2. A\n3. C`,
    [
      'Capital of Italy? Milan / *Rome',
      'Capital of France? *Paris / Lyon',
      /^! 8: The answer key names question 3, which is not above it/,
    ],
  ],
  [
    'of numbers that begin again',
    `# One\n${PAPER}# Two\n${PAPER}3. Peru?\na) Lima\nb) Quito\n\nAnswers\n1. B\n2. A\n3. A`,
    [
      ...[2, 5, 9, 12].map(
        (line) => new RegExp(`^! ${line}: The number [12] occurs more than once in the questions`),
      ),
      'Peru? *Lima / Quito',
    ],
  ],
  [
    'with a number twice',
    `${PAPER}\nAnswers\n1. B\n2. A\n2. B`,
    ['Capital of Italy? Milan / *Rome', /^! 4: The number 2 occurs more than once/],
  ],
  [
    'beside a mark and a key',
    '1. Mark?\na) x *\nb) y\n2. Key?\na) x\nb) y\nAnswer: A\n3. Same mark?\na) x\nb) y *\n\nAnswers\n1. B\n2. B\n3. B',
    [
      /^! 1: The marks and the line "Answer:" name different answers/,
      /^! 4: More than one line names the correct answer/,
      'Same mark? x / *y',
    ],
  ],
  [
    'of a question without a list',
    '1. Italy?\na) Milan\nb) Rome\n2. Typed?\n3. No list?\n4. The sun is cold.\n\nAnswers\n1. A, B\n2. Paris\n3. B\n4. F',
    [
      'Italy? *Milan / *Rome',
      'Typed? *Paris',
      /^! 5: Give the question at least 2 answers/,
      'The sun is cold. True / *False',
    ],
  ],
  [
    'with text below it',
    `${PAPER}\nAnswers\n1. B\n2. A\nThanks!`,
    [
      /^! 1: No answer is marked as correct/,
      /^! 4: No answer is marked as correct/,
      'note: The text "Answers" has no answers and is ignored.',
      /^! 9: Give the question at least 2 answers/,
      /^! 10: Give the question at least 2 answers/,
    ],
  ],
  [
    'with several answers in a line that has words',
    `${PAPER}3. Ice is hot.\n4. Snow is red.\n\nAnswers\n1. B\n2. A\n3. False 4. False`,
    [
      /^! 1: No answer is marked as correct/,
      /^! 4: No answer is marked as correct/,
      /^! 7: Give the question/,
      /^! 8: A blank line is inside the question/,
      ...[11, 12, 13].map((line) => new RegExp(`^! ${line}: Give the question`)),
    ],
  ],
  [
    'whose numbers are those of answers to choose from',
    '1. Red?\na) blood *\nb) snow\n2. A mammal?\nAnswers:\n1) A dog *\n2) A fish',
    ['Red? *blood / snow', 'A mammal? *A dog / A fish'],
  ],
  [
    'of articles and not of letters',
    '# Liquids\n1. Of the sea?\nAnswer: water\n# Solutions\n1. A mixture\n2. D’Artagnan',
    ['Of the sea? *water', /^! 5: Give the question/, /^! 6: Give the question/],
  ],
  [
    'of letters whose answers were not recognised',
    '1. Italy?\na) Milan\nb) Rome\n2. Rivers?\nA Rhine\nB Rome\nC Po\n3. Six?\nA a\nF f\n\nAnswers\n1. B\n2. A, C\n3. F',
    ['Italy? Milan / *Rome', /^! 4: Give the question/, /^! 8: Give the question/],
  ],
  [
    'below a line for one question',
    '1. Which two?\na) x\nb) y\nAnswers: A, B\n2. Which?\na) p\nb) q\n\n**Answer Key:**\n2. **B** - q',
    ['Which two? *x / *y', 'Which? p / *q'],
  ],
  [
    'for one question in one line',
    `${PAPER}Answer: 1. B, 2. A`,
    [/^! 1: No answer is marked as correct/, /^! 4: The correct answer "1. B, 2. A" is not one/],
  ],
])('an answer key %s is no reason for a wrong answer', async (_, file, rows) => {
  expect((await read(file)).rows).toEqual(
    rows.map((row) => (typeof row === 'string' ? row : expect.stringMatching(row))),
  );
});

test('a heading of answers above those of a question is no answer key', async () => {
  const file =
    'Questions\n\n1. Austria?\nAntworten:\n1) Wien *\n2) Graz\n2. Italy?\nAntworten:\n1) Rom *\n2) Bari';
  expect((await read(file)).rows.slice(1)).toEqual(['Austria? *Wien / Graz', 'Italy? *Rom / Bari']);
});

test('several columns of answers without a key are all accepted, and a note says so', async () => {
  const file = 'Frage;Antwort;Antwort\nHauptstadt von Italien?;Rom;Roma\n';
  expect((await read(file)).rows).toEqual([
    expect.stringMatching(/^note: Several columns have the answer to a question, .* is accepted/),
    'Hauptstadt von Italien? *Rom / *Roma',
  ]);
});

test.each([
  ['Domanda;Corretta;Errata 1;Errata 2', 'Capitale?;Roma;Milano;Torino'],
  ['Domanda;Risposta corretta;Sbagliata;Sbagliata', 'Capitale?;Roma;Milano;Torino'],
  ['Pytanie;Poprawna odpowiedź;Zła odpowiedź 1;Zła odpowiedź 2', 'Stolica?;Oslo;Bonn;Rzym'],
  ['Question;Réponses correctes;Fausse 1;Mauvaise 2', 'Capitale?;Paris;Lyon;Nice'],
  ['Pregunta;Respuestas correctas;Errónea 1;Respuesta falsa', 'Capital?;Madrid;Bilbao;Sevilla'],
  ['Pergunta;Respostas corretas;Errada 1;Errada 2', 'Capital?;Lisboa;Faro;Porto'],
])('columns of wrong answers are recognised: %s', async (header, row) => {
  const [text, correct, ...wrong] = row.split(';');
  const [found] = await rowsOf(`${header}\n${row}\n`);
  expect(found).toMatchObject({ question: { text } });
  expect(shown(found!).split(' ').slice(1).join(' ').split(' / ').sort()).toEqual(
    [`*${correct}`, ...wrong].sort(),
  );
});

test('True and False in the capitals of a spreadsheet in another language are True and False', async () => {
  const file = 'Frage;Antwort\nDie Erde ist rund.;WAHR\nDie Sonne ist kalt.;FALSCH\nwrong;falsch\n';
  expect((await read(file)).rows).toEqual([
    'Die Erde ist rund. *True / False',
    'Die Sonne ist kalt. True / *False',
    'wrong *falsch',
  ]);
});

test('a typed answer that is read as True or False and may be a symbol or a translation is noted', async () => {
  const file =
    '1. Rund.\nAntwort: wahr\n2. Symbol?\nAnswer: F\n3. Cold.\nAnswer: F\n4. Sun?\nAnswer: true';
  expect((await rowsOf(file)).map((row) => 'question' in row && row.notes)).toEqual([
    ['The answer "wahr" is read as True.'],
    ['The answer "F" is read as False.'],
    undefined,
    undefined,
  ]);
  const deck = await rowsOf('Frage;Antwort\nRund.;WAHR\nKalt.;FALSE\nDOG;HUND\n');
  expect(deck.flatMap((row) => ('question' in row ? [row.notes] : []))).toEqual([
    ['The answer "WAHR" is read as True.'],
    undefined,
    undefined,
  ]);
});

test.each(['Feedback', 'Explanation', 'Erläuterung', 'Spiegazione', 'Wyjaśnienie'])(
  'a line that begins with "%s:" is the explanation of the question',
  async (name) => {
    const rows = await rowsOf(
      `1. Which?\na) x\nb) y *\n${name}: It is so.\n2. And?\na) x\nb) y\nAnswer: B\n${name}: Also.\n`,
    );
    expect(rows).toMatchObject([
      { question: { text: 'Which?', explanation: 'It is so.' } },
      { question: { text: 'And?', explanation: 'Also.' } },
    ]);
  },
);

test.each<[string, string, (string | RegExp)[]]>([
  [
    'cells of Excel',
    'Question\tA\tB\tCorrect\nCapital of Italy?\tMilan\tRome\tB\n',
    ['Capital of Italy? Milan / *Rome'],
  ],
  [
    'a list with "Answer: B"',
    '1. Capital of Italy?\nA. Milan\nB. Rome\nAnswer: B\n',
    ['Capital of Italy? Milan / *Rome'],
  ],
  [
    'a star before an answer with a bullet',
    'Colour of the sky?\n- green\n- *blue\n- red',
    ['Colour of the sky? green / *blue / red'],
  ],
  [
    'a star behind it',
    'Colour of the sky?\n- green\n- blue *\n- red',
    ['Colour of the sky? green / *blue / red'],
  ],
  [
    'letters and a star before the answer',
    'Capital of Italy?\na) Milan\nb) *Rome',
    ['Capital of Italy? Milan / *Rome'],
  ],
  [
    'bold',
    '1. Capital of Italy?\na) Milan\n**b) Rome**\n2. And of Peru?\na) **Lima**\nb) Quito',
    ['Capital of Italy? Milan / *Rome', 'And of Peru? *Lima / Quito'],
  ],
  [
    'bold questions',
    '**Which one?**\n- a*\n- b\n\n**And which**\n**of these?**\n- c*\n- d\n**Next?**\n- e*\n- f\n\n1. **Numbered?**\n- g*\n- h',
    ['Which one? *a / b', 'And which\nof these? *c / d', 'Next? *e / f', 'Numbered? *g / h'],
  ],
  [
    'bold answers in boxes',
    '1. Capital of Italy?\n- [ ] **Milan**\n- [x] Rome\n- [ ] __Reggio nell’Emilia__\n2. And of Peru?\n- [ ] **Lima**\n- [ ] Quito\n3. Both?\n- [x] **Oslo**\n- [x] Bonn\n- [ ] **Rome**\n4. Bold boxes?\n- [x] Bern\n**[ ] Basel**',
    [
      'Capital of Italy? Milan / *Rome / Reggio nell’Emilia',
      'And of Peru? *Lima / Quito',
      'Both? *Oslo / *Bonn / Rome',
      'Bold boxes? *Bern / Basel',
    ],
  ],
  [
    'bold letters and questions in bold',
    '1. Capital of Italy?\n**A)** Milan\n**B)** Rome *\n2. Of Peru?\n- **a.** Lima *\n- **b.** Quito\n3. All bold?\n**a) Milan**\n**b) Rome**\n4. And a key?\n- **Milan**\n- **Rome**\nAnswer: B\n5. And a star?\n- **Milan**\n- **Rome** *\n6. And a tick?\n- Milan\n- **Rome** ✓\n7. Boxes?\n**[x] Oslo**\n**[ ] Bonn**\n8. Files?\na) *.txt*\nb) *.doc*\nAnswer: B',
    [
      'Capital of Italy? Milan / *Rome',
      'Of Peru? *Lima / Quito',
      /^! 7: No answer is marked as correct/,
      'And a key? Milan / *Rome',
      'And a star? Milan / *Rome',
      'And a tick? Milan / *Rome',
      'Boxes? *Oslo / Bonn',
      /^! 23: The marks and the line "Answer:" name different answers/,
    ],
  ],
  [
    'signs beside bold',
    '1. Star?\n- **Rome**\n- **Milan** *\n- **Bonn**\n- Paris\n2. Cross?\n- **Rome** (x)\n- **Milan**\n- Paris\n3. Only cross?\n- **Rome** (x)\n- **Milan**\n4. One answer?\n- **Rome** (x)\n- Milan\n5. Line?\n**A) Rome** (correct)\nB) Milan\n6. Bullet?\n- **A. Rome**\n- B. Milan\n7. Lines?\n**A) Rome** (correct)\n**B) Milan**\nC) Bonn\n8. Rest?\n**a) Rome** (now)\nb) Milan\n**9. Powers** of two?\n**a) 2**3\nb) 3**2\n10. Italics?\n- *Emma*\n- *Ulysses* (correct)\n11. Cross in italics?\n- (x) *Emma*\n- Ulysses\n12. Cross in bold?\n**a) f (x)**\nb) g\n13. Bold line and cross?\n**a) Rome** (x)\nb) Milan\n14. Star in bold?\na) **2 * 3**\nb) ***2***\nc) 4',
    [
      /^! 1: The answer "Milan" has a sign beside bold or italics, which other answers have without it/,
      /^! 6: The \(x\) or \[x\] at the answer "Rome \(x\)" may be a mark/,
      'Only cross? *Rome / Milan',
      'One answer? *Rome / Milan',
      'Line? *Rome / Milan',
      'Bullet? *Rome / Milan',
      /^! 22: The answer "Rome" has a sign beside bold or italics/,
      'Rest? *Rome (now) / Milan',
      'Powers of two? *2**3 / 3**2',
      /^! 32: The answer "Ulysses" has a sign beside bold or italics/,
      'Cross in italics? *Emma / Ulysses',
      /^! 38: The \(x\) or \[x\] at the answer "f \(x\)" may be a mark/,
      'Bold line and cross? *Rome / Milan',
      'Star in bold? *2 * 3 / *2 / 4',
    ],
  ],
  [
    'a star among other bullets',
    '1. Bold?\n* Rome\n- **Milan**\n2. Key?\n* Rome\n- Milan\nAnswer: B\n3. Twice?\n* **Rome**\n- Milan\nAnswer: A',
    [
      /^! 1: The answers are marked in different ways/,
      /^! 4: The marks and the line "Answer:" name different answers/,
      'Twice? *Rome / Milan',
    ],
  ],
  [
    'other marks in empty boxes',
    '1. Both?\n- [x] Rome\n- [ ] Bonn (correct)\n- [ ] Paris\n2. And these?\n- [x] **Oslo**\n- [ ] *Lima*\n- [ ] Bonn *\n3. One?\n☐ ✓ Milan\n☑ Rome\n4. None ticked?\n- [ ] Bonn (correct)\n- [ ] Paris\n5. Twice?\n- [x] Rome *\n- [ ] Bonn',
    [
      ...[1, 5, 9].map(
        (line) => `! ${line}: The answers are marked in different ways: use the same sign for all.`,
      ),
      'None ticked? *Bonn / Paris',
      'Twice? *Rome / Bonn',
    ],
  ],
  [
    'crosses',
    '1. Capital of Italy?\na) Milan\nb) Rome (x)\n2. Both?\na) [X] Oslo\nb) [x] Bonn\nc) Lima\n3. And these?\n- (x) Quito\n- Paris\n4. Two lines?\na) Milan\nb) Rome (x)\n   the eternal city\n5. Bold?\n- (x) **Bern**\n- Basel',
    [
      'Capital of Italy? Milan / *Rome',
      'Both? *Oslo / *Bonn / Lima',
      'And these? *Quito / Paris',
      'Two lines? Milan / *Rome the eternal city',
      'Bold? *Bern / Basel',
    ],
  ],
  [
    'crosses that are text',
    '1. The derivative of sin(x)?\na) tan(x)\nb) -cos(x)\nc) cos x *\n2. Which element?\na) a[x]\nb) a{x} *\n3. Which one?\n- [x] f(x)\n- [ ] (x) + 1\n- [ ] 2 * (x)\n4. And here?\na) f (x) *\nb) g (x)',
    [
      'The derivative of sin(x)? tan(x) / -cos(x) / *cos x',
      'Which element? a[x] / *a{x}',
      'Which one? *f(x) / (x) + 1 / 2 * (x)',
      'And here? *f (x) / g (x)',
    ],
  ],
  [
    'crosses beside another mark',
    '1. Star?\na) f (x)\nb) g *\n2. Box?\n- [x] f (x)\n- [ ] g\n3. Key?\na) Rome (x)\nb) Milan\nAnswer: A\n4. Bold?\n- [x] is it\n- **it is**\n5. Every one?\na) f (x)\nb) g (x)\n6. Text?\na) f \\(x)\nb) \\[x] g *\n7. Tight?\na) [x]Rome\nb) [x] Bonn\nc) Oslo\n8. Tight text?\na) f\\(x)\nb) g (x)',
    [
      ...[
        [1, 'f (x)'],
        [4, 'f (x)'],
        [7, 'Rome (x)'],
      ].map(
        ([line, text]) =>
          `! ${line}: The (x) or [x] at the answer "${text}" may be a mark, and another mark names the correct answer: remove one of them, or write "\\(x)" if it belongs to the text.`,
      ),
      /^! 11: The answers are marked in different ways/,
      /^! 14: No answer is marked as correct/,
      'Text? f (x) / *[x] g',
      /^! 20: The \(x\) or \[x\] at the answer "\[x\]Rome" may be a mark/,
      'Tight text? f(x) / *g',
    ],
  ],
  [
    'stars in the texts of answers',
    '1. A pointer?\na) char\\*\nb) \\*p\nc) int *\n2. Both?\n- [x] char\\*\n- [ ] **p\n3. And here?\n- char\\* *\n- *\\*p\n- *q\\*\n- p\n4. Key?\na) char*\nb) int\nAnswer: B',
    [
      'A pointer? char* / *p / *int',
      'Both? *char* / **p',
      'And here? *char* / **p / *q* / p',
      /^! 13: The marks and the line "Answer:" name different answers/,
    ],
  ],
  [
    'two underscores around names and as gaps',
    '1. Which is the initialiser in Python?\n- __init__ *\n- __new__\n- __del__\n2. __init__\nAnswer: __init__\n3. __ lies on the river __\na) __x__\n__b) Bonn__\n**c) Köln**',
    [
      'Which is the initialiser in Python? *__init__ / __new__ / __del__',
      '__init__ *__init__',
      '__ lies on the river __ __x__ / *Bonn / *Köln',
    ],
  ],
  [
    'two underscores as bold around several words',
    '1. Which is true?\na) __Rome is nice__\nb) Milan is small\n2. Which of these?\n__a) Rome__\nb) Milan\n3. And these?\n- **Köln and Bonn**\n- __Rome and Milan__\n- Peru\n4. Order?\n- __Oslo, then __ *\n- __ and __\n5. Where?\n- __Zürich__\n- __, then__ *\n- __?__',
    [
      'Which is true? *Rome is nice / Milan is small',
      'Which of these? *Rome / Milan',
      'And these? *Köln and Bonn / *Rome and Milan / Peru',
      'Order? *__Oslo, then __ / __ and __',
      'Where? __Zürich__ / *__, then__ / __?__',
    ],
  ],
  [
    'bold parts of texts',
    '**Fe** and **Cu** are?\n- **a** or **b**\n- c *\n- **e and **f\n\nWhich one?\n**Hint:** one of **two**\n- g*\n- h\n\n**Question 3:** Which is **bold**?\n- i*\n- j\n\n## **4.** Is **this**?\n- k*\n- l\n\n**kwargs and **options are?\n- m*\n- n\n\n1. **Compute** 3 * 4 = ?\n- o*\n- p',
    [
      '**Fe** and **Cu** are? **a** or **b** / *c / **e and **f',
      'Which one?\n**Hint:** one of **two** *g / h',
      'Which is **bold**? *i / j',
      'Is **this**? *k / l',
      '**kwargs and **options are? *m / n',
      'Compute 3 * 4 = ? *o / p',
    ],
  ],
  [
    'keys that begin with a letter',
    '1. By Dickens?\n- Emma\n- A tale of two cities\nAnswer: A tale of two cities\n2. And?\na) Emma\nb) A tale\nAnswer: A story\n3. Both?\na) p\nb) q\nc) r\nAnswer: A C\n4. Reason?\na) p\nb) q\nAnswer: B) It is.\n5. Text?\na) p\nb) q\nAnswer: (b) q\n6. Other text?\na) p\nb) q\nAnswer: B. p\n7. Bullets?\n- p\n- q\nAnswer: B. It is.\n8. Without a sign?\na) p\nb) q\nAnswer: B q\n9. Letters?\na) A\nb) C\nc) D\nd) B\nAnswer: b) C',
    [
      'By Dickens? Emma / *A tale of two cities',
      /^! 5: The correct answer "A story" is not one of the answers/,
      'Both? *p / q / *r',
      'Reason? p / *q',
      'Text? p / *q',
      /^! 22: The correct answer "B. p" is not one of the answers/,
      /^! 26: The correct answer "B. It is." is not one of the answers/,
      'Without a sign? p / *q',
      'Letters? A / *C / D / B',
    ],
  ],
  [
    'letters behind bullets of one question after the other',
    'One?\n- x *\n- y\nTwo?\n- A. p *\n- B. q\nThree?\n- A. r\n- B. s *',
    ['One? *x / y', 'Two? *p / q', 'Three? r / *s'],
  ],
  [
    'initials behind bullets',
    'Who wrote it?\n- D. H. Lawrence *\n- G. B. Shaw\n\nAnd this?\n- Shaw\n- A. A. Milne *\n- B. Stoker\nIn milk?\n- E. coli\n- C. difficile\nAnswer: E. coli\n\nLetters?\n- A. p\n- B. q *\n\nWrong order?\n- A. A. Milne *\n- D. H. Lawrence\n\nBy letter?\n- B. Shaw\n- D. Defoe\nAnswer: B',
    [
      'Who wrote it? *D. H. Lawrence / G. B. Shaw',
      'And this? Shaw / *A. A. Milne / B. Stoker',
      'In milk? *E. coli / C. difficile',
      'Letters? p / *q',
      /^! 18: Answer d found where b is expected/,
      /^! 22: The key "B" may be a letter of the list or the beginning of an answer/,
    ],
  ],
  [
    'a key above the answers',
    '1. Capital of Italy?\nAnswer: B\na) Milan\nb) Rome\n2. Capital of France?\nAnswer: Paris\n- Lyon\n- Paris\n3. Capital of Peru?\nAnswer: 1\n1) Lima\n2) Quito\n4. Capital of Cuba?\nAnswer: B\n\na) Santiago\nb) Havana\n5. Capital of Chile?\nAnswer: Santiago',
    [
      'Capital of Italy? Milan / *Rome',
      'Capital of France? Lyon / *Paris',
      'Capital of Peru? *Lima / Quito',
      'Capital of Cuba? Santiago / *Havana',
      'Capital of Chile? *Santiago',
    ],
  ],
  [
    'keys above the answers, without numbers and blank lines',
    'Who?\nAnswer: A\na) x\nb) y\nWho2?\nAnswer: A\na) p\nb) q\nWho3?\nAnswer: B\na) r\nb) s\n',
    ['Who? *x / y', 'Who2? *p / q', 'Who3? r / *s'],
  ],
  [
    'keys above bullets, without numbers and blank lines',
    'Who?\nAnswer: A\n- x\n- y\nWho2?\nAnswer: q\n- p\n- q',
    ['Who? *x / y', 'Who2? p / *q'],
  ],
  [
    'a key above the answers of the second question only',
    'Who?\n- x\n- y\nWho2?\nAnswer: B\n- p\n- q',
    [/^! 1: No answer is marked as correct/, 'Who2? p / *q'],
  ],
  [
    'a key below a line that follows the answers',
    'Who?\na) x\nb) y\nor z\nAnswer: B\n\nWho2?\na) p\nb) q\nof these\ntwo?\nAnswer: B\na) r\nb) s\n\n1. Who4?\na) t\nb) u\nWho5?\nAnswer: B\na) v\nb) w',
    [
      /^! 1: The text "or z" follows an answer/,
      /^! 7: No answer is marked as correct/,
      /^! 10: The text "of these" follows an answer/,
      /^! 16: No answer is marked as correct/,
      /^! 19: The text "Who5\?" follows an answer/,
    ],
  ],
  [
    'an explanation above the answers',
    '1. Capital of Italy?\n> Since 1871.\n- Rome*\n- Milan\n2. Capital of Peru?\n> On the coast.\n1) Lima *\n2) Quito',
    ['Capital of Italy? *Rome / Milan', 'Capital of Peru? *Lima / Quito'],
  ],
  [
    'a second key below the answers',
    '1. Capital of Italy?\nAnswer: B\na) Milan\nb) Rome\nAnswer: A\n2. Capital of Nepal?\nAnswer: A\na) Kathmandu\nor Pokhara',
    [
      /^! 1: More than one line names the correct answer: keep one/,
      /^! 6: The text "or Pokhara" follows an answer/,
    ],
  ],
  [
    '"Correct:"',
    'Capital of Italy?\na) Milan\nb) Rome\nCorrect: Rome',
    ['Capital of Italy? Milan / *Rome'],
  ],
  [
    'numbers',
    '1. Capital of Italy?\n1) Milan\n2) Rome\nAnswer: 2',
    ['Capital of Italy? Milan / *Rome'],
  ],
  [
    'ticks with variation selectors',
    '1. Behind?\na) x\nb) y ✔️\n2. Before?\n- ✔️ x\n- y\n3. Letter?\n✔️ a) x\nb) y\n4. Box?\n- [✔️] x\n- [ ] y\n5. Other box?\n☑️ x\n☐ y',
    ['Behind? x / *y', 'Before? *x / y', 'Letter? *x / y', 'Box? *x / y', 'Other box? *x / y'],
  ],
  [
    'filled circles',
    'Capital of Italy?\n○ Milan\n● Rome\n○ Turin\n\nOnly filled?\n● x\n● y *',
    ['Capital of Italy? Milan / *Rome / Turin', 'Only filled? x / *y'],
  ],
  [
    'words for correct and wrong behind answers',
    '1. English?\na) x (correct answer)\nb) y (wrong)\n2. German?\na) x (falsch)\nb) y (richtige Antwort)\n3. Italian?\na) x (errata)\nb) y (risposta corretta)\nc) z (sbagliata)\n4. Polish?\na) x (zła odpowiedź)\nb) y (poprawna odpowiedź)\nc) z (błędna odpowiedź)\n5. Key?\na) x (wrong)\nb) y\nAnswer: A\n6. Star?\na) *x (wrong)\nb) y\n7. Only wrong?\na) x (wrong)\nb) y',
    [
      'English? *x / y',
      'German? x / *y',
      'Italian? x / *y / z',
      'Polish? x / *y / z',
      /^! 15: The marks and the line "Answer:" name different answers/,
      /^! 19: The answer "x" is marked as correct and as wrong/,
      /^! 22: No answer is marked as correct/,
    ],
  ],
  [
    'words for a wrong answer in French, Spanish and Portuguese',
    ['incorrecte', 'réponse incorrecte', 'respuesta incorrecta', 'resposta errada']
      .map((word, place) => `${place + 1}. Which?\na) x (${word})\nb) y *`)
      .join('\n'),
    Array.from({ length: 4 }, () => 'Which? x / *y'),
  ],
  [
    'keys in other forms and languages',
    [
      ...['(b)', 'b.'].map((key) => `Answer: ${key}`),
      ...['*Answer: B*', '_Answer_: B', 'Answer: *B*', 'Correct option: B', 'Lösungen: B'],
      ...['Respuestas correctas: B', 'Réponses correctes : B', 'Respostas corretas: B'],
      ...['Risposte corrette: B', 'Solución: B', 'Solução: B', 'Soluzione: B', 'Rozwiązanie: B'],
    ]
      .map((line, place) => `${place + 1}. Which?\na) x\nb) y\n${line}`)
      .join('\n'),
    Array.from({ length: 15 }, () => 'Which? x / *y'),
  ],
  [
    'True and False in other languages',
    '1. Rund.\nAntwort: WAHR\n2. Rond.\nRéponse : faux\n3. Sun?\na) True\nb) False\nAntwort: Falsch\n4. Sole?\na) Vero\nb) Falso\nRisposta: V\n5. Słońce?\na) Prawda\nb) Fałsz\nOdpowiedź: fałsz\n6. Given?\na) True\nb) False\nc) Not given\nAnswer: T\n7. The symbol of fluorine?\nAnswer: F\n8. The sun is cold.\nAnswer: F\n9. What is wrong in German?\nAnswer: falsch',
    [
      'Rund. *True / False',
      'Rond. True / *False',
      'Sun? True / *False',
      'Sole? *Vero / Falso',
      'Słońce? Prawda / *Fałsz',
      'Given? *True / False / Not given',
      'The symbol of fluorine? True / *False',
      'The sun is cold. True / *False',
      'What is wrong in German? *falsch',
    ],
  ],
  [
    'answers in the question and below it',
    '1. Capital? a) Rome b) Milan\na) Bonn *\nb) Paris\n2. Next?\n- x *\n- y',
    [
      /^! 1: Answers are in the question and below it: write each into a line of its own/,
      'Next? *x / y',
    ],
  ],
  [
    'answers in one line',
    '1. Capital of Italy? a) Milan b) Rome * c) Turin\n2. And of Peru? a) Lima* b) Quito',
    ['Capital of Italy? Milan / *Rome / Turin', 'And of Peru? *Lima / Quito'],
  ],
  [
    'questions and answers with a dash between',
    'Capital of Italy - Rome\nCapital of France - Paris\nCapital of Spain\nCapital of Peru - Lima\nCapital of Chile - Santiago - Chile',
    [
      /^note: The file has no header/,
      /^note: Each card becomes/,
      'Capital of Italy *Rome',
      'Capital of France *Paris',
      '! 3: The line has no "-": put one between the question and its answer.',
      'Capital of Peru *Lima',
      '! 5: The line has more than one "-": keep only the one between the question and its answer.',
    ],
  ],
  [
    'Q: and A:',
    'Q: Capital of Italy?\nA: Rome\nQ: Capital of Peru?\nA: Lima',
    ['Capital of Italy? *Rome', 'Capital of Peru? *Lima'],
  ],
])('a paste with %s is read', async (_, text, rows) => {
  expect((await read(text)).rows).toEqual(
    rows.map((row) => (typeof row === 'string' ? row : expect.stringMatching(row))),
  );
});

test.each([
  ['German', 'Frage;Antwort 1;Antwort 2;Richtige Antwort;Schwierigkeit', 'leicht'],
  ['French', 'Question;Réponse A;Réponse B;Bonne réponse;Niveau', 'facile'],
  ['Spanish', 'Pregunta;Opción A;Opción B;Respuesta correcta;Dificultad', 'fácil'],
  ['Portuguese', 'Pergunta;Alternativa A;Alternativa B;Gabarito;Dificuldade', 'fácil'],
  ['Italian', 'Domanda;Risposta A;Risposta B;Risposta corretta;Difficoltà', 'facile'],
  ['Polish', 'Pytanie;Odpowiedź A;Odpowiedź B;Prawidłowa odpowiedź;Poziom trudności', 'łatwe'],
])('the header of a sheet in %s is recognised', async (_, header, easy) => {
  expect(await rowsOf(`${header}\nRoma?;Milano;Roma;B;${easy}\n`)).toEqual([
    expect.objectContaining({
      question: expect.objectContaining({
        text: 'Roma?',
        difficulty: 'EASY',
        answers: [
          { text: 'Milano', isCorrect: false },
          { text: 'Roma', isCorrect: true },
        ],
      }),
    }),
  ]);
});

test.each([
  [
    'letters',
    'Tehtävä,I,II,III,Oikein\nPääkaupunki?,Oslo,Turku,Helsinki,C\nJoki?,Kemi,Rein,Elbe,A\n',
  ],
  [
    'texts',
    'Tehtävä,I,II,III,Oikein\nPääkaupunki?,Oslo,Turku,Helsinki,Helsinki\nJoki?,Kemi,Rein,Elbe,Kemi\n',
  ],
  ['numbers, without a header', 'Pääkaupunki?,Oslo,Turku,Helsinki,3\nJoki?,Kemi,Rein,Elbe,1\n'],
])('columns with unknown names are recognised by their content: keys as %s', async (_, file) => {
  const { format, rows } = await read(file);
  expect(format).toBe('csv');
  expect(rows).toEqual([
    expect.stringMatching(/^note: The columns were recognised by what is in them/),
    'Pääkaupunki? Oslo / Turku / *Helsinki',
    'Joki? *Kemi / Rein / Elbe',
  ]);
});

test('a row of CSV with a missing quotation mark is an error, and swallows no other question', async () => {
  const file =
    'question,a,b,correct\n"Which river?,Danube,Rhine,1\n"Which sea?",Baltic,North,1\nNext?,x,y,1\n';
  expect((await read(file)).rows).toEqual([
    expect.stringMatching(/^! 2: A quotation mark is missing here/),
    'Which sea? *Baltic / North',
    'Next? *x / y',
  ]);
});
