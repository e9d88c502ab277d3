import { parseUrl } from './parse-url';

describe('a URL', () => {
  it('is read alike however often it was read before', () => {
    let read = 0;
    for (let times = 0; times < 100_000; times++)
      if (parseUrl('https://bücher.example.com/ü')) read++;
    expect(read).toBe(100_000);
  });
  it.each(['', 'example.com', 'https://', 'https://a b/'])('is not %j', (text) => {
    expect(parseUrl(text)).toBeNull();
  });
});
