import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRows } from '../../src/import-export/formats/read-rows';
import type { ImportRow, ParsedRow } from '../../src/import-export/formats/row';
import { collect, pieces, rowsOf } from '../support/rows';
import { workbook, zipOf } from '../support/workbooks';

/** Files as other tools write them, read without being told their format. */

/** Kahoot's template: a title above the header, and numbers in its first column. */
const KAHOOT = workbook(
  [
    '<c r="B1" t="inlineStr"><is><t>Quiz template</t></is></c>',
    '',
    '<c r="B3" t="s"><v>0</v></c><c r="C3" t="s"><v>1</v></c><c r="D3" t="s"><v>2</v></c><c r="E3" t="s"><v>3</v></c><c r="F3" t="s"><v>4</v></c>',
    '<c r="A4"><v>1</v></c><c r="B4" t="s"><v>5</v></c><c r="C4" s="1"><v>45000</v></c><c r="D4" s="2"><v>0.07</v></c><c r="E4"><v>20</v></c><c r="F4"><v>1</v></c>',
    '<c r="A5"><v>2</v></c><c r="B5" t="str"><v>Sum?</v></c><c r="C5"><v>0.30000000000000004</v></c><c r="D5" t="b"><v>1</v></c><c r="E5"><v>20</v></c><c r="F5" t="inlineStr"><is><t>1,2</t></is></c>',
  ],
  [
    'Question - max 120 characters',
    'Answer 1 - max 75 characters',
    'Answer 2 - max 75 characters',
    'Time limit (sec)',
    'Correct answer(s) - choose at least one',
    'When &amp; what?',
  ],
);

test("Kahoot's workbook is read as its sheet shows it, with the column that has no place named in a note", async () => {
  const rows = await rowsOf(KAHOOT);
  expect(rows.map(shown)).toEqual([
    'note',
    'note',
    'note',
    'MULTIPLE_CHOICE When & what? *2023-03-15 / 7%',
    'MULTIPLE_CHOICE Sum? *0.3 / *TRUE',
  ]);
  expect(rows).toContainEqual(
    expect.objectContaining({ note: expect.stringContaining('"Time limit (sec)"') }),
  );
  expect(rows[3]).toMatchObject({ line: 4 });
});

/** The cells of a row of a workbook. */
const rowOf = (texts: string[]) =>
  texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('');

test.each(['3000000000', '1.5', '-2', '1e999', ''])(
  'a row of a workbook that says it is number %j is counted from the row above',
  async (number) => {
    const odd = `</row><row r="${number}">${rowOf(['Q?', 'A', 'B'])}`;
    const rows = await rowsOf([workbook([rowOf(['question', 'correct', 'wrong']) + odd])]);
    expect(rows.find((row) => 'question' in row)).toMatchObject({ line: 2 });
  },
);

test('a workbook carries pictures in its texts as CSV does, and those beside its cells are noted', async () => {
  const text = 'Where is ![a map](data:image/png;base64,iVBORw0KGgo=)?';
  const table = [
    rowOf(['question', 'format', 'correct', 'wrong']),
    rowOf([text, 'markdown', 'A', '*B*']),
  ];
  const parts = { 'xl/media/image1.png': 'x', 'xl/media/image2.png': 'y' };
  const rows = await rowsOf([workbook(table, [], '', parts)]);
  expect(rows).toContainEqual(
    expect.objectContaining({
      note: 'The workbook has 2 pictures beside its cells, and only texts are read: upload pictures in the editor, or import them in a folder with quizctl.',
    }),
  );
  expect(rows.find((row) => 'question' in row)).toMatchObject({
    question: { text, format: 'markdown' },
  });
});

test.each([
  ['cut off', KAHOOT.subarray(0, -30)],
  ['without its parts', zipOf({ 'xl/x.xml': '' })],
  [
    'with a document type',
    zipOf({ 'xl/workbook.xml': '<!DOCTYPE x [<!ENTITY a "b">]><workbook/>' }),
  ],
  ['with elements 200 deep', workbook(['<a>'.repeat(200) + '</a>'.repeat(200)])],
])('a workbook %s is refused with an instruction', async (_, file) => {
  expect(await rowsOf(file)).toEqual([
    {
      line: 1,
      error: expect.stringMatching(/damaged or encrypted: save it again as .xlsx/),
      fatal: true,
    },
  ]);
});

