import { RICH_QUIZ, withPictureIds } from '../../../../test/support/rich-quiz';
import { exported, questions, rowsOf } from '../../../../test/support/rows';
import type { ExportedQuiz } from '../row';

const RIVERS: ExportedQuiz = {
  title: 'Rivers of *Europe*',
  description: 'From source\nto sea.',
  category: 'Geography',
  difficulty: 'MEDIUM',
  tags: ['water', 'maps, old'],
  language: 'en',
  timeLimit: 600,
  maxAttempts: 3,
  questionsPerAttempt: 2,
  acceptTypos: true,
  questions: [
    {
      text: 'Which rivers flow\ninto the Black Sea?',
      type: 'MULTIPLE_CHOICE',
      difficulty: 'HARD',
      source: 'An atlas',
      licence: 'CC0',
      explanation: 'The Rhine flows into the North Sea.\n\nSo does the Elbe.',
      answers: [
        { text: 'The Danube', isCorrect: true },
        { text: 'The Rhine', isCorrect: false },
        { text: 'The Dnieper', isCorrect: true },
      ],
    },
    {
      text: 'The Volga ends in a lake.',
      type: 'TRUE_FALSE',
      difficulty: 'MEDIUM',
      answers: [
        { text: 'True', isCorrect: true },
        { text: 'False', isCorrect: false },
      ],
    },
    {
      text: '**Longest** river?\n\n- A. in Europe',
      type: 'OPEN_ENDED',
      difficulty: 'EASY',
      format: 'markdown',
      answers: [
        { text: 'Volga', isCorrect: true },
        { text: 'Danube', isCorrect: false },
      ],
    },
  ],
};

const FILE = `<!-- {"quiz":{"title":"Rivers of *Europe*","description":"From source\\nto sea.","category":"Geography","difficulty":"MEDIUM","tags":["water","maps, old"],"language":"en","timeLimit":600,"maxAttempts":3,"questionsPerAttempt":2,"acceptTypos":true}} -->

# Rivers of \\*Europe\\*

From source\\
to sea.

- **Category:** Geography
- **Difficulty:** Medium
- **Tags:** water, maps\\\\, old
- **Language:** en
- **Time limit in seconds:** 600
- **Attempts per player:** 3
- **Questions per attempt:** 2
- **Typing errors are accepted:** yes

## Questions

<!-- {"difficulty":"HARD","source":"An atlas","licence":"CC0"} -->
1. Which rivers flow\\
   into the Black Sea?

   - **A.** The Danube
   - **B.** The Rhine
   - **C.** The Dnieper

<!-- {"difficulty":"MEDIUM"} -->
2. The Volga ends in a lake.

   - **A.** True
   - **B.** False

<!-- {"difficulty":"EASY","format":"markdown"} -->
3. **Longest** river?

   - A. in Europe

## Answer key

1. **A, C**

   > The Rhine flows into the North Sea.
   >
   > So does the Elbe.

2. **A**

3. **Accepted:**

   - [x] Volga
   - [ ] Danube

`;

/** What a row says of its quiz. */
const quizOfRow = (quiz: ExportedQuiz, changes: object = {}): object =>
  JSON.parse(
    JSON.stringify({
      key: 'quiz 1',
      ...quiz,
      questions: undefined,
      pictures: undefined,
      ...changes,
    }),
  ) as object;

