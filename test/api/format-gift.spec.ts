import type { ImportedQuestion } from '../../src/import-export/formats/row';
import { RICH_QUIZ } from '../support/rich-quiz';
import { exported, questions, rowsOf } from '../support/rows';

const read = (...lines: string[]) => rowsOf(lines.join('\n'), 'gift');

async function question(...lines: string[]) {
  const [row] = questions(await read(...lines));
  return { ...row?.question, notes: row?.notes };
}

const marked = (...answers: string[]) =>
  answers.map((text) => ({ text: text.replace(/^!/, ''), isCorrect: text.startsWith('!') }));

describe("GIFT: examples of the format's documentation", () => {
  it.each([
    [
      "Who's buried? {~no one =Grant ~Churchill}",
      'MULTIPLE_CHOICE',
      marked('no one', '!Grant', 'Churchill'),
    ],
    ['1+1=2 {T}', 'TRUE_FALSE', marked('!True', 'False')],
    ['The sun rises in the west.{FALSE}', 'TRUE_FALSE', marked('True', '!False')],
    ['Two plus two is {=four =4}', 'OPEN_ENDED', marked('!four', '!4')],
    [
      'Which? {~%50%Grant ~%-100%No one ~%50%His wife}',
      'MULTIPLE_CHOICE',
      marked('!Grant', 'No one', '!His wife'),
    ],
    ['Which \\{ \\= \\} \\: \\~ \\#? {=a\\:b: c ~d}', 'MULTIPLE_CHOICE', marked('!a:b: c', 'd')],
    ['From 1 -> 2 {=a -> b ~c}', 'MULTIPLE_CHOICE', marked('!a -> b', 'c')],
  ])('%s', async (line, type, answers) => {
    expect(await question(line)).toMatchObject({ type, answers });
  });

  it('GIFT: answers within the text leave a gap in the question', async () => {
    expect((await question('Grant is {~born =buried} in a tomb.')).text).toBe(
      'Grant is _____ in a tomb.',
    );
  });

  it('GIFT: general feedback becomes the explanation, and escaped line breaks are kept', async () => {
    expect(await question('One\\n  two?{', '=a  b', '~c', '####Because', '}')).toMatchObject({
      text: 'One\n  two?',
      answers: marked('!a  b', 'c'),
      explanation: 'Because',
    });
  });

  it('GIFT: $CATEGORY sets the category of the questions after it, without parent levels', async () => {
    const rows = await read(
      '$CATEGORY: $course$/top/Science/Rock // Roll',
      '',
      'Q{=a~b}',
      '',
      '$CATEGORY: Art',
      'R{=a~b}',
    );
    expect(rows).toEqual([
      {
        line: 1,
        note: 'Categories have no levels here: "Science / Rock / Roll" becomes "Rock / Roll".',
      },
      expect.objectContaining({
        line: 3,
        quiz: expect.objectContaining({ category: 'Rock / Roll' }),
      }),
      expect.objectContaining({ line: 6, quiz: expect.objectContaining({ category: 'Art' }) }),
    ]);
  });
});

it.each([
  ['Capital of Peru? {=Lima}', 'Lima'],
  ['When? {#1822}', '1822'],
  ['Pi? {#=3.14:0 =%50%3:0}', '3.14'],
  ['Price? {#2.50}', '2.50'],
  ['Price=2.5? { #2.50:0 }', '2.50'],
  ['Price? {#=%100%2.50 ~1.50}', '2.50'],
  ['Price? {# 2.50 : 0 }', '2.50'],
  ['Price? {# = 2.50 : 0 = %50% 3 :0}', '2.50'],
  ['Price? {#= %100% 2.50: 0 # Yes, 5 : 2 ~ 1.50}', '2.50'],
  ['Below zero? {#-0.50}', '-0.50'],
  ['Sum? {#+5}', '5'],
  ['Long? {#12345678901234567890}', '12345678901234567890'],
])('GIFT: a single accepted answer is enough: %s', async (line, answer) => {
  const { type, answers } = await question(line);
  expect([type, answers]).toEqual(['OPEN_ENDED', marked(`!${answer}`)]);
});

it('GIFT: a numeric answer with blanks around its parts is the same after an export and an import', async () => {
  const price = await question('Price? {# 2.50 : 0.1 }');
  const written = {
    ...(price as ImportedQuestion),
    difficulty: 'MEDIUM',
    notes: undefined,
  } as const;
  const quiz = { ...RICH_QUIZ, questions: [written] };
  const [row] = questions(await rowsOf(await exported(quiz, 'gift'), 'gift'));
  expect(row!.question).toEqual(written);
});