test('Markdown lists whose correct answers are marked in different ways become quizzes by heading', async () => {
  const file = [
    '# Rivers',
    'Of Europe.',
    '',
    '1. Which river flows through **Vienna**?',
    '   - [x] The Danube',
    '   - [ ] The Rhine',
    '   > It also flows through Budapest.',
    '2) Which are prime?',
    '- **2**',
    '- 4',
    '- 3 (correct)',
    '## Capitals',
    'Capital of Italy?',
    '- Milan',
    '* Rome',
    '',
    '**Question 2:** Capital of Peru?',
    'A) Quito',
    'B) Lima',
    'Answer: B',
    '',
    '3. Lima lies in Peru.',
    'Answer: true',
    '4. Green pigment?',
    'Answer: chlorophyll',
    '5. Nothing?',
  ].join('\n');
  const rows = await rowsOf(file);
  expect(rows.map(shown)).toEqual([
    'note',
    'MULTIPLE_CHOICE Which river flows through **Vienna**? *The Danube / The Rhine',
    'MULTIPLE_CHOICE Which are prime? *2 / 4 / *3',
    'MULTIPLE_CHOICE Capital of Italy? Milan / *Rome',
    'MULTIPLE_CHOICE Capital of Peru? Quito / *Lima',
    'TRUE_FALSE Lima lies in Peru. *True / False',
    'OPEN_ENDED Green pigment? *chlorophyll',
    'Give the question at least 2 answers.',
  ]);
  expect(rows.map((row) => 'quiz' in row && row.quiz?.title)).toEqual([
    ...[false, 'Rivers', 'Rivers'],
    ...['Capitals', 'Capitals', 'Capitals', 'Capitals', false],
  ]);
  expect(rows[1]).toMatchObject({ question: { explanation: 'It also flows through Budapest.' } });
});

/** The rows of a list of answers below a question. */
const listRows = async (list: string) =>
  (await rowsOf(`# Capitals\n\n1. Capital of Italy?\n${list}\n`, undefined, 'list.md')).map(shown);

const ITALY = 'MULTIPLE_CHOICE Capital of Italy? Milan / *Rome';

test.each([
  ...['Rome *', 'Rome*', '* Rome', '*Rome', '*Rome*', '**Rome**'],
  ...['Rome ✓', 'Rome ✔', 'Rome ✅', 'Rome ☑', '✓ Rome', '✔ Rome', '✅ Rome'],
  ...['Rome [x]', 'Rome [✓]', 'Rome [✔]', '(x) Rome', '(X) Rome', 'Rome (x)', 'Rome *correct*'],
  ...['Rome (correct)', 'Rome (Right)', 'Rome *right*', 'Rome (richtig)', 'Rome (korrekt)'],
  ...['Rome (correcte)', 'Rome (bonne réponse)', 'Rome (vrai)', 'Rome (correcto)'],
  ...['Rome (correcta)', 'Rome (correto)', 'Rome (correta)'],
  ...['Rome (corretto)', 'Rome (corretta)', 'Rome (poprawna)', 'Rome (poprawny)'],
  ...['Rome <- correct', 'Rome <-- right', 'Rome <---', 'Rome ← correct', 'Rome ←'],
])('the answer of a list is marked as correct by its sign: %s', async (answer) => {
  expect(await listRows(`- Milan\n- ${answer}`)).toEqual([ITALY]);
  expect(await listRows(`a) Milan\nb) ${answer}`)).toEqual([ITALY]);
});

