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

test.each([
  ['10<sup>2</sup> and 10<sup>-3</sup>', '10² and 10⁻³'],
  ['H<sub>2</sub>O', 'H₂O'],
  ['SO<sub>4</sub><sup>2-</sup>', 'SO₄²⁻'],
  ['x<sup>n + 1 </sup>is', 'xⁿ⁺¹ is'],
  ['<p>10<sup><strong></strong><i></i>2</sup>', '10²'],
])('the raised and lowered characters of %j are kept', (html, text) => {
  expect(htmlToText(html).text).toBe(text);
});

test.each([
  ['the 4<sup>th</sup> of July', 'the 4th of July', '<sup>'],
  ['x<sub>max</sub>', 'xmax', '<sub>'],
  ['10<sup><br>2</sup>', '10\n2', '<sup>'],
])('of %j a note says that text cannot express it', (html, text, tag) => {
  expect(htmlToText(html)).toEqual({ text, notes: [`Formatting is not kept (${tag}).`] });
});

test('a picture in raised text is kept, with a note', () => {
  const read = htmlToText('a<sup><img src="1"></sup>', pictureOf);
  expect(read).toEqual({ text: 'a![](media:1)', notes: ['Formatting is not kept (<sup>).'] });
});
