import { RICH_QUIZ } from '../../../test/support/rich-quiz';
import { renderMarkdown } from '../../platform/markdown/markdown';
import { embeddedIn, replaceEmbedded, textsOf, withEmbedded } from './pictures';

/** The pictures of questions in files. */

it('finds every picture that an export has embedded', () => {
  for (const question of RICH_QUIZ.questions.filter(({ format }) => format === 'markdown')) {
    const texts = textsOf(question);
    const embedded = textsOf(withEmbedded(question, RICH_QUIZ.pictures));
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
  const begin = performance.now();
  embeddedIn(text);
  expect(performance.now() - begin).toBeLessThan(2_000);
});
