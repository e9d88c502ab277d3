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
    description: 'Buy now',
    tags: [],
    questions: [question('1', 'Vienna?', 'Rhine'), question('3', 'Ulm?')],
  };
  expect(quizChanges(approved, edited)).toEqual([
    { what: 'Title', before: 'Rivers', after: 'Pills' },
    { what: 'Description', before: null, after: 'Buy now' },
    { what: 'Tags', before: 'water', after: null },
    {
      what: 'Question 1',
      before: 'Vienna?\nMULTIPLE_CHOICE, EASY\n✓ Danube\n✗ Rhine',
      after: 'Vienna?\nMULTIPLE_CHOICE, EASY\n✗ Danube\n✓ Rhine',
    },
    { what: 'Question 2', before: null, after: 'Ulm?\nMULTIPLE_CHOICE, EASY\n✓ Danube\n✗ Rhine' },
    {
      what: 'Question',
      before: 'Budapest?\nMULTIPLE_CHOICE, EASY\n✓ Danube\n✗ Rhine',
      after: null,
    },
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
