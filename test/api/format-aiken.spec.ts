import { questions, rowsOf } from '../support/rows';

const read = (...lines: string[]) => rowsOf(lines.join('\n'), 'aiken');

it('Aiken: questions of one or more lines, options with dots or brackets and the answer are read', async () => {
  const rows = questions(
    await read(
      'Who said',
      '“I am”?',
      'A. Descartes',
      'B. Kant',
      'ANSWER: A',
      '',
      'True?',
      'A) True',
      'B) False',
      'answer: b',
    ),
  );
  expect(rows).toEqual([
    {
      line: 1,
      question: {
        text: 'Who said\n“I am”?',
        type: 'MULTIPLE_CHOICE',
        answers: [
          { text: 'Descartes', isCorrect: true },
          { text: 'Kant', isCorrect: false },
        ],
      },
    },
    {
      line: 7,
      question: {
        text: 'True?',
        type: 'TRUE_FALSE',
        answers: [
          { text: 'True', isCorrect: false },
          { text: 'False', isCorrect: true },
        ],
      },
    },
  ]);
});

it.each([
  ['no answer', ['Q', 'A. x', 'B. y'], /^No line names the correct answer: put "ANSWER: A"/],
  [
    'an answer that is no option',
    ['Q', 'A. x', 'B. y', 'ANSWER: C'],
    /^"ANSWER: C" does not name an option/,
  ],
  [
    'an answer that is marked as wrong',
    ['Q', 'A. x (wrong)', 'B. y', 'ANSWER: A'],
    /^The mark at an option and the line "ANSWER:" differ/,
  ],
  [
    'letters out of order',
    ['Q', 'A. x', 'C. y', 'ANSWER: A'],
    /^Option C found where B is expected/,
  ],
  [
    'more options than letters',
    [
      'Q',
      ...[...'ABCDEFGHIJKLMNOPQRSTUVWXYZA'].map((letter, n) => `${letter}. x${n}`),
      'ANSWER: A',
    ],
    /^Option A found where AA is expected/,
  ],
  ['no text', ['A. x', 'B. y', 'ANSWER: A'], /^The question has no text/],
  [
    'no options',
    ['Q', 'ANSWER: A'],
    /^"ANSWER: A" does not name an option.*give the question at least 2 answers/,
  ],
  [
    'an empty option',
    ['Q', 'A. x', 'B.', 'ANSWER: A'],
    'Answer 2 is empty: write its text or remove it.',
  ],
  [
    'an option before the question, even in quotes,',
    ['"b) stray', 'Q?', 'A. x', 'B. y', 'ANSWER: A'],
    /^The line ""b\) stray" looks like an option or another question/,
  ],
])('Aiken: %s is an error of its row, and the next row is read', async (_name, lines, error) => {
  expect(await read(...lines, '', 'Next', 'A. x', 'B. y', 'ANSWER: A')).toEqual([
    { line: 1, error: expect.stringMatching(error) },
    { line: lines.length + 2, question: expect.objectContaining({ text: 'Next' }) },
  ]);
});

it('Aiken: a second ANSWER line is an error', async () => {
  expect(await read('Q', 'A. x', 'B. y', 'ANSWER: A', 'ANSWER: B')).toEqual([
    { line: 1, question: expect.anything() },
    { line: 5, error: expect.stringContaining('belongs to no question') },
  ]);
});

it('Aiken: options without a space after their letter are read in order', async () => {
  const file =
    'A.D. 79 is when?\nA)Vesuvius\nB.Etna\nANSWER: A\n\nU.S.A. or\nB.B. King?\nA) yes\nB) no\nANSWER: B\n';
  expect(questions(await rowsOf(file)).map(({ question }) => question)).toMatchObject([
    {
      text: 'A.D. 79 is when?',
      answers: [{ text: 'Vesuvius', isCorrect: true }, { text: 'Etna' }],
    },
    { text: 'U.S.A. or\nB.B. King?', answers: [{ text: 'yes' }, { text: 'no', isCorrect: true }] },
  ]);
});

it('Aiken: a cross marks an option only behind a space and where nothing else names the answer', async () => {
  const options = ['A. tan (x)', 'B. cos(x)'];
  const doubtful = (answer: string) => ({
    line: 1,
    error: expect.stringContaining(`The (x) or [x] at the answer "${answer}" may be a mark`),
  });
  expect(await read('1?', ...options, 'ANSWER: B')).toEqual([doubtful('tan (x)')]);
  expect(await read('1?', 'A. tan (x)', 'B. cos x *')).toEqual([doubtful('tan (x)')]);
  expect(await read('1?', ...options)).toEqual([doubtful('cos(x)')]);
  const rows = questions(
    await read('2?', 'A. tan \\(x)', 'B. cos(x)', 'ANSWER: B', '', '3?', 'A. tan (x)', 'B. cos x'),
  );
  expect(rows.map(({ question }) => question.answers)).toEqual([
    [
      { text: 'tan (x)', isCorrect: false },
      { text: 'cos(x)', isCorrect: true },
    ],
    [
      { text: 'tan', isCorrect: true },
      { text: 'cos x', isCorrect: false },
    ],
  ]);
});

it('Aiken: bold and italic options are correct only where no ANSWER line says it', async () => {
  const file = [
    ...['Capital of Italy?', 'A. **Milan**', 'B. Rome', 'ANSWER: B', ''],
    ...['Of Peru?', 'A. **Lima**', 'B. **Quito**', 'C. *Cuzco*', 'ANSWER: A', ''],
    ...['Which is true?', 'A. __Rome is nice__', 'B. __init__', 'ANSWER: B', ''],
    ...['Of Cuba?', 'A. **Havana**', 'B. Santiago', ''],
    ...['Of Chad?', 'A. Abéché *', 'B. **N’Djamena**', 'ANSWER: B'],
  ];
  expect(await read(...file)).toMatchObject([
    { question: { answers: [{ text: 'Milan' }, { text: 'Rome', isCorrect: true }] } },
    {
      question: {
        answers: [
          { text: 'Lima', isCorrect: true },
          { text: 'Quito', isCorrect: false },
          { text: 'Cuzco', isCorrect: false },
        ],
      },
    },
    {
      question: {
        answers: [
          { text: 'Rome is nice', isCorrect: false },
          { text: '__init__', isCorrect: true },
        ],
      },
    },
    { question: { answers: [{ text: 'Havana', isCorrect: true }, { text: 'Santiago' }] } },
    { line: 21, error: expect.stringContaining('mark at an option and the line') },
  ]);
});
