import type { StoredAnswer } from '../../catalog/vocabulary';
import { keepAnswerIds } from './question.rules';

const before = [
  { id: '1', text: 'The Danube', isCorrect: true },
  { id: '2', text: 'The Rhine', isCorrect: false },
];
const right = (text: string) => ({ text, isCorrect: true });
const wrong = (text: string) => ({ text, isCorrect: false });
const keep = (stored: StoredAnswer[], ...edited: Omit<StoredAnswer, 'id'>[]) =>
  keepAnswerIds(
    stored,
    edited.map((answer, index) => ({ ...answer, id: `n${index + 1}` })),
  );

test('an answer keeps its id when its position, case or correctness changes', () => {
  expect(keep(before, right('the rhine'), wrong('The Danube'))).toEqual([
    { id: '2', text: 'the rhine', isCorrect: true },
    { id: '1', text: 'The Danube', isCorrect: false },
  ]);
});

test('answers that differ only in case keep their own ids, in any order', () => {
  const cased = [
    { id: '1', text: 'CO', isCorrect: true },
    { id: '2', text: 'Co', isCorrect: false },
  ];
  const ids = (...texts: string[]) => keep(cased, ...texts.map(right)).map(({ id }) => id);
  expect(ids('Co', 'CO')).toEqual(['2', '1']);
  expect(ids('co', 'CO', 'Co')).toEqual(['n1', '1', '2']);
  expect(ids('CO', 'co')).toEqual(['1', '2']);
  expect(new Set(ids('co', 'cO', 'C0')).size).toBe(3);
});

test('an answer with another text gets a new id', () => {
  const edited = keep(before, right('The Danube'), wrong('The Elbe'));
  expect(edited.map(({ id }) => id)).toEqual(['1', 'n2']);
});
