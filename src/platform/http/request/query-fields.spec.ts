import { listItems } from './query-fields';

describe('list parameters', () => {
  it('a list parameter is split at commas and trimmed', () => {
    expect(listItems(' a, b ,c')).toEqual(['a', 'b', 'c']);
  });

  it('a list parameter keeps blank items', () => {
    expect(listItems('a,,b,')).toEqual(['a', '', 'b', '']);
  });

  it('an absent list parameter is empty', () => {
    expect(listItems(undefined)).toEqual([]);
    expect(listItems('')).toEqual([]);
    expect(listItems(['', ''])).toEqual([]);
  });

  it('a repeated list parameter is joined', () => {
    expect(listItems(['a,b', 'c'])).toEqual(['a', 'b', 'c']);
  });
});