test.each([
  ...['- [ ] Milan\n- [x] Rome', '- [ ] Milan\n- [X] Rome', '- [ ] Milan\n- [✓] Rome'],
  ...['[ ] Milan\n[✔] Rome', '☐ Milan\n☑ Rome', '☐ Milan\n☒ Rome', '- Milan\n* Rome'],
  ...['- [ ] **Milan**\n- [x] Rome', 'a) Milan\n*b) Rome'],
  ...['A. Milan\n**B. Rome**', '(a) Milan\n✓ (b) Rome', 'a: Milan\n✅b: Rome'],
  ...['- a) Milan\n- *b) Rome', '1) Milan\n*2) Rome', '1) Milan\n✔ 2) Rome'],
])('a list is read whose correct answer has its mark before its letter or text: %j', async (list) =>
  expect(await listRows(list)).toEqual([ITALY]),
);

test.each([
  ...['☐ Milan (correct)\n☑ Rome', '- [x] Rome\n- [ ] Milan (correct)\n- [ ] Paris'],
  ...['- [ ] Milan *\n- [x] Rome', '- [ ] ✓ Milan\n- [x] **Rome**\n- [ ] *Paris*'],
])('another mark than emphasis in an empty box contradicts a ticked one: %j', async (list) => {
  const [error] = await listRows(list);
  expect(error).toBe('The answers are marked in different ways: use the same sign for all.');
});

test.each([
  ...['Answer: B', 'Correct answer: b', 'The answer is: B', 'Correct: Rome', 'Key: b'],
  ...['Richtig: b', 'Antwort: Rome', 'Lösung: B', 'Bonne réponse : B', 'Respuesta correcta: B'],
  ...[
    'Resposta: b',
    'Gabarito: B',
    'Risposta corretta: B',
    'Risposta: Rome',
    'Poprawna odpowiedź: B',
    'Solution: b',
    '**Answer:** B',
    '__Key:__ **Rome**',
  ],
])('the line %j names the correct answer of the list above or below it', async (key) => {
  expect(await listRows(`a) Milan\nb) Rome\n${key}`)).toEqual([ITALY]);
  expect(await listRows(`${key}\na) Milan\nb) Rome`)).toEqual([ITALY]);
});

test.each([
  'Capital of Italy? a) Milan b) Rome *',
  'Capital of Italy? (a) Milan (b) **Rome**',
  'Capital of Italy? A) Milan B) Rome\nAnswer: B',
])('answers in the line of the question are read with their marks: %j', async (text) => {
  expect((await rowsOf(`# Capitals\n\n1. ${text}\n`)).map(shown)).toEqual([ITALY]);
});

test('several words between two underscores are bold, and a name of programs is not', async () => {
  const file = '# Python\n\n1. Which is bold?\n- __init__\n- __Two words__\n';
  expect((await rowsOf(file)).map(shown)).toEqual([
    'MULTIPLE_CHOICE Which is bold? __init__ / *Two words',
  ]);
});

test('above answers with numbers, a key counts only where the question has a number', async () => {
  expect(await listRows('Answer: 2\n1) Milan\n2) Rome')).toEqual([ITALY]);
  const file = '# Capitals\n\nCapital of Italy?\nAnswer: 2\n1) Milan\n2) Rome\n';
  expect((await rowsOf(file, undefined, 'list.md')).map(shown)).toEqual([
    'OPEN_ENDED Capital of Italy? *2',
    'Give the question at least 2 answers.',
    'Give the question at least 2 answers.',
  ]);
});

test("Quizlet's cards with long definitions become multiple choice with definitions of other cards", async () => {
  const cards = ['atom', 'cell', 'gene', 'star', 'wave'].map(
    (term) => `${term},the definition of ${term} in many words`,
  );
  const [, note, first, ...rest] = await rowsOf(cards.join('\n'), undefined, 'cards.txt');
  expect(note).toMatchObject({
    note: expect.stringContaining('becomes a multiple choice question'),
  });
  expect(rest).toHaveLength(4);
  expect(first).toMatchObject({ question: { type: 'MULTIPLE_CHOICE', text: 'atom' } });
  const { answers } = (first as ParsedRow).question;
  expect(answers).toHaveLength(4);
  expect(answers.filter(({ isCorrect }) => isCorrect)).toEqual([
    { text: 'the definition of atom in many words', isCorrect: true },
  ]);
});

