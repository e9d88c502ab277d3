import { htmlToText } from './html-text';

/** Texts of Moodle and QTI. */

const pictureOf = (src: string) => `media:${src}`;

test.each([
  [
    'See https://a.example/Foo_bar_(x)?a=1&amp;b_c=*2*. Or www.a.example/x_y',
    'See <https://a.example/Foo_bar_(x)?a=1&amp;b_c=*2>\\*. Or www\\.a.example/x\\_y',
  ],
  ['<a href="https://a.example/x_y">https://a.example/x_y</a>', '<https://a.example/x_y>'],
  ['5*3 <img src="1" alt="a_b"> *is*<br>- x', '5\\*3 ![a\\_b](media:1) \\*is\\*\n\n\\- x'],
  ['<p>a</p><p>b<img src="1"></p>', 'a\n\nb![](media:1)'],
])(
  'the HTML %j with a picture becomes Markdown that shows its signs and addresses',
  (html, text) => {
    expect(htmlToText(html, pictureOf).text).toBe(text);
  },
);

test.each([
  ['See https://a.example/Foo_bar?a=1&amp;b=2', 'See https://a.example/Foo_bar?a=1&b=2'],
  ['<p>a *b* &lt; c </p> <p>d<br>e', 'a *b* < c\nd\ne'],
  ['<td>a</td><td>b', 'a b'],
])('the HTML %j is read as plain text', (html, text) => {
  expect(htmlToText(html).text).toBe(text);
});
