import { SumsChange } from './sums.rules';

const choice = {
  id: 'q',
  text: 'Which?',
  type: 'MULTIPLE_CHOICE' as const,
  answers: ['a', 'b', 'c'].map((id) => ({ id, text: id, isCorrect: id === 'a' })),
};

test('a change of sums that takes away what it adds is empty', () => {
  const change = new SumsChange();
  const given = [{ questionId: 'q', answerIds: ['a'], text: null, isCorrect: true }];
  change.count(1, [choice], given, 7);
  expect(change.scores).toEqual([{ total: 1, score: 1, attempts: 1, seconds: 7 }]);
  expect(change.questions).toMatchObject([{ chosen: '0', rest: 0, isCorrect: true, attempts: 1 }]);
  change.count(-1, [choice], given, 7);
  expect([change.scores, change.questions]).toEqual([[], []]);
});