test('flash cards that all have the same answer are typed, which is explained where multiple choice was chosen', async () => {
  const read = async (text: string) => {
    const { rows } = await readRows(pieces(text), undefined, 'cards.txt', { cards: 'choice' });
    return collect(rows);
  };
  const typed = expect.objectContaining({
    notes: [expect.stringContaining('its answer is typed')],
  });
  const cards = 'Rhine\triver\nDanube\triver\n';
  const [, note, ...headless] = await read(cards);
  expect(note).toMatchObject({ note: expect.stringContaining('the file has only one answer') });
  for (const rows of [headless, await read(`question\tanswer\n${cards}`)]) {
    expect(rows).toEqual([typed, typed]);
    expect(rows.map((row) => shown(row as ParsedRow))).toEqual([
      'OPEN_ENDED Rhine *river',
      'OPEN_ENDED Danube *river',
    ]);
  }
});

test('flash cards with synonyms get no wrong answer that another of their cards has as the right one', async () => {
  const choice = async (...cards: string[]) => {
    const bytes = pieces(cards.join('\n'));
    const { rows } = await readRows(bytes, undefined, 'cards.txt', { cards: 'choice' });
    return (await collect(rows)).filter((row): row is ParsedRow => 'question' in row);
  };
  const rows = await choice(
    ...[
      'bank\tUfer',
      'bank\tGeldinstitut',
      'shore\tUfer',
      'tree\tBaum',
      'house\tHaus',
      'dog\tHund',
    ],
  );
  const answersOf = ({ question }: ParsedRow, isCorrect: boolean) =>
    question.answers.flatMap((it) => (it.isCorrect === isCorrect ? it.text : []));
  const wrong = rows.map((row) => answersOf(row, false).sort());
  expect(rows.flatMap((row) => answersOf(row, true))).toEqual([
    ...['Ufer', 'Geldinstitut', 'Ufer', 'Baum', 'Haus', 'Hund'],
  ]);
  expect(wrong.slice(0, 2)).toEqual([
    ['Baum', 'Haus', 'Hund'],
    ['Baum', 'Haus', 'Hund'],
  ]);
  expect(wrong.map(({ length }) => length)).toEqual([3, 3, 3, 3, 3, 3]);

  // No answer is wrong for either.
  expect((await choice('bank\tUfer', 'bank\tGeld')).map((row) => [shown(row), row])).toEqual(
    ['Ufer', 'Geld'].map((answer) => [
      `OPEN_ENDED bank *${answer}`,
      expect.objectContaining({
        notes: [
          'No answer of another card is known to be wrong for this one, so its answer is typed.',
        ],
      }),
    ]),
  );
});

const read = (name: string) => rowsOf(readFileSync(join(__dirname, 'samples', name)));

/** A row in a line: `* ` before a correct answer. */
function shown(row: ImportRow): string {
  if (!('question' in row)) return 'note' in row ? 'note' : row.error;
  const { text, type, answers } = row.question;
  const each = answers.map((answer) => `${answer.isCorrect ? '*' : ''}${answer.text}`);
  return `${type} ${text} ${each.join(' / ')}`;
}

