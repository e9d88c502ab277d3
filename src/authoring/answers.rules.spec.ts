import { keepAnswerIds } from './answers.rules';

const before = [
  { id: '1', text: 'The Danube', isCorrect: true },
  { id: '2', text: 'The Rhine', isCorrect: false },
];
const right = (text: string) => ({ text, isCorrect: true });
const wrong = (text: string) => ({ text, isCorrect: false });

test('an answer keeps its id when it moves, changes its case or turns right', () => {
  expect(keepAnswerIds(before, [right('the rhine'), wrong('The Danube')], ['n1', 'n2'])).toEqual([
    { id: '2', text: 'the rhine', isCorrect: true },
    { id: '1', text: 'The Danube', isCorrect: false },
  ]);
});

test('another text is another answer, with an id of its own', () => {
  const edited = keepAnswerIds(before, [right('The Danube'), wrong('The Elbe')], ['n1', 'n2']);
  expect(edited.map(({ id }) => id)).toEqual(['1', 'n2']);
});