describe('GIFT: unsupported content', () => {
  it.each([
    ['Match {=cat -> food =dog -> bone}', /each pair/],
    ['When? {#1800..1900}', /range of numbers/],
    ['When? {# 1800 .. 1900 }', /range of numbers/],
    ['Write. {}', /essay/],
    ['Only a text.', /without answers/],
    ['One {~%100%answer}', /Give the question at least 2 answers/],
    ['None {~a ~b}', /No answer is marked as correct/],
    ['Open {=a ~b', /close them with "}"/],
    ['Odd {=a {~b}}', /a backslash before/],
    ['Half? {#.5}', /write each number in digits with a decimal point/],
    ['One and a half? {#1,5}', /write each number in digits/],
    ['How far? {#5 km}', /no unit/],
    ['Thousand? {#=1e3:0 =%50%900}', /write each number in digits/],
    ['Two {=a ~b\n$CATEGORY: x\n~c}', /\$CATEGORY line is inside/],
    ['One {=a ~b}\nTwo \\}', /Separate questions/],
  ])('GIFT: unsupported content is an error of its row: %s', async (line, error) => {
    expect(await read('Before{=a~b}', '', '', line, '', 'After{=a~b}')).toEqual([
      { line: 1, path: 'question 1', question: expect.anything() },
      { line: 4, path: 'question 2', error: expect.stringMatching(error) },
      { line: 5 + line.split('\n').length, path: 'question 3', question: expect.anything() },
    ]);
  });

  it.each([
    ['When? {#1822:5}', /1822 is accepted without its tolerance of 5\.$/],
    ['When? {# 1822 : 5 }', /1822 is accepted without its tolerance of 5\.$/],
    ['::Title:: Q{=a ~b}', /^Titles are/],
    ['Q{=a#Yes! ~b#No!}', /Feedback on single answers/],
    ['When? {#=1822#Yes! ~#No!}', /Feedback on single answers/],
    ['Q{=a ~%50%b ~c}', /Partial credit .*2: 50 % counts as wrong/],
    ['Pi? {#=3.14:0 =%50%3:0}', /^Partial credit is not kept.* partly correct ones are ignored/],
    ['// [tag:moon]\nQ{=a ~b}', /^Tags are/],
    ['[html]<p>Q <img src="x.png"></p>{=a ~b}', /Pictures/],
    ['v<sub>max</sub>{=a ~b}', /Formatting .*<sub>/],
  ])('GIFT: content that is not kept is a note of its row: %s', async (line, note) => {
    expect((await question(line)).notes).toEqual([expect.stringMatching(note)]);
  });

  it('GIFT: raised and lowered digits are kept as characters', async () => {
    const read = await question('H<sub>2</sub>O weighs 10<sup>-3</sup> kg{=a ~b}');
    expect(read.text).toBe('H₂O weighs 10⁻³ kg');
    expect(read.notes).toBeUndefined();
  });

  it('GIFT: a question in Markdown is read as one', async () => {
    const row = await question('[markdown]**Q**{=a ~b}');
    expect(row).toMatchObject({ text: '**Q**', format: 'markdown' });
  });

  it('GIFT: content that is kept has no note', async () => {
    const plain = await question(
      '// for people only',
      '::Wh:: What?{~%33.33333%a ~%33.33333%b ~%33.33333%c ~%-50%d}',
    );
    expect(plain).toMatchObject({ text: 'What?', answers: marked('!a', '!b', '!c', 'd') });
    expect(plain.notes).toBeUndefined();
  });
});

describe('GIFT: a star in a typed answer', () => {
  const typed = (...texts: string[]) => ({
    ...RICH_QUIZ.questions[0]!,
    type: 'OPEN_ENDED' as const,
    answers: texts.map((text) => ({ text, isCorrect: true })),
  });

  it.each(['plain', 'markdown'] as const)(
    'is exported as itself, not as a pattern of Moodle, and read again, in a %s text',
    async (format) => {
      const question = { ...typed('*', '2*3', '\\*', '**', '\\\\*', 'a\\'), format };
      const file = (await exported({ ...RICH_QUIZ, questions: [question] }, 'gift')).toString();
      expect(file).toContain('\t=\\\\*\n\t=2\\\\*3\n');
      const [row] = questions(await rowsOf(file, 'gift'));
      expect(row!.question.answers).toEqual(question.answers);
      expect(row!.notes).toBeUndefined();
    },
  );

  it('is the text of a choice in a question with choices', async () => {
    const question = { ...RICH_QUIZ.questions[0]!, answers: typed('*', '+').answers };
    const file = (await exported({ ...RICH_QUIZ, questions: [question] }, 'gift')).toString();
    expect(file).toContain('*\n');
    expect(file).not.toContain('\\\\*');
    expect(questions(await rowsOf(file, 'gift'))[0]!.question.answers).toEqual(question.answers);
  });

  it('that is a pattern is kept as text, with a note', async () => {
    const note = 'A "*" in an answer stands for itself here, not for any letters.';
    expect(await question('Capital? {=Par* =\\\\*Lima}')).toMatchObject({
      answers: marked('!Par*', '!*Lima'),
      notes: [note],
    });
    expect((await question('Capital? {=\\\\*}')).notes).toBeUndefined();
  });
});

it('GIFT: a question of more than 65,536 characters is left out, and the next one is read', async () => {
  expect(await read(`${'x'.repeat(65_530)}{=a ~b}`, '', 'Q{=a ~b}')).toEqual([
    { line: 1, path: 'question 1', error: expect.stringContaining('longer than 64 KiB') },
    expect.objectContaining({ line: 3, question: expect.objectContaining({ text: 'Q' }) }),
  ]);
});

it('GIFT: an export hint is ignored where it no longer matches its question', async () => {
  expect(
    await question('// {"type":"TRUE_FALSE","difficulty":"HARD"}', 'Q{=a ~b ~c}'),
  ).toMatchObject({
    type: 'MULTIPLE_CHOICE',
    difficulty: 'HARD',
  });
  expect(await question('// {"exact":["Old\\r","","x","y"]}', 'New{=x ~y}')).toMatchObject({
    text: 'New',
  });
});