test.each([
  [
    'opentdb-pandas.csv',
    "MULTIPLE_CHOICE What does LCD stand for? Language Control Design / Last Common 'Difference' / *Liquid Crystal Display / Long Continuous Design",
    'TRUE_FALSE Linus made Linux. *True / False',
  ],
  [
    'zero-based.csv',
    'note',
    'MULTIPLE_CHOICE Capital of France? *Paris / Lyon / Nice / Lille',
    'MULTIPLE_CHOICE Capital of Italy? Milan / *Rome / Turin / Naples',
    'MULTIPLE_CHOICE Capital of Spain? Seville / Bilbao / *Madrid / Toledo',
    'MULTIPLE_CHOICE Capital of Austria? Graz / Linz / Salzburg / *Vienna',
  ],
  [
    'lists.csv',
    'MULTIPLE_CHOICE Twice two? 3 / *4 / 5',
    'MULTIPLE_CHOICE Capital of Italy? Milan, Italy / *Rome, Italy',
    'MULTIPLE_CHOICE Which are even? 1 / *2 / *4',
  ],
  ['kahoot.csv', 'note', 'note', 'MULTIPLE_CHOICE Which are even? 1 / *2 / 3 / *4'],
  ['blooket.csv', 'note', 'note', 'MULTIPLE_CHOICE Twice two? 2 / *4 / 6'],
  ['gimkit.csv', 'note', 'MULTIPLE_CHOICE Twice two? 3 / *4 / 5'],
  [
    'quizizz.csv',
    'note',
    'MULTIPLE_CHOICE Twice two? 3 / *4 / 5',
    'MULTIPLE_CHOICE Which are even? 1 / *2 / *4',
    'OPEN_ENDED Capital of Italy *Rome / *Roma',
    'OPEN_ENDED Capital of Peru *Lima',
  ],
  [
    'socrative.csv',
    'note',
    'MULTIPLE_CHOICE Twice two? 3 / *4 / 5',
    'TRUE_FALSE The sky is green. True / *False',
  ],
  [
    'options-letter.csv',
    'MULTIPLE_CHOICE Twice two? 3 / *4 / 5',
    'MULTIPLE_CHOICE Which are even? 1 / *2 / *4',
    'TRUE_FALSE The sky is blue. *True / False',
    'TRUE_FALSE The sky is green. True / *False',
  ],
  ['quizlet.txt', 'note', 'note', 'OPEN_ENDED perro *dog', 'OPEN_ENDED gato *cat'],
  ['anki.txt', 'note', 'note', 'OPEN_ENDED Capital of Peru *Lima'],
  [
    'anki-notes.txt',
    'note',
    'note',
    'note',
    'OPEN_ENDED Capital of Peru?\n(South America) *Lima & nothing else',
    'OPEN_ENDED "The Eternal City"? *Rome',
    'The question has no text: write it.',
  ],
  [
    'anki-cards.txt',
    'note',
    'note',
    'OPEN_ENDED Capital of Peru *Lima',
    'OPEN_ENDED The "Eternal" City *Rome',
    'OPEN_ENDED Capital of Austria *Vienna',
    'OPEN_ENDED Capital of Spain *Madrid',
    'OPEN_ENDED Capital of Italy *Rome',
    'OPEN_ENDED Is 1 < 2 & 2 < 3? *Yes',
  ],
  [
    'anki-before-2.1.54.txt',
    'note',
    'note',
    'OPEN_ENDED Capital of Peru *Lima',
    'OPEN_ENDED Nickname: "the Eternal City" *Rome',
    "OPEN_ENDED Austria's capital *Vienna",
  ],
  [
    'jeopardy.csv',
    'note',
    'OPEN_ENDED For the last 8 years of his life, he was under house arrest *Copernicus',
  ],
  [
    'jeopardy.tsv',
    'note',
    'OPEN_ENDED Scenic ones include the Kern & the Merced *the Sierra Nevada',
  ],
  [
    'opentdb-list.json',
    'MULTIPLE_CHOICE What does "LCD" stand for? Language Control Design / Last Common Difference / *Liquid Crystal Display',
    'TRUE_FALSE Linus made Linux. *True / False',
  ],
  [
    'opentdb-questions.json',
    'MULTIPLE_CHOICE What does "LCD" stand for? Language Control Design / Last Common Difference / *Liquid Crystal Display',
    'TRUE_FALSE Linus made Linux. *True / False',
  ],
  [
    'opentdb-categories.json',
    'MULTIPLE_CHOICE What does "LCD" stand for? Language Control Design / Last Common Difference / *Liquid Crystal Display',
    'TRUE_FALSE Linus made Linux. *True / False',
  ],
  ['trivia-api-v1.json', 'MULTIPLE_CHOICE Capital of Peru? La Paz / *Lima / Quito'],
  ['trivia-api-v2.json', 'MULTIPLE_CHOICE Capital of Peru? La Paz / *Lima / Quito'],
  ['quizapi.json', 'MULTIPLE_CHOICE Which list files? *ls / *dir / rm'],
  [
    'options.json',
    'MULTIPLE_CHOICE Capital of Peru? Quito / *Lima',
    'MULTIPLE_CHOICE Capital of Chile? *Santiago / Quito',
    'OPEN_ENDED Capital of Cuba? *Havana',
  ],
  [
    'index.json',
    'note',
    'MULTIPLE_CHOICE Half of six? *3 / 6',
    'MULTIPLE_CHOICE Twice three? 3 / *6',
  ],
  [
    'questions.jsonl',
    'MULTIPLE_CHOICE Capital of Peru? Quito / *Lima',
    'MULTIPLE_CHOICE Capital of Cuba? *Havana / Lima',
  ],
  ['moodle.csv', 'note', 'MULTIPLE_CHOICE Which are even? 1 / *2 / 3 / *4'],
])('the sample %s is read', async (name, ...expected) => {
  expect((await read(name)).map(shown)).toEqual(expected);
});

