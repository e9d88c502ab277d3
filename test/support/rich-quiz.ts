import type { ExportedQuiz } from '../../src/import-export/formats/row';
import { escapeRegExp } from '../../src/platform/text/text.rules';
import { png } from './pictures';

export const PICTURE_ID = '0192f0c4-aaaa-7bbb-8ccc-0123456789ab';

export const PICTURE_BYTES = png({ width: 4 });
const picture = {
  type: 'image/png',
  bytes: PICTURE_BYTES.length,
  read: () => [PICTURE_BYTES],
};

const two = (correct: string, incorrect: string) => [
  { text: correct, isCorrect: true },
  { text: incorrect, isCorrect: false },
];

type Question = ExportedQuiz['questions'][number];

const written = (text: string, answers = two('yes', 'no'), explanation?: string): Question => ({
  text,
  answers,
  type: 'MULTIPLE_CHOICE',
  difficulty: 'EASY',
  format: 'markdown',
  ...(explanation !== undefined && { explanation }),
});

/** A quiz with what most files can carry: each type, rules of play, Markdown, formulas and a picture. */
export const RICH_QUIZ: ExportedQuiz = {
  title: 'Rivers & <lakes> "of" Europe',
  description: 'First line\nsecond line',
  category: 'Geo/graphy',
  difficulty: 'HARD',
  tags: ['a', 'b,c'],
  language: 'pt-BR',
  timeLimit: 600,
  maxAttempts: 3,
  questionsPerAttempt: 5,
  acceptTypos: true,
  pictures: new Map([[PICTURE_ID, picture]]),
  questions: [
    {
      text: 'Which river flows through Vienna?',
      type: 'MULTIPLE_CHOICE',
      difficulty: 'EASY',
      explanation: 'It does.\n\nReally.',
      answers: two('The Danube', 'The Rhine'),
      source: 'An atlas',
      licence: 'CC0',
    },
    {
      text: 'Which\nflow  into\n\nthe sea?',
      type: 'MULTIPLE_CHOICE',
      difficulty: 'EASY',
      answers: [...two('Danube', 'Isar'), { text: 'Rhine', isCorrect: true }],
    },
    {
      text: 'Water boils at 100 °C.',
      type: 'TRUE_FALSE',
      difficulty: 'MEDIUM',
      answers: two('True', 'False'),
    },
    {
      text: 'Is it so?',
      type: 'TRUE_FALSE',
      difficulty: 'MEDIUM',
      answers: two('No', 'Yes'),
    },
    {
      text: 'Capital of Italy?',
      type: 'OPEN_ENDED',
      difficulty: 'EXPERT',
      explanation: 'Since 1871.',
      answers: [...two('Rome', 'Milan'), { text: 'Roma "eterna"', isCorrect: true }],
    },
    written(
      `![A map](media:${PICTURE_ID})\n\nWhich **river** is *this*?`,
      two(`![a](media:${PICTURE_ID}) one`, 'two'),
      `See ![it](media:${PICTURE_ID})`,
    ),
    written(
      '| a | b |\n|---|--:|\n| 1 | ~~2~~ |\n\n- x\n- y\n\n3. one\n4. two\n\n> quote\n\n> text `code`\n> more\n\n---\n\n```\nint x = 1;\n```\n\n# Head',
      two('`a<b>`', '[x](https://example.org)'),
    ),
    written(
      '| only | head |\n|---|---|\n\n- [x] done\n- [ ] open\n\n  in it\n\n  - nested `c`',
      two('```\nblock\n```', '- a\n- b'),
      '> - listed\n>\n> ```\n> code\n> ```',
    ),
    written(
      'Of $\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}$, $\\vec{a}\\cdot\\hat{b}$, $\\text{if } x \\le 3$ and $\\cancel{x}$:\n\n$$\\sum_{i=1}^n i = \\frac{n(n+1)}{2}$$',
      two('$\\overline{ab} \\in \\mathbb{R}$', '$\\sqrt[3]{2}$'),
    ),
    {
      text: 'What is $x^2$ for $x=2$?',
      type: 'OPEN_ENDED',
      difficulty: 'EASY',
      format: 'markdown',
      answers: [{ text: '$4$', isCorrect: true }],
    },
    written(
      `![Map](media:${PICTURE_ID} "Europe") and ![map][1]\n\n[1]: media:${PICTURE_ID}\n[2]: <media:${PICTURE_ID}> "Asia"\n\nWhere is it?`,
      two(`![Map](<media:${PICTURE_ID}>)`, `![Map]( media:${PICTURE_ID} )`),
      `Not \`media:${PICTURE_ID}\``,
    ),
  ],
};

/** Puts `media:<id>` back where a reader returned the bytes of the picture. */
export const withPictureIds = <T>(read: T): T =>
  JSON.parse(
    JSON.stringify(read).replaceAll(
      new RegExp(`data:image/\\w+;base64,${escapeRegExp(PICTURE_BYTES.toString('base64'))}`, 'g'),
      `media:${PICTURE_ID}`,
    ),
  ) as T;
