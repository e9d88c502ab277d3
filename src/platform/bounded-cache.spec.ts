import { BoundedCache } from './bounded-cache';

describe('BoundedCache', () => {
  it('drops the values used longest ago when all together are too large', () => {
    const cache = new BoundedCache<string>(10);
    cache.set('a', 'A', 4);
    cache.set('b', 'B', 4);
    expect(cache.get('a')).toBe('A');
    cache.set('c', 'C', 4);
    expect(cache.get('b')).toBeUndefined();
    expect([cache.get('a'), cache.get('c'), cache.size]).toEqual(['A', 'C', 8]);
  });

  it('counts a key that is stored again once', () => {
    const cache = new BoundedCache<string>(10);
    for (let times = 0; times < 5; times++) cache.set('a', 'A', 4);
    expect([cache.get('a'), cache.size]).toEqual(['A', 4]);
  });

  it('keeps no value that is larger than the cache, and drops no other for it', () => {
    const cache = new BoundedCache<string>(10);
    cache.set('a', 'A', 4);
    cache.set('b', 'B', 11);
    expect([cache.get('a'), cache.get('b'), cache.size]).toEqual(['A', undefined, 4]);
    cache.set('a', 'larger A', 11);
    expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
  });
});
