import { Marked } from 'marked';
import { choices } from '../../../../test/support/choices';
import { RICH_QUIZ } from '../../../../test/support/rich-quiz';
import { exported, questions, rowsOf } from '../../../../test/support/rows';
import { inert, withoutJoiners } from './inert-markdown';

const MARKDOWN_FILES = ['markdown', 'gift', 'moodle-xml'] as const;

const [plain] = RICH_QUIZ.questions;
const inMarkdown = { ...plain!, format: 'markdown' as const };
const quizOf = (question: typeof inMarkdown) => ({ ...RICH_QUIZ, questions: [question] });

const HOSTILE = {
  ...inMarkdown,
  text: 'Read <img src=x onerror=alert(1)> and [this](javascript:alert(2)), or `<b>`\n\n    <b>',
  explanation: '[a][b] <!-- x -->\n\n[b]: <javascript:alert(3)>',
  answers: [
    { text: '<script>alert(4)</script>', isCorrect: true },
    { text: '[x](https://a.example/){onclick=alert}', isCorrect: false },
  ],
};

/** What other programs see: Moodle XML without its instructions, and its entities decoded. */
const seen = (file: string): string =>
  file
    .replace(/<\?quiz .*?\?>|^\/\/ \{.*$|^<!-- \{.*$/gm, '')
    .replace(/^.*<name>.*$/gm, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('\\:', ':')
    .replaceAll('\\=', '=')
    .replaceAll('\\{', '{');

describe('a question in Markdown with HTML and links that run scripts', () => {
  it.each(MARKDOWN_FILES)('has none of them in %s, and is read again unchanged', async (format) => {
    const file = (await exported(quizOf(HOSTILE), format)).toString();
    expect(seen(file)).toContain('Read <\u2060img src');
    expect(seen(file)).not.toMatch(/<(?:img|script|b>|!--|javascript)|[\])]\(java|\{on|\]: <java/);
    expect(questions(await rowsOf(file)).map(({ question }) => question)).toEqual([HOSTILE]);
  });

  it.each(MARKDOWN_FILES)('keeps its texts when %s is read without comments', async (format) => {
    const file = (await exported(quizOf(HOSTILE), format)).toString();
    const marked = file.replace(/^ *(?:<\?quiz|\/\/|<!--) \{(?!"quiz").*$/gm, (hint) =>
      format === 'markdown' ? hint.replace(/\{.*\}/, '{"format":"markdown"}') : '',
    );
    expect(marked).not.toBe(file);
    const [row] = questions(await rowsOf(marked, format));
    const { text, explanation, answers } = row!.question;
    expect({ ...HOSTILE, text, explanation, answers }).toEqual(HOSTILE);
  });

  it.each(MARKDOWN_FILES)(
    'has the author’s own word joiners and pictures after %s',
    async (format) => {
      const random = choices(2);
      const signs = [
        ...['<', 'b>', ']', '(', ':', '{', 'on=', '\u2060', '`', '[a', 'java', '/', ' x '],
        '![a](https://a.example/b.png)',
      ];
      for (let round = 0; round < 200; round++) {
        const text = `x ${Array.from({ length: 9 }, () => random.of(signs)).join('')} y`;
        const question = { ...inMarkdown, text };
        const file = await exported(quizOf(question), format);
        expect(questions(await rowsOf(file, format))[0]?.question).toEqual(question);
      }
    },
  );

  it.each(['gift', 'moodle-xml'] as const)(
    'has typed answers in %s as they are typed',
    async (format) => {
      const type = 'OPEN_ENDED' as const;
      const question = { ...inMarkdown, type, answers: [{ text: '<b>', isCorrect: true }] };
      const file = (await exported(quizOf(question), format)).toString();
      expect(seen(file)).toMatch(/=<b>$|<text><b><\/text>/m);
    },
  );
});

it('a question in plain text is exported as it is', () => {
  expect(inert('<b> [a](javascript:x)', 'plain')).toBe('<b> [a](javascript:x)');
  expect(withoutJoiners('<\u2060b>', undefined)).toBe('<\u2060b>');
});

it.each([
  '`a < b`, `a<1` and a <= b',
  '<https://a.example/b?c=d&e>',
  '[a](https://a.example "b"), [c]( <http://a.example> ) and [d](#e), [f](/g), [h](i.html)',
  '[a][b]\n\n[b]: https://a.example\n[c]:\n  <https://a.example>',
  '![a](media:0192f0c4-aaaa-7bbb-8ccc-0123456789ab "b") ![a](<media:x>)',
  '![a](data:image/png;base64,AA==)\n\n[c]: <data:image/png;base64,AA==>',
  '`handlers[i](event, {a: 1})`, `x[1:]:`, `for k in d[0]: y`, `int[]`',
  String.raw`$\sum_{i=1}^n x$, \{on\}`,
])('%j stays as it is', (text) => {
  expect(inert(text, 'markdown')).toBe(text);
});

it.each([
  ['<b>', '<_b>'],
  ['</b>', '<_/b>'],
  ['<!DOCTYPE html>', '<_!DOCTYPE html>'],
  ['<?php ?>', '<_?php ?>'],
  ['<https://a.example/ onclick=x>', '<_https://a.example/ onclick=x>'],
  ['<https://a.example/`>', '<_https://a.example/`>'],
  // PHP Markdown Extra keeps what is between "<1 " and ">".
  ['<1 <https://a.example/onclick=x>', '<1 <_https://a.example/onclick=x>'],
  ['<1 <https://onclick=x>', '<1 <_https://onclick=x>'],
  ['[a](JAVASCRIPT:x)', '[a]_(JAVASCRIPT:x)'],
  ['[a](&#106;avascript:x)', '[a]_(&#106;avascript:x)'],
  ['[a](javascript&colon;x)', '[a]_(javascript&colon;x)'],
  [String.raw`[a](javascript\:x)`, String.raw`[a]_(javascript\:x)`],
  ['[a](\n javascript:x)', '[a]_(\n javascript:x)'],
  ['[a](<java\nscript:x>)', '[a]_(<_java\nscript:x>)'],
  [`[a](<${'\t'.repeat(50)}javascript:x>)`, `[a]_(<${'\t'.repeat(50)}javascript:x>)`],
  ['[a](mailto:a@b.example)', '[a]_(mailto:a@b.example)'],
  ['[a]: javascript:x', '[a]_: javascript:x'],
  // PHP Markdown Extra.
  ['[a] : javascript:x', '[a]_ : javascript:x'],
  ['[a](https://b.example){.c onclick=d}', '[a](https://b.example){_.c onclick=d}'],
])('%j becomes %j', (text, expected) => {
  const written = inert(text, 'markdown');
  expect(written.replaceAll('\u2060', '_')).toBe(expected);
  expect(withoutJoiners(written, 'markdown')).toBe(text);
});

/** A program of which nothing is known but that it is not ours. */
it('no text has a tag or a scheme that another program would execute', () => {
  const signs = [
    ...['<', '>', 'img', ' onerror=x', '/', '!', '[a]', '[', ']', '(', ')', ':', 'javascript:'],
    ...['`', '``', '\\', '\n', '\n\n', '    ', '```\n', '~~~', '- ', '> ', '"', "'", 'https://a'],
    // Loose signs hardly ever form a link.
    ...[
      '[a](javascript:x)',
      '](javascript:x)',
      ']: javascript:x\n',
      '[b]\n\n[b]: <javascript:x>\n',
    ],
  ];
  const other = new Marked();
  const random = choices(3);
  for (let round = 0; round < 5_000; round++) {
    const text = Array.from({ length: 12 }, () => random.of(signs)).join('');
    const html = other.parse(inert(text, 'markdown')) as string;
    expect([text, html]).toEqual([text, expect.not.stringMatching(/<img|<!|="javascript:/i)]);
  }
});
