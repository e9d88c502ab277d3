import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from 'htmlparser2';
import { LIMITS } from '../limits/limits';
import { imagesIn, picturesIn, renderMarkdown, showMarkdown, withoutFocus } from './markdown';
import { MarkdownError } from './markdown-error';
import { plainHtml } from './plain-text';

const picture = (id: string) => ({ url: `/media/${id}`, width: 40, height: 30 });
const html = (source: string) => renderMarkdown(source, { links: true, picture }).html;
const refusal = (source: string): string => {
  try {
    return html(source);
  } catch (error) {
    if (!(error instanceof MarkdownError)) throw error;
    return error.message;
  }
};

/** What a player's page may contain of a text: any other element or attribute is a way to run or fetch something. */
const ALLOWED: Record<string, RegExp> = {
  a: /^(?:class|href|target|rel)$/,
  img: /^(?:class|src|width|height|alt|loading|decoding)$/,
  code: /^(?:class|tabindex)$/,
  span: /^(?:class|tabindex)$/,
  div: /^(?:class|tabindex)$/,
  ol: /^start$/,
  p: /^class$/,
  th: /^class$/,
  td: /^class$/,
};
const BARE = /^(?:strong|em|del|br|hr|ul|li|blockquote|table|thead|tbody|tr)$/;
const MATHML =
  /^(?:math|none|m(?:row|i|n|o|text|space|style|padded|phantom|frac|sqrt|root|sub|sup|subsup|under|over|underover|multiscripts|prescripts|table|tr|td))$/;
const MATHML_ATTRIBUTE =
  /^(?:display|displaystyle|scriptlevel|mathvariant|form|fence|separator|stretchy|symmetric|largeop|movablelimits|accent|accentunder|maxsize|minsize|mathsize|linethickness|width|height|depth|lspace|rspace|voffset|class)$/;

/** Every element and attribute of the HTML that is not allowed. */
function dangers(markup: string): string[] {
  const found: string[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      const isMath = MATHML.test(name);
      if (!isMath && !ALLOWED[name] && !BARE.test(name)) found.push(`<${name}>`);
      for (const [attribute, value] of Object.entries(attributes)) {
        const allowed = isMath ? MATHML_ATTRIBUTE : (ALLOWED[name] ?? /^$/);
        if (!allowed.test(attribute)) found.push(`<${name} ${attribute}>`);
        if (attribute === 'href' && !/^https?:\/\//.test(value)) found.push(value);
        if (attribute === 'src' && !/^\/media\/[\w-]+$/.test(value)) found.push(value);
      }
    },
    oncomment: () => found.push('<!-- -->'),
    onprocessinginstruction: (name) => found.push(name),
  });
  parser.end(markup);
  return found;
}

interface Vector {
  kind: string;
  text: string;
}
const CORPUS = JSON.parse(
  readFileSync(join(__dirname, '../../../test/support/xss-vectors.json'), 'utf8'),
) as Vector[];