test('an export of Anki is read with notes on its columns without texts, its formatting and its media', async () => {
  const [, left, cards, first, second] = await read('anki-notes.txt');
  expect(left).toEqual({
    line: 7,
    note: 'Tags belong to a quiz, not to a question, and these columns of Anki are left out: guid, notetype, deck, tags.',
  });
  expect(cards).toEqual({
    line: 7,
    note: expect.stringMatching(/^Each card becomes a question whose answer is typed\./),
  });
  expect(first).toMatchObject({ line: 7, notes: ['Formatting is not kept (<b>).'] });
  expect(second).toMatchObject({
    line: 8,
    notes: [
      'Pictures, sounds and formulas are not kept (<img>).',
      'Pictures, sounds and formulas are not kept (<audio>).',
    ],
  });
});

test('a row of Anki with a third text is refused until the user says what the columns are', async () => {
  const file = [
    '#separator:tab\n#html:false\n#tags column:4',
    ...Array.from({ length: 12 }, (_, i) => `City ${i}\tCountry ${i}\t\ttag`),
    'Capital of Peru\tLima\tIt lies by the sea\ttag',
  ].join('\n');
  expect((await rowsOf(file)).at(-1)).toEqual({
    line: 16,
    error: 'The row has more than a question and its answer: choose what each column is.',
  });
  const columns = ['text', 'correct', '', ''];
  const { rows } = await readRows([Buffer.from(file)], undefined, '', { columns });
  expect((await collect(rows)).map(shown).at(-1)).toBe('OPEN_ENDED Capital of Peru *Lima');
});

test('the line of Anki that names the columns is read as the header', async () => {
  const file =
    '#separator:Semicolon\n#tags column:1\n#columns:Tags;Back;Front\n#html:true\nt1 t2;Lima;Capital of Peru\n;Rome;"5 &lt; 6; so?"\n';
  expect((await rowsOf(file)).map(shown)).toEqual([
    'note',
    'OPEN_ENDED Capital of Peru *Lima',
    'OPEN_ENDED 5 < 6; so? *Rome',
  ]);
});

test('a cloze note of Anki with one gap is a typed question, and any other is an error', async () => {
  const notes = [
    'The capital of France is {{c1::Paris}}.\tIn the north.\tgeo',
    '<b>{{c1::Rome::city}}</b> is the capital of Italy.\t\tgeo',
    '{{c1::Rome}} and {{c2::Milan}} are in Italy.\t\tgeo',
    '{{c1::image-occlusion:rect:left=.1}}\t\tgeo',
    '{{c1::$x^{2}$}} is even.\t\t',
  ];
  const file = `#separator:tab\n#html:true\n#tags column:3\n${notes.join('\n')}\n`;
  const rows = (await rowsOf(file)).filter((row) => !('note' in row));
  const several = expect.stringMatching(
    /^The note has several gaps, or one that is not plain text/,
  );
  expect(rows).toEqual([
    {
      line: 4,
      question: {
        text: 'The capital of France is ____.',
        type: 'OPEN_ENDED',
        answers: [{ text: 'Paris', isCorrect: true }],
        explanation: 'In the north.',
      },
      notes: ['What stands beside the sentence with the gap is kept as the explanation.'],
    },
    expect.objectContaining({
      question: {
        text: '____ (city) is the capital of Italy.',
        type: 'OPEN_ENDED',
        answers: [{ text: 'Rome', isCorrect: true }],
      },
    }),
    ...[6, 7, 8].map((line) => expect.objectContaining({ line, error: several })),
  ]);
});

