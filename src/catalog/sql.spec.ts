import { containing, Parameters } from './sql';

describe('Parameters', () => {
  it('numbers values in the order in which they are added', () => {
    const sql = new Parameters();
    expect([sql.add('a'), sql.add(null), sql.add('a')]).toEqual(['$1', '$2', '$3']);
    expect(sql.values).toEqual(['a', null, 'a']);
  });
});

describe('containing', () => {
  it('makes every character of the text an ordinary one', () => {
    expect(containing(String.raw`100%_\ `)).toBe(String.raw`%100\%\_\\ %`);
  });
});
