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

const errorsOf = async (values: Record<string, string | string[]>): Promise<string[]> => {
  try {
    await readQuiz(new Form({ ...question, ...values }));
    return [];
  } catch (error) {
    return ((error as Invalid).details ?? []).map(({ path }) => path);
  }
};

test('a question of the editor with thousands of ticked empty answers has an error for each of 61', async () => {
  const rows = Array.from({ length: MANY }, (_, row) => String(row)).reverse();
  const answers = Array<string>(MANY).fill('');
  const errors = await errorsOf({ question: 'q1', 'q1.answer': answers, 'q1.right': rows });
  expect(errors.filter((path) => path.startsWith('q1.answer.'))).toHaveLength(61);
});

test('a question that a form of the editor names thousands of times is read once', async () => {
  const questions = Array<string>(MANY).fill('q1');
  const answers = Array<string>(MANY)
    .fill('The Danube')
    .map((text, row) => `${text} ${row}`);
  const values = { question: questions, 'q1.answer': answers, 'q1.right': '0' };
  expect(await errorsOf(values)).toEqual(['q1.answers']);
});

test('what cannot be shown of a question is among the other errors of its form, once for each field', async () => {
  const unreadable = 'Half: $\\frac{1}$';
  const values = {
    title: ' ',
    question: ['q1', 'q2'],
    'q1.format': 'markdown',
    'q1.text': unreadable,
    'q1.answer': ['The Danube', unreadable],
    'q2.type': 'TRUE_FALSE',
    'q2.difficulty': 'EASY',
    'q2.format': 'markdown',
    'q2.text': '',
    'q2.explanation': unreadable,
    'q2.option': ['True', 'False'],
    'q2.truth': '0',
  };
  expect(await errorsOf(values)).toEqual([
    'title',
    'q1.answers',
    'q2.text',
    'q1.text',
    'q1.answer.1',
    'q2.explanation',
  ]);
  // A formula that is too long is one error of its field.
  const long = { 'q1.format': 'markdown', 'q1.text': `$${'x'.repeat(20_000)}$` };
  expect(await errorsOf({ question: 'q1', ...long })).toEqual(['q1.text', 'q1.answers']);
});

test('texts that are longer than allowed are not rendered: their formulas would take seconds', async () => {
  const long = `$${'x+y+'.repeat(247)}x$ `.repeat(100);
  // Rendered, the texts of each question take a second.
  const names = Array.from({ length: 10 }, (_, at) => `q${at + 1}`);
  const values = names.map((name) => ({
    [`${name}.type`]: 'MULTIPLE_CHOICE',
    [`${name}.difficulty`]: 'EASY',
    [`${name}.format`]: 'markdown',
    [`${name}.text`]: long,
    [`${name}.explanation`]: long,
    [`${name}.answer`]: [long, `${long}x`],
    [`${name}.right`]: '0',
  }));
  const start = process.cpuUsage();
  expect(await errorsOf(Object.assign({ question: names }, ...values))).toEqual(
    names.flatMap((name) => [
      `${name}.text`,
      `${name}.explanation`,
      `${name}.answer.0`,
      `${name}.answer.1`,
    ]),
  );
  const { user } = process.cpuUsage(start);
  expect(user / 1000).toBeLessThan(1_000);
});

test('a question with thousands of answers gets no further one', () => {
  const answers = Array<string>(20 * MANY).fill('x');
  const form = restructured(
    new Form({ ...question, 'q1.answer': answers, 'q1.right': answers, then: 'answer q1' }),
  );
  expect(form?.all('q1.answer')).toHaveLength(60);
});