test.each([
  ['a header of Anki', '#separator:tab\nIt is {{c1::Paris}}.\nIt is {{c1::Rome}}.\n'],
  ['tabs only', 'It is {{c1::Paris}}.\t\nIt is {{c1::Rome}}.\t\n'],
  ['nothing else', 'It is {{c1::Paris}}.\nIt is {{c1::Rome}}.\n'],
])('cloze notes with %s are read', async (_, file) => {
  const rows = (await rowsOf(file)).filter((row) => 'question' in row);
  expect(rows.map(shown)).toEqual([
    'OPEN_ENDED It is ____. *Paris',
    'OPEN_ENDED It is ____. *Rome',
  ]);
});

test('a gap of Anki in a list is an error', async () => {
  expect(
    await rowsOf('1. It is {{c1::Paris}}.\nAnswer: Paris\n2. Is it?\n- yes *\n- no'),
  ).toMatchObject([
    { line: 1, error: expect.stringMatching(/^The question has a gap as Anki writes it/) },
    { line: 3, question: { text: 'Is it?' } },
  ]);
});

test('HTML of Anki that is nested too deeply is an error of its row', async () => {
  const deep = '<b>'.repeat(100);
  const file = `#separator:tab\n#html:true\nOne?\tyes\n${deep}Two?\tno\n`;
  expect((await rowsOf(file)).map(shown)).toEqual([
    'note',
    'note',
    'OPEN_ENDED One? *yes',
    expect.stringMatching(/^The HTML is nested more than/),
  ]);
});

test('cards whose texts in quotes are no complete cells are read with their quotation marks', async () => {
  const rows = await rowsOf('Lima\tPeru\n"Hamlet" author\tShakespeare\n"To be"\tHamlet\n');
  expect(rows.map(shown).slice(2)).toEqual([
    'OPEN_ENDED Lima *Peru',
    'OPEN_ENDED "Hamlet" author *Shakespeare',
    'OPEN_ENDED "To be" *Hamlet',
  ]);
});

test('a CSV column of ambiguous comma lists is refused row by row', async () => {
  const rows = await rowsOf(
    'question,correct_answer,incorrect_answers\nOne?,a,"b, c"\nTwo?,a,"b, c, d"\nThree?,a,b\n',
  );
  const refused = expect.stringContaining('cannot be told apart: separate them with "|"');
  expect(rows).toMatchObject([
    { line: 2, error: refused },
    { line: 3, error: refused },
    { line: 4, question: { answers: [{ text: 'a' }, { text: 'b' }] } },
  ]);
});

test('a CSV column of lists with the same number of commas in every row is split', async () => {
  const rows = await rowsOf(
    'question,correct_answer,incorrect_answers\nTwice two?,4,"3,5,6"\nOne and one?,2,"1, 3, 4"\nYes?,True,False\n',
  );
  expect(rows.map(shown)).toEqual([
    'MULTIPLE_CHOICE Twice two? 3 / *4 / 5 / 6',
    'MULTIPLE_CHOICE One and one? 1 / *2 / 3 / 4',
    'TRUE_FALSE Yes? *True / False',
  ]);
});

test('correct answers counted from 0 in one row and from 1 in another end the file', async () => {
  const file = 'question,a,b,c,answer\nOne?,x,y,z,0\nTwo?,x,y,z,1\nThree?,x,y,z,3\n';
  expect(await rowsOf(file)).toEqual([
    {
      line: 2,
      error: expect.stringMatching(/count from 0 in line 2 and from 1 in line 4: count from 1/),
      fatal: true,
    },
  ]);
});

