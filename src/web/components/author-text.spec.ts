import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { AuthorText } from './author-text';

const html = (text: string, links = true) => render(h(AuthorText, { text, links }));

describe('texts of authors', () => {
  it.each([
    [
      'plain * text * with **stars**, $maths$ and <b>tags</b>',
      'plain * text * with **stars**, $maths$ and &lt;b>tags&lt;/b>',
    ],
    ['What does `a <b> c` print?', 'What does <code class="code">a &lt;b> c</code> print?'],
    [
      '```python\nif x:\n    print(1)\n```',
      '<code class="code code-block">if x:\n    print(1)</code>',
    ],
    ['Look:\n```\na\n\n  b\n```\nand?', 'Look:<code class="code code-block">a\n\n  b</code>and?'],
    [
      'As browsers send it:\r\n```\r\na\r\nb\r\n```',
      'As browsers send it:<code class="code code-block">a\r\nb</code>',
    ],
    ['one ` alone, ``` too', 'one ` alone, ``` too'],
    ['`over\nlines`', '`over\nlines`'],
    ['`https://example.com`', '<code class="code">https://example.com</code>'],
  ])('%j keeps its code', (text, expected) => expect(html(text)).toBe(expected));

  const link = (url: string) =>
    `<a class="link" href="${url}" target="_blank" rel="noopener nofollow ugc">${url}</a>`;
  it.each<[string, string]>([
    ['See https://example.com/a?b=1#c.', `See ${link('https://example.com/a?b=1#c')}.`],
    ['(http://example.com)', `(${link('http://example.com')})`],
    ['https://en.wikipedia.org/wiki/Po_(river)', link('https://en.wikipedia.org/wiki/Po_(river)')],
    ['HTTPS://EXAMPLE.COM!', `${link('HTTPS://EXAMPLE.COM')}!`],
    ['https://x"onclick=alert(1)', `${link('https://x')}&quot;onclick=alert(1)`],
    ...[
      'javascript:alert(1)',
      'ftp://example.com',
      'www.example.com',
      'https://',
      'xhttp://a.b',
      'data:text/html,x',
      '[a](javascript:b)',
    ].map((text): [string, string] => [text, text]),
  ])('%j has the links that it should have', (text, expected) => expect(html(text)).toBe(expected));

  it('links are only made where they are wanted', () =>
    expect(html('https://example.com', false)).toBe('https://example.com'));

  it.each(['`', '``', '```', '```\n', '`a', 'http://', 'https://)', 'https://(', '```a\n`b`'])(
    'a text of nothing but %j is read in linear time',
    (part) => {
      // Quadratic time would be 10^11 steps.
      const text = part.repeat(300_000 / part.length);
      expect(html(text).length).toBeGreaterThan(text.length / 8);
    },
  );
});