describe('an export in Markdown', () => {
  it('has numbered questions, lettered choices, and the answers and explanations at the end', async () => {
    expect((await exported(RIVERS, 'markdown')).toString()).toBe(FILE);
  });

  it('read again is the quiz with its rules, its Markdown and its pictures', async () => {
    for (const quiz of [RIVERS, RICH_QUIZ]) {
      const rows = questions(withPictureIds(await rowsOf(await exported(quiz, 'markdown'))));
      expect(rows.map(({ question }) => question)).toEqual(quiz.questions);
      for (const row of rows) expect(row.quiz).toEqual(quizOfRow(quiz));
    }
  });

  it('addresses in plain texts have no backslashes, which would lead elsewhere, and are read again', async () => {
    const [question] = RIVERS.questions;
    const address = 'https://a.example/a_b*c~d?x=1&y=[2]#e';
    const text = `*See* ${address}, (${address}) or https://a.example\\_b\n- ${address}`;
    const quiz = { ...RIVERS, title: text, questions: [{ ...question!, text, explanation: text }] };
    const file = (await exported(quiz, 'markdown')).toString();
    expect(file).toContain(`\n# \\*See\\* ${address}, (${address}) or `);
    expect(file).toContain(`> \\- ${address}\n`);
    expect(questions(await rowsOf(file)).map((row) => row.question)).toEqual(quiz.questions);
  });

  it.each([
    ['in Markdown', '{ "format": "markdown", "difficulty": "EASY" }', '\\*Longest\\* river?'],
    ['plain', '{"source":"\\"format\\":\\"markdown\\""}', '*Longest* river?'],
    ['plain', '{"source":{"format":"markdown"}}', '*Longest* river?'],
  ])('a question is %s by the format of its comment %s', async (_, hint, text) => {
    const file = FILE.replace('{"difficulty":"EASY","format":"markdown"}', hint).replace(
      '**Longest** river?',
      '\\*Longest\\* river?',
    );
    expect(questions(await rowsOf(file))[2]?.question.text.split('\n')[0]).toBe(text);
  });

  it('several in one file are several quizzes', async () => {
    const rows = questions(await rowsOf(`\uFEFF${FILE}${FILE}`));
    expect(rows).toHaveLength(6);
    expect(new Set(rows.map(({ quiz }) => quiz?.key)).size).toBe(2);
  });

  it.each<[string, [from: string, to: string], object]>([
    ['title', ['# Rivers of \\*Europe\\*', '# Seas'], { title: 'Seas' }],
    ['description', ['to sea.\n', 'to \\# 1\n'], { description: 'From source\nto # 1' }],
    ['category', ['- **Category:** Geography\n', ''], { category: undefined }],
    ['tags', ['water, maps', 'land, maps'], { tags: ['land', 'maps, old'] }],
    ['time limit', ['seconds:** 600', 'seconds:** 90'], { timeLimit: 90 }],
    ['rule', ['accepted:** yes', 'accepted:** no'], { acceptTypos: false }],
  ])('an edited %s is read as it is seen', async (__, [from, to], about) => {
    const [row] = questions(await rowsOf(FILE.replace(from, to)));
    expect(row?.quiz).toEqual(quizOfRow(RIVERS, about));
  });

  it.each<[string, [from: string, to: string], number, object]>([
    ['question', ['into the Black', 'to the Black'], 0, { source: 'An atlas' }],
    ['key', ['1. **A, C**', '1. b'], 0, { answers: [false, true, false] }],
    ['choice', ['- **C.** The Dnieper', '- C) The Don'], 0, { answers: [true, false, true] }],
    ['explanation', ['> So does', '> As does'], 0, { difficulty: 'HARD' }],
    ['accepted answer', ['- [ ] Danube', '- [X] Ural'], 2, { answers: [true, true] }],
    ['comment', ['<!-- {"difficulty":"MEDIUM"} -->\n', ''], 1, { type: 'TRUE_FALSE' }],
  ])('an edited %s is read as it is seen', async (__, [from, to], at, found) => {
    const file = FILE.replace(from, to);
    expect(file).not.toBe(FILE);
    const { question } = questions(await rowsOf(file))[at]!;
    const answers = question.answers.map(({ isCorrect }) => isCorrect);
    expect({ ...question, answers }).toMatchObject(found);
  });

  it('a question that was added is one of its own', async () => {
    const file = FILE.replace(
      '## Answer',
      '4. New \\[one\\]?\n\n   - A. x\n   - B. y\n\n## Answer',
    );
    const rows = questions(await rowsOf(`${file}4. **B**\n`));
    expect(rows).toHaveLength(4);
    expect(rows[3]).toMatchObject({
      path: 'question 4',
      question: {
        text: 'New [one]?',
        type: 'MULTIPLE_CHOICE',
        answers: [
          { text: 'x', isCorrect: false },
          { text: 'y', isCorrect: true },
        ],
      },
    });
  });

  it.each<[string, string | RegExp, string, RegExp]>([
    ['no key', '2. **A**\n', '', /answer key has nothing for question 2: add a line such as/],
    ['an unknown letter', '**A, C**', '**A, D**', /key names D, which the question does not have/],
    ['no correct letter', '1. **A, C**', '1. ', /No answer is marked as correct: write its letter/],
    ['a letter that is left out', '- **B.** The', '- **D.** The', /not lettered A, B, C/],
    ['a number twice', '2. The Volga', '1. The Volga', /wo questions have the number 1/],
    [
      'a key without a question',
      '2. **A**',
      '7. **A**',
      /names question 7, which the file does not/,
    ],
    ['text within the key', '   > So', '   So', /is no answer: begin an explanation with ">"/],
    ['text outside', '## Questions\n', '## Questions\n\nLost', /"Lost" belongs to no question/],
  ])('%s is reported with what to do', async (__, from, to, message) => {
    const file = FILE.replace(from, to);
    expect(file).not.toBe(FILE);
    const reported = (await rowsOf(file)).flatMap((row) =>
      'error' in row ? [row.error] : 'note' in row ? [row.note] : [],
    );
    expect(reported.join('\n')).toMatch(message);
  });

  it.each([
    ['above 16 MiB', `> ${'long '.repeat(1_700)}\n`, 2_000],
    ['of more than 500,000 lines', '\n', 500_000],
  ])('a file %s is refused', async (__, line, count) => {
    expect(await rowsOf([Buffer.from(FILE + line.repeat(count))])).toEqual([
      {
        line: expect.any(Number),
        error: expect.stringMatching(/larger than 16 MiB or has more than 500,000 lines: split it/),
        fatal: true,
      },
    ]);
  });
});