test.each([
  ['an answer text of 0', 'How many?;1;0;3;0', 'How many? 1 / *0 / 3'],
  ['a first answer of 0', 'How many?;0;1;3;0', 'How many? *0 / 1 / 3'],
  ['a first answer of 0,5', 'Half?;0,5;0,2;0,7;0,5', 'Half? *0,5 / 0,2 / 0,7'],
])('%s does not make the correct column count from 0', async (_, row, expected) => {
  const file = `question;a;b;c;answer\n${row}\nWhich?;x;y;z;2\n`;
  expect((await rowsOf(file)).map(shown)).toEqual([
    `MULTIPLE_CHOICE ${expected}`,
    'MULTIPLE_CHOICE Which? x / *y / z',
  ]);
});

test('a correct answer of 0,5 that is no answer does not make other rows count from 0', async () => {
  const file = 'question;a;b;c;answer\nHalf?;0.5;0.2;0.7;0,5\nWhich?;x;y;z;2\n';
  expect(await rowsOf(file)).toMatchObject([
    { line: 2, error: expect.stringContaining('is not one of the answers') },
    { line: 3, question: { answers: [{}, { text: 'y', isCorrect: true }, {}] } },
  ]);
});

test.each([
  ['question,category\nWhere?,Maps\n', 'No column holds the answers: '],
  ['answer_1,answer_2,correct\nx,y,1\n', 'No column holds the questions: '],
])('a header without a required column is reported with the column: %j', async (file, error) => {
  expect(await rowsOf(file, 'csv')).toEqual([
    { line: 1, error: expect.stringContaining(error), fatal: true },
  ]);
});

test('the lists of a JSON object become categories', async () => {
  const rows = await read('opentdb-categories.json');
  expect(rows.map((row) => 'quiz' in row && row.quiz?.category)).toEqual(['Computers', 'Systems']);
});

test('truncated JSON Lines are reported with the line', async () => {
  const file = '{"question": "One?", "answer": "1"}\n\n{"question": "Two?", "answer": \n';
  expect(await rowsOf(file, 'jsonl')).toEqual([
    {
      line: 3,
      error: expect.stringMatching(/^Line 3 is not JSON: it ends in the middle/),
      fatal: true,
    },
  ]);
});

test('JSON Lines sent as JSON are refused and named as JSON Lines', async () => {
  const file = '{"question": "One?", "answer": "1"}\n{"question": "Two?", "answer": "2"}\n';
  const [row] = await rowsOf(file, 'json');
  expect(row).toMatchObject({
    error: expect.stringContaining('It looks like JSON Lines (jsonl).'),
  });
});

test('correct answer numbers in JSON count from 1 when one equals the number of answers', async () => {
  const file = JSON.stringify([
    { question: 'Half of six?', answers: ['3', '6'], correct: 1 },
    { question: 'Twice three?', answers: ['3', '6'], correct: 2 },
  ]);
  expect((await rowsOf(file)).map(shown)).toEqual([
    'MULTIPLE_CHOICE Half of six? *3 / 6',
    'MULTIPLE_CHOICE Twice three? 3 / *6',
  ]);
});

test.each([
  ['essay.gift', 'Write. {}', /essay/],
  ['essay.gift.txt', 'Write. {}', /essay/],
  ['KAHOOT.CSV', 'Some words.', /does not name the columns/],
  ['quizlet.tsv', 'Some words.', /does not name the columns/],
])('the file name extension decides when the content does not: %s', async (name, text, error) => {
  expect(await rowsOf(text, undefined, name)).toEqual([
    expect.objectContaining({ line: 1, error: expect.stringMatching(error) }),
  ]);
});

test('a column "title" beside the question does not make a quiz of every row', async () => {
  const rows = await rowsOf('title,question,a,b,correct\nOne,First?,x,y,a\nTwo,Second?,x,y,b\n');
  expect(rows).toEqual([
    { line: 1, note: 'The column "title" cannot be kept and is ignored.' },
    { line: 2, question: expect.objectContaining({ text: 'First?' }) },
    { line: 3, question: expect.objectContaining({ text: 'Second?' }) },
  ]);
});

test('among answers that differ only in case the correct column means the equal one', async () => {
  const rows = await rowsOf('question,a,b,correct\nCobalt?,CO,Co,Co\n');
  expect(rows.map(shown)).toEqual(['MULTIPLE_CHOICE Cobalt? CO / *Co']);
});
