import type { Invalid } from '../../../platform/errors/domain-errors';
import { Form } from '../../http/form';
import { restructured } from './question-form';
import { readQuiz } from './quiz-form';

const MANY = 5_000;
const question = {
  title: 'Rivers',
  difficulty: 'EASY',
  'q1.type': 'MULTIPLE_CHOICE',
  'q1.difficulty': 'EASY',
  'q1.text': 'Which?',
};

const errorsOf = (values: Record<string, string | string[]>): string[] => {
  try {
    readQuiz(new Form({ ...question, ...values }));
    return [];
  } catch (error) {
    return ((error as Invalid).details ?? []).map(({ path }) => path);
  }
};

test('a question of the editor with thousands of ticked empty answers has an error for each of 61', () => {
  const rows = Array.from({ length: MANY }, (_, row) => String(row)).reverse();
  const answers = Array<string>(MANY).fill('');
  const errors = errorsOf({ question: 'q1', 'q1.answer': answers, 'q1.right': rows });
  expect(errors.filter((path) => path.startsWith('q1.answer.'))).toHaveLength(61);
});

test('a question that a form of the editor names thousands of times is read once', () => {
  const questions = Array<string>(MANY).fill('q1');
  const answers = Array<string>(MANY)
    .fill('The Danube')
    .map((text, row) => `${text} ${row}`);
  const values = { question: questions, 'q1.answer': answers, 'q1.right': '0' };
  expect(errorsOf(values)).toEqual(['q1.answers']);
});

test('a question with thousands of answers gets no further one', () => {
  const answers = Array<string>(20 * MANY).fill('x');
  const form = restructured(
    new Form({ ...question, 'q1.answer': answers, 'q1.right': answers, then: 'answer q1' }),
  );
  expect(form?.all('q1.answer')).toHaveLength(60);
});
