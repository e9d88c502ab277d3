import { containing, Parameters } from './sql';

describe('SQL parameters', () => {
  it('SQL parameters are numbered in the order they are added', () => {
    const sql = new Parameters();
    expect([sql.add('a'), sql.add(null), sql.add('a')]).toEqual(['$1', '$2', '$3']);
    expect(sql.values).toEqual(['a', null, 'a']);
  });
});

describe('SQL patterns', () => {
  it('a LIKE pattern escapes every wildcard of the text', () => {
    expect(containing(String.raw`100%_\ `)).toBe(String.raw`%100\%\_\\ %`);
  });
});