describe('Markdown', () => {
  it.each([
    [
      'plain **bold** *it* `c<d>`',
      'plain <strong>bold</strong> <em>it</em> <code class="code">c&lt;d&gt;</code>',
    ],
    ['a\n\nb', '<p>a</p><p>b</p>'],
    ['- a\n- b\n  1. c', '<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>'],
    ['- [ ] a\n- [x] b', '<ul><li>☐ a</li><li>☑ b</li></ul>'],
    ['- [ ] a\n\n- [x] b', '<ul><li><p>☐ a</p></li><li><p>☑ b</p></li></ul>'],
    ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
    ['> q', '&gt; q'],
    ['> q\n> r', '<blockquote><p>q\nr</p></blockquote>'],
    ['```js\na<b\n```', '<code class="code code-block">a&lt;b</code>'],
    ['h\n===\nt', '<p class="heading">h</p><p>t</p>'],
    ['a  \nb', 'a<br>b'],
    ['~~d~~ &amp; &#60;', '<del>d</del> &amp; &lt;'],
    ['?a=1&copy=2&lt', '?a=1&amp;copy=2&amp;lt'],
    [
      '[a](https://b.c/?d=1&section=2&amp;e=3)',
      '<a class="link" href="https://b.c/?d=1&amp;section=2&amp;e=3" target="_blank" rel="noopener nofollow ugc">a</a>',
    ],
    [
      '![a&copy=1](media:x1)',
      '<img class="picture" src="/media/x1" width="40" height="30" alt="a&amp;copy=1" loading="lazy" decoding="async">',
    ],
    [
      '![a "b"](media:x1)',
      '<img class="picture" src="/media/x1" width="40" height="30" alt="a &quot;b&quot;" loading="lazy" decoding="async">',
    ],
    ['<b>x</b> <!-- y -->', '&lt;b&gt;x&lt;/b&gt; &lt;!-- y --&gt;'],
    ['[a](javascript:x)', '[a](javascript:x)'],
    [
      '<https://a.b>',
      '<a class="link" href="https://a.b/" target="_blank" rel="noopener nofollow ugc">https://a.b</a>',
    ],
  ])('%j is %j', (source, expected) => expect(html(source)).toBe(expected));

  it.each(['1945.', '# 5', '- 5', '> 3', '1. x', '$5 or $10', 'a $ b $ c', '\\$5', '---'])(
    'the line %j is shown as it is',
    (line) => expect(html(line)).toBe(line.replace('\\', '').replace('>', '&gt;')),
  );

  it.each([
    ['$x^2$', '<math><msup><mi>x</mi><mn>2</mn></msup></math>'],
    ['*a: $x*y$ b*', '<em>a: <math><mrow><mi>x</mi><mo>∗</mo><mi>y</mi></mrow></math> b</em>'],
    [
      '*a: $$x*y$$ b*',
      '<em>a: <span class="formula"><math display="block"><mrow><mi>x</mi><mo>∗</mo><mi>y</mi></mrow></math></span> b</em>',
    ],
    ['`$x$`', '<code class="code">$x$</code>'],
    ['*$5* and **$10**', '<em>$5</em> and <strong>$10</strong>'],
  ])('%j is a formula only where it should be', (source, expected) =>
    expect(html(source)).toBe(expected),
  );

  it('a formula between two dollar signs stands in a line of its own, and a long one can be scrolled by keyboard', () => {
    expect(html('$$\\frac12$$')).toMatch(/^<span class="formula"><math display="block"><mfrac>/);
    expect(html(`$$${'x+'.repeat(30)}y$$`)).toMatch(/^<span class="formula" tabindex="0">/);
  });

  it('without links URLs are shown', () =>
    expect(renderMarkdown('[a](https://b.c/d) <https://e.f/>').html).toBe(
      'a (https://b.c/d) https://e.f/',
    ));

  it('the first paragraph is apart from other blocks, for a heading', () =>
    expect(renderMarkdown('What is **this**?\n\n```\nx\n```')).toEqual({
      html: '<p>What is <strong>this</strong>?</p><code class="code code-block">x</code>',
      lead: 'What is <strong>this</strong>?',
      rest: '<code class="code code-block">x</code>',
      spoken: null,
    }));

  it('escaped signs of an alternative text are read as the signs', () => {
    const source = '![The \\` key \\& a \\<b> \\[c\\] \\\\ &amp; d](media:x) `e`';
    expect(picturesIn(source)).toEqual([{ id: 'x', alt: 'The ` key & a <b> [c] \\ & d' }]);
    expect(imagesIn(source)[0]?.alt).toBe('The ` key & a <b> [c] \\ & d');
  });

  it.each([
    ['It costs $5, `x` and ![a map](media:x)', null],
    ['$\\frac{1}{2}$ & **<b>**, $5', '1/2 & <b>, $5'],
    [
      '![The set \\[0, 1\\]](media:x) of $x<1$ at https://a.b',
      'The set [0, 1] of x < 1 at https://a.b',
    ],
    ['It is\n\n$$x^2$$\n\n- `a`s\n- b\n\n```\nc d\n```', 'It is x² as b c d'],
    ['| a | b |\n|---|---|\n| $1$ | 2 |', 'a b 1 2'],
  ])('%j is spoken as %j', (source, spoken) =>
    expect(renderMarkdown(source, { links: true, picture }).spoken).toBe(spoken),
  );

  it('within a button nothing of a text takes the focus', () => {
    const source = `\`\`\`\n${'x'.repeat(40)} tabindex="0"\n\`\`\`\n\n| a |\n|---|\n| b |\n\n$$${'x+'.repeat(30)}y$$`;
    expect(html(source).match(/ tabindex="0"/g)).toHaveLength(3);
    expect(withoutFocus(html(source))).not.toContain(' tabindex="0"');
    expect(withoutFocus(html(source))).toContain(' tabindex=&quot;0&quot;</code>');
  });

  it('the id of a picture may be in capitals, and a picture that is seen first is not loaded later', () => {
    expect(html('![a](media:X1)')).toContain('src="/media/x1"');
    expect(picturesIn('![a](media:X1)')).toEqual([{ id: 'x1', alt: 'a' }]);
    const eager = new Map([['x1', { ...picture('x1'), isEager: true }]]);
    const lazy = new Map([['x1', picture('x1')]]);
    for (const [pictures, isLazy] of [
      [eager, false],
      [lazy, true],
      [eager, false],
    ] as const)
      expect(showMarkdown('![a](media:X1)', false, pictures).html.includes('loading="lazy"')).toBe(
        isLazy,
      );
  });

  it('a picture that is not stored is its alternative text', () => {
    expect(renderMarkdown('see ![a <map>](media:x)').html).toBe('see a &lt;map&gt;');
    expect(picturesIn('![a](media:x) `![b](media:y)` ![](media:z)')).toEqual([
      { id: 'x', alt: 'a' },
      { id: 'z', alt: '' },
    ]);
  });

  it('reads a row that begins with the name of a command that is refused', () => {
    const { html } = showMarkdown('$\\begin{matrix}abc\\\\def\\end{matrix}$', true, new Map());
    expect(html.match(/<mtr>/g)).toHaveLength(2);
  });

  it('counts the cells of each table by itself', () => {
    const row = `\\begin{matrix}${Array(32).fill('a').join('&')}\\end{matrix}`;
    const column = `\\begin{matrix}${Array(32).fill('b').join('\\\\')}\\end{matrix}`;
    const { html } = showMarkdown(`$${row}${column}$`, true, new Map());
    expect(html.match(/<mtd/g)).toHaveLength(64);
  });

  it.each([
    ['$\\frac{1}$', 'has the formula “\\frac{1}”, which cannot be read'],
    ['$\\href{https://a.b}{c}$', 'which cannot be read (Unsupported function name: \\href)'],
    ['$\\class{a}{b}$', 'which cannot be read (Function "\\class" is not trusted)'],
    ['$\\color{red}x$', 'which sets a colour'],
    ['$\\def\\a{b}\\a$', 'which defines a command'],
    ['$\\verb\\a\\\\def\\x{y}\\x$', 'which uses a command that is not supported'],
    ['$\\verb*\\a\\\\color{red}x$', 'which uses a command that is not supported'],
    ['$\\begin{matrix}a\\\\\\def\\a{b}\\end{matrix}$', 'which defines a command'],
    ['$\\cancelto{0}{x}$', 'which uses a command that is not supported'],
    // A row and a column that are short, and a table that is not.
    [
      `$\\begin{matrix}${'&'.repeat(70)}${'\\\\'.repeat(52)}\\end{matrix}$`,
      'which has more cells than characters',
    ],
    [
      '![a](https://b.c/d.png)',
      'has the image “https://b.c/d.png”, and nothing is fetched from elsewhere',
    ],
    ['![a](data:image/png;base64,xx)', 'nothing is fetched from elsewhere'],
    // Whoever looks for the images of a text would not find these.
    ['![a](media\\:x1)', 'write ![…](media:…)'],
    ['![a](media:x\\-1)', 'write ![…](media:…)'],
  ])('%j is refused with the reason', (source, reason) => {
    expect(refusal(source)).toContain(reason);
    // Stored texts are shown whatever happens to them, and never in part.
    expect(showMarkdown(source, true, new Map()).html).toBe(plainHtml(source, false));
  });

  it('a text beyond a limit is refused with the limit', () => {
    const { formulaText, markdownDepth, markdownHtml, markdownSigns } = LIMITS.content;
    const nested = (levels: number) => `${'> '.repeat(levels)}a\nb`;
    expect(html(nested(markdownDepth.value))).toContain('<blockquote>');
    expect(refusal(nested(markdownDepth.value + 1))).toContain('nested too deeply');
    const list = (levels: number) =>
      Array.from({ length: levels }, (_, level) => `${'  '.repeat(level)}- a`).join('\n');
    expect(html(list(markdownDepth.value))).toContain('<li>a</li>');
    expect(refusal(list(markdownDepth.value + 1))).toContain('nested too deeply');
    const emphasis = (levels: number) =>
      Array.from({ length: levels }, (_, level) => (level % 2 ? '**' : '*')).reduce(
        (inner, sign) => `${sign}a ${inner} a${sign}`,
        'b',
      );
    expect(html(emphasis(markdownDepth.value))).toContain('<em>');
    expect(refusal(emphasis(markdownDepth.value + 1))).toContain('nested too deeply');
    const formula = (length: number) => `$${'1'.repeat(length)}$`;
    expect(html(formula(formulaText.value))).toContain('<mn>');
    expect(refusal(formula(formulaText.value + 1))).toContain('longer than 1000 characters');
    expect(html('*'.repeat(markdownSigns.value))).toContain('*');
    expect(refusal('*'.repeat(markdownSigns.value + 1))).toContain('801 signs of markup');
    const matrix = `$$\\begin{matrix}${'x^x&'.repeat(200)}\\end{matrix}$$`;
    const { length } = html(matrix);
    const most = Math.floor(markdownHtml.value / length);
    expect(html(Array(most).fill(matrix).join('\n\n'))).toContain('<mtd>');
    expect(
      refusal(
        Array(most + 1)
          .fill(matrix)
          .join('\n\n'),
      ),
    ).toContain('too long');
  });

  it('a text of signs only is refused, or rendered in bounded time', () => {
    const signs = [
      '[',
      '*a **b ',
      '_a',
      '![[',
      '`',
      '` ',
      '$a ',
      '<a ',
      '|a',
      '[a](',
      '~~a',
      "$x'",
      ' \n',
    ];
    const others = ['\\', '(', '&', 'a@', 'http://', '$\\frac{', '\t'];
    const long = (part: string) => part.repeat(4000 / part.length);
    for (const part of signs) expect(refusal(long(part))).toContain('signs of markup');
    const start = process.cpuUsage();
    for (const part of others) refusal(long(part));
    const parts = [...signs, ...others];
    for (const part of parts) refusal(part.repeat(LIMITS.content.markdownSigns.value / 3));
    const { user } = process.cpuUsage(start);
    expect(user / 1000 / parts.length).toBeLessThan(200);
  });
});

describe('the corpus of attacks', () => {
  it('has more than two hundred different vectors, of every kind', () => {
    expect(CORPUS.length).toBeGreaterThan(200);
    expect(new Set(CORPUS.map(({ text }) => text)).size).toBe(CORPUS.length);
    const kinds = 'MathML TeX URL Unicode attribute entity image mutation tag';
    expect([...new Set(CORPUS.map(({ kind }) => kind))].sort().join(' ')).toBe(kinds);
    // As HTML, most of them are found to be dangerous.
    expect(CORPUS.filter(({ text }) => dangers(text).length > 0).length).toBeGreaterThan(90);
  });

  it.each(CORPUS.map(({ kind, text }) => [kind, text]))('%s: %j becomes harmless', (_, text) => {
    for (const source of [
      text,
      `before\n\n${text}`,
      `- ${text}\n- b`,
      `**${text}**`,
      `$${text}$`,
    ]) {
      const shown = showMarkdown(source, true, new Map([['x', picture('x')]]));
      expect(dangers(shown.html)).toEqual([]);
      expect(dangers(shown.lead + shown.rest)).toEqual([]);
    }
    expect(dangers(plainHtml(text, true))).toEqual([]);
  });
});
