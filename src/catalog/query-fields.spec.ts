import { fold } from '../platform/text.rules';
import { list, names } from './query-fields';

describe('list', () => {
  it('splits at commas and trims', () => {
    expect(list(' a, b ,c')).toEqual(['a', 'b', 'c']);
  });

  it('keeps blank items, so that a rule may refuse them', () => {
    expect(list('a,,b,')).toEqual(['a', '', 'b', '']);
  });

  it('is empty where nothing was given', () => {
    expect(list(undefined)).toEqual([]);
  });
});

describe('names', () => {
  it('drops blank items', () => {
    expect(names(' , a,, ', fold)).toEqual(['a']);
    expect(names('', fold)).toEqual([]);
  });

  it('drops repetitions that differ in case or composition only', () => {
    expect(names('Café,CAFE\u0301,café,tea', fold)).toEqual(['caf\u00e9', 'tea']);
  });
});
