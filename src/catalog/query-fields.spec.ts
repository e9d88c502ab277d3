import { list } from './query-fields';

describe('list', () => {
  it('splits at commas and trims', () => {
    expect(list(' a, b ,c')).toEqual(['a', 'b', 'c']);
  });

  it('keeps blank items, so that a rule may refuse them', () => {
    expect(list('a,,b,')).toEqual(['a', '', 'b', '']);
  });

  it('is empty where nothing was given', () => {
    expect(list(undefined)).toEqual([]);
    expect(list('')).toEqual([]);
    expect(list(['', ''])).toEqual([]);
  });

  it('joins what was given several times', () => {
    expect(list(['a,b', 'c'])).toEqual(['a', 'b', 'c']);
  });
});
