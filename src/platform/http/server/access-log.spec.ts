import fc from 'fast-check';
import { withoutKeys } from './access-log';

const KEY = 'svc_test_0123456789ABCDEFGHIJKLMNOPQRSTUVabcdef';

/** The text with every character percent-encoded `times` times where `chosen` says so. */
const encode = (text: string, chosen: boolean[], times = 1): string =>
  [...text]
    .map((letter, index) => {
      if (!chosen[index % chosen.length]) return letter;
      const hex = letter.charCodeAt(0).toString(16);
      return `%${'25'.repeat(times - 1)}${hex}`;
    })
    .join('');

describe('the URL in the log', () => {
  it.each([
    ['/api/v1/quizzes?limit=5&topic=a%20b', '/api/v1/quizzes?limit=5&topic=a%20b'],
    ['/', '/'],
    ['/in?next=%2Fquizzes%3Fq%3Dtoken', '/in?next=%2Fquizzes%3Fq%3Dtoken'],
    ['/api/v1/questions?', '/api/v1/questions?'],
    ['/api/v1/quizzes/%zz?x=%ff&&=', '/api/v1/quizzes/%zz?x=%ff&&='],
    ['/api/v1/quizzes?tags=monkey,keyboard', '/api/v1/quizzes?tags=monkey,keyboard'],
  ])('the access log keeps the URL %s', (url, logged) => expect(withoutKeys(url)).toBe(logged));

  it.each([
    [`/q?api_key=${KEY}&limit=5`, '/q?api_key=[redacted]&limit=5'],
    [`/q?limit=5&apiKey=${KEY}`, '/q?limit=5&apiKey=[redacted]'],
    ['/q?api_key=hunter2', '/q?api_key=[redacted]'],
    ['/in?next=%2Fset-up%3Ftoken%3D123.abc&lang=de', '/in?[redacted]&lang=de'],
    ['/in?next=/set-up%253Fa%253D1%2526token%253D123.abc', '/in?[redacted]'],
    ['/in?next=/set-up?token=123.abc', '/in?[redacted]'],
    ['/q?APIKEY=hunter2', '/q?APIKEY=[redacted]'],
    ['/q?api-key=hunter2', '/q?api-key=[redacted]'],
    ['/q?%61pi%5Fkey=hunter2', '/q?%61pi%5Fkey=[redacted]'],
    ['/q?api_key[]=hunter2&api_key[a]=b', '/q?api_key[]=[redacted]&api_key[a]=[redacted]'],
    ['/q?api_key=hunter2=hunter2', '/q?api_key=[redacted]'],
    ['/q?a?api_key=hunter2', '/q?a?api_key=[redacted]'],
    ['/q?access_token=hunter2', '/q?access_token=[redacted]'],
    [`/q?key=${KEY}`, '/q?[redacted]'],
    [`/q?${KEY}`, '/q?[redacted]'],
    [`/api/v1/quizzes/${KEY}/questions`, '/api/v1/quizzes/[redacted]/questions'],
    [`/${KEY}`, '/[redacted]'],
    ['/svc%5flive%5fabc', '/[redacted]'],
    ['/%73vc_test_abc', '/[redacted]'],
    ['/%2573vc_test_abc', '/[redacted]'],
    ['/play/~0123456789_-ABCDEFghij/x', '/play/[redacted]/x'],
    ['/play/%7e0123456789_-ABCDEFghij', '/play/[redacted]'],
  ])('the access log hides the key in %s', (url, logged) => expect(withoutKeys(url)).toBe(logged));

  it('the access log hides a key at any place and in any encoding', () => {
    const place = fc.constantFrom('/?api_key=@', '/?apiKey=@&x', '/@', '/a/@/b?c', '/?x=@', '/?@');
    const chosen = fc.array(fc.boolean(), { minLength: 1, maxLength: 47 });
    fc.assert(
      fc.property(place, chosen, fc.integer({ min: 1, max: 3 }), (at, which, times) => {
        const logged = withoutKeys(at.replace('@', encode(KEY, which, times)));
        const decoded = decodeURIComponent(decodeURIComponent(decodeURIComponent(logged)));
        for (const part of [KEY.slice(9, 13), KEY.slice(-4)]) expect(decoded).not.toContain(part);
      }),
    );
  });

  it('a long URL is truncated in the access log without revealing a key', () => {
    const long = withoutKeys(`/${'a'.repeat(1_970)}?api_key=${KEY}${'b'.repeat(9_000)}`);
    expect(long.length).toBeLessThan(2_100);
    expect(long).not.toContain(KEY.slice(9, 14));
    for (const sign of ['~', '%7E'])
      expect(withoutKeys(`/${'a'.repeat(1_980)}/${sign}0123456789_-ABCDEFghij`)).not.toContain(
        '0123',
      );
  });

  it('nested encodings and repeated names in a URL cost the access log no extra work', () => {
    const start = process.cpuUsage();
    withoutKeys(`/?x=%${'25'.repeat(8_000)}`);
    for (let time = 0; time < 20; time++)
      withoutKeys(`/${'?'.repeat(1_000)}${'token'.repeat(199)}`);
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(250);
  });
});
