import { parseUrl } from './url.rules';

describe('parsing a URL', () => {
  it('a URL is parsed the same way every time', () => {
    let read = 0;
    for (let times = 0; times < 100_000; times++)
      if (parseUrl('https://bücher.example.com/ü')) read++;
    expect(read).toBe(100_000);
  });
  it.each(['', 'example.com', 'https://', 'https://a b/'])('%j is not a URL', (text) => {
    expect(parseUrl(text)).toBeNull();
  });
});
