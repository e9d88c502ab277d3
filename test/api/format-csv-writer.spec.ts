import { writeCsv } from '../../src/import-export/formats/csv/csv';
import type { ExportedQuiz } from '../../src/import-export/formats/row';
import { LIMITS } from '../../src/platform/limits/limits';
import { questions, rowsOf } from '../support/rows';

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
  ]) {
    const exported = quiz(text).questions.map((it) => ({ ...it, explanation: text }));
    const whole = { ...quiz(text), description: text, category: text, questions: exported };
    const file = [...writeCsv(whole)].join('');
    const cells = file.replace(/^\uFEFF.*\r\n/, '').split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
    for (const cell of cells) expect(cell.replace(/^"?\p{Cf}*/u, '')).not.toMatch(/^[=+\-@＝]/);
    const [row] = questions(await rowsOf(file));
    expect([row?.question]).toEqual(exported);
    expect(row?.quiz).toMatchObject({
      ...{ title: text, description: text, category: text, tags: [text] },
    });
  }
});

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
    ...{ timeLimit: 600, maxAttempts: 2, questionsPerAttempt: 1, acceptTypos: true },
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
