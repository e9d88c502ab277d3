import { containing } from './filters.queries';

describe('SQL patterns', () => {
  it('a LIKE pattern escapes every wildcard of the text', () => {
    expect(containing(String.raw`100%_\ `)).toBe(String.raw`%100\%\_\\ %`);
  });
});
