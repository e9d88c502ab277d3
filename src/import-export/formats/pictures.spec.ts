import { decodeHTML } from 'entities';
import { choices } from '../../../test/support/choices';
import { RICH_QUIZ } from '../../../test/support/rich-quiz';
import { renderMarkdown } from '../../platform/markdown/markdown';
import {
  embeddedIn,
  plainAsMarkdown,
  replaceEmbedded,
  textsOfQuestion,
  withEmbedded,
} from './pictures';

/** The pictures of questions in files, and plain texts that become Markdown with them. */

it('finds every picture that an export has embedded', () => {
  for (const question of RICH_QUIZ.questions.filter(({ format }) => format === 'markdown')) {
    const texts = textsOfQuestion(question);
    const embedded = textsOfQuestion(withEmbedded(question, RICH_QUIZ.pictures));
    const [id = ''] = RICH_QUIZ.pictures?.keys() ?? [];
    expect(embedded.map((text) => replaceEmbedded(text, () => `media:${id}`))).toEqual(texts);
    expect(embedded.filter((text) => text.includes('data:')).flatMap(embeddedIn)).toHaveLength(
      texts.filter((text) => renderMarkdown(text, { picture: seen }).html.includes('<img')).length,
    );
  }
});

const seen = () => ({ url: '/', width: 1, height: 1 });

it.each([
  ['![a](data:image/png;base64,AA\r\n BB=\n)', 'AA\r\n BB='],
  ['![a](data:image/png;base64,AA\n"Title")', 'AA'],
  ['![a][1]\n\n[1]: data:image/png;base64,AA\nWhich', 'AA'],
  ['> ![a](\n> <data:image/png;base64,AA>)', 'AA'],
])('%j has one picture', (text, base64) => {
  expect(embeddedIn(text)).toEqual([`data:image/png;base64,${base64}`]);
});

it.each(['What is `<img src="data:image/png;base64,AAAA">`?', 'data:image/png;base64,AAAA'])(
  '%j has none, and stays as it is',
  (text) => {
    expect(embeddedIn(text)).toEqual([]);
    expect(replaceEmbedded(text, () => '')).toBe(text);
  },
);

it('a picture whose Base64 begins like that of another is replaced for itself', () => {
  const [short, long] = ['data:image/png;base64,AAAA', 'data:image/png;base64,AAAABBBB'];
  const changed = replaceEmbedded(`![a](${short}) ![b](${long})`, (url) =>
    url === short ? 'media:1' : 'media:2',
  );
  expect(changed).toBe('![a](media:1) ![b](media:2)');
});

it.each([
  '![a](data:image/png;base64,A',
  '](',
  '![a](data:image/png;base64,A data:image/png;base64,',
  ' ',
])('reads a hostile text of many %j in one pass', (part) => {
  const text = `](${part.repeat(2_000_000 / part.length)}\n](${' '.repeat(1_000_000)}x`;
  const start = process.cpuUsage();
  embeddedIn(text);
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(2_000);
});

/** What a reader sees of Markdown. */
const shown = (markdown: string): string =>
  decodeHTML(
    renderMarkdown(markdown)
      .html.replaceAll('</p><p>', '\n\n')
      .replaceAll('<br>', '\n')
      .replace(/<\/?p>/g, ''),
  );

it.each([
  'One line\nand another\n\nand a paragraph',
  'a\n\n\n\nb',
  'Price\n===',
  'Price\n  ---',
  'a | b\n:-- | --:',
  'a\n:--',
  'Code:\n\n    x = 1\n\tif x:\n  y',
  'See https://a.b/c_d*e~f?x=1&copy=2$, (https://a.b/_x_). And http://a.b/** *c*',
  'www.a.b/x_y_z, ftp://a.b/x_y_z, a_b@c.de',
  '# 1\n- 2\n+ 3\n* 4\n5. 6\n7) 8\n> 9\n~~~\n```\n| 1 |\n[a]: b\n',
  '<b>*a* _b_ **c** ~~d~~ `e` [f](g) ![h](i) $x$ $$y$$ &amp; &#32; \\ \\* \\n',
  'a\\\nb\\',
  'a *b\nc* d',
])('plain text as Markdown shows %j', (text) => {
  expect(shown(plainAsMarkdown(text.trim()))).toBe(text.trim());
});

it.each([
  ['https://a.b/Mercury_(planet)', '<https://a.b/Mercury_(planet)>'],
  ['(https://a.b/Mercury_(planet)).', '(<https://a.b/Mercury_(planet)>).'],
  ['(https://a.b/c_d)', '(<https://a.b/c_d>)'],
  ['https://a.b/(c)/d_(e', '<https://a.b/(c)/d_(e>'],
])('an address of plain text ends with a ) only if it has its (: %s', (text, markdown) => {
  expect(plainAsMarkdown(text)).toBe(markdown);
});

it.each(['(', '()', '(.', ').'])('reads an address of many %j in one pass', (part) => {
  const start = process.cpuUsage();
  plainAsMarkdown(`https://${part.repeat(500_000)}`);
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(2_000);
});

it('plain text as Markdown shows any signs', () => {
  const signs = [
    'a',
    '1',
    ' ',
    '\n',
    '\t',
    ...'\\`*_{}[]<>$|~&#+-=:.)(!"\'^@/;',
    'http://',
    'www.',
    '&lt;',
  ];
  const random = choices(1);
  for (let round = 0; round < 3_000; round++) {
    const words = Array.from({ length: 12 }, () => random.of(signs)).join('');
    const text = words.replace(/[ \t]+(?=\n)/g, '').trim();
    expect([text, shown(plainAsMarkdown(text))]).toEqual([text, text]);
  }
});
