import { list } from './query-fields';

describe('list parameters', () => {
  it('a list parameter is split at commas and trimmed', () => {
    expect(list(' a, b ,c')).toEqual(['a', 'b', 'c']);
  });

  it('a list parameter keeps blank items', () => {
    expect(list('a,,b,')).toEqual(['a', '', 'b', '']);
  });

  it('an absent list parameter is empty', () => {
    expect(list(undefined)).toEqual([]);
    expect(list('')).toEqual([]);
    expect(list(['', ''])).toEqual([]);
  });

  it('a repeated list parameter is joined', () => {
    expect(list(['a,b', 'c'])).toEqual(['a', 'b', 'c']);
  });
});
