import fc from 'fast-check';
import { isPermutation, movedBy } from './question.rules';

const ids = ['a', 'b', 'c'];

test.each([
  [['c', 'a', 'b'], true],
  [['a', 'b', 'c'], true],
  [['a', 'b'], false],
  [['a', 'b', 'c', 'd'], false],
  [['a', 'b', 'b'], false],
  [['a', 'b', 'd'], false],
  [[], false],
])('%j is a permutation of a, b, c: %s', (order, is) => {
  expect(isPermutation(order, ids)).toBe(is);
});

test.each([
  ['a', 'down', ['b', 'a', 'c']],
  ['c', 'up', ['a', 'c', 'b']],
  ['a', 'up', ids],
  ['c', 'down', ids],
  ['x', 'up', ids],
  ['a', 2, ['b', 'c', 'a']],
  ['c', 0, ['c', 'a', 'b']],
  ['b', 1, ids],
  ['a', 99, ['b', 'c', 'a']],
  ['x', 0, ids],
] as const)('the question %s moved %s gives the order %j', (id, by, order) => {
  expect(movedBy(ids, id, by)).toEqual(order);
});

test('any series of moves keeps a permutation', () => {
  const move = fc.tuple(fc.constantFrom(...ids), fc.constantFrom('up' as const, 'down' as const));
  fc.assert(
    fc.property(fc.array(move), (moves) => {
      const order = moves.reduce((now, [id, by]) => movedBy(now, id, by), [...ids]);
      expect(isPermutation(order, ids)).toBe(true);
    }),
  );
});
