import { quizChanges, type QuizContent } from './quiz-changes.rules';

const question = (id: string, text: string, correct = 'Danube') => ({
  id,
  text,
  type: 'MULTIPLE_CHOICE' as const,
  difficulty: 'EASY' as const,
  explanation: null,
  answers: ['Danube', 'Rhine'].map((it) => ({ id: it, text: it, isCorrect: it === correct })),
});

const approved: QuizContent = {
  title: 'Rivers',
  description: null,
  category: 'Geography',
  difficulty: 'EASY',
  tags: ['water'],
  questions: [question('1', 'Vienna?'), question('2', 'Budapest?')],
};

it('a quiz that was not edited has no changes', () => {
  expect(quizChanges(approved, structuredClone(approved))).toEqual([]);
});

it('edited texts, an exchanged correct answer, an added and a removed question are named in reading order', () => {
  const edited = {
    ...approved,
    title: 'Pills',
    language: 'de',
    description: 'Buy now',
    tags: [],
    questions: [question('1', 'Vienna?', 'Rhine'), question('3', 'Ulm?')],
  };
  expect(quizChanges(approved, edited)).toEqual([
    { what: 'Title', before: 'Rivers', after: 'Pills' },
    { what: 'Description', before: null, after: 'Buy now' },
    { what: 'Tags', before: 'water', after: null },
    { what: 'Language', before: null, after: 'de' },
    {
      what: 'Question 1',
      before: question('1', 'Vienna?'),
      after: question('1', 'Vienna?', 'Rhine'),
    },
    { what: 'Question 2', before: null, after: question('3', 'Ulm?') },
    { what: 'Question', before: question('2', 'Budapest?'), after: null },
  ]);
});

it.each([
  [['a', 'b'], ['a, b'], 'a, b', '"a, b"'],
  [['"a', 'b"'], ['a, b'], '"\\"a", "b\\""', '"a, b"'],
])('the tags %j that become %j are a change', (before, after, shownBefore, shownAfter) => {
  const edited = { ...approved, tags: after };
  expect(quizChanges({ ...approved, tags: before }, edited)).toEqual([
    { what: 'Tags', before: shownBefore, after: shownAfter },
  ]);
});

it('questions in another order are one change, by their numbers in the version before', () => {
  const [first, second] = approved.questions;
  const moved = {
    ...approved,
    questions: [second, question('3', 'Ulm?'), first] as typeof approved.questions,
  };
  expect(quizChanges(approved, moved)[0]).toEqual({
    what: 'Order of questions',
    before: '1, 2',
    after: '2, 1',
  });
});

it('answers with other ids are no change, and another format is one', () => {
  const [first, second] = approved.questions;
  if (!first || !second) throw new Error('The approved quiz has two questions.');
  const answers = first.answers.map((answer) => ({ ...answer, id: `new ${answer.id}` }));
  const saved = { ...approved, questions: [{ ...first, answers }, second] };
  expect(quizChanges(approved, saved)).toEqual([]);
  const formatted = { ...second, format: 'markdown' as const };
  expect(quizChanges(approved, { ...approved, questions: [first, formatted] })).toEqual([
    { what: 'Question 2', before: second, after: formatted },
  ]);
});
