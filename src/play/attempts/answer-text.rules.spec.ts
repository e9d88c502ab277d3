import fc from 'fast-check';
import { answerKey } from './answer-text.rules';

describe('typed answers that are the same', () => {
  it.each([
    ['Paris', '  pARIS '],
    ['São Paulo', 'sao paulo'],
    ['São Paulo', 'SA\u0303O PAULO'],
    ['Ørsted', 'orsted'],
    ['Straße', 'STRASSE'],
    ['Ὀδυσσεύς', 'ΟΔΥΣΣΕΥΣ'],
    ['Ёлка', 'елка'],
    ['J. K. Rowling', 'jk rowling'],
    ['O’Neill', "O'neill"],
    ['don\u2019t', 'dont'],
    ['AC/DC', 'acdc'],
    ['U.S.A.', 'USA'],
    ['ice cream', 'ice-cream'],
    ['ice cream', 'icecream'],
    ['twenty\u2011one', 'twenty  one'],
    ['COVID-19', 'covid 19'],
    ['“Hamlet”', 'Hamlet.'],
    ['¿Qué?', 'que'],
    ['Ｔｏｋｙｏ', 'tokyo'],
    ['soft\u00adware', 'software'],
    ['3.14', '3,14'],
    ['0.5', '.5'],
    ['-0.5', '−.5'],
    ['1,000,000', '1000000'],
    ['1 000 000', '1000000'],
    ["1'000", '1000'],
    ['1,000.50', '1000.50'],
    ['1914–1918', '1914 - 1918'],
    ['50 %', '50%'],
    ['5 ‰', '5‰'],
    ['–5', '-5'],
    ['‑5', '-5'],
    ['- 5', '-5'],
    ['– 0.5', '-.5'],
    ['– €5', '-€5'],
    ['US-$', 'US $'],
    [' − 5', '-5'],
    ['- ∞', '−∞'],
    ['-Π', '- π'],
    ['- Paris', 'Paris'],
    ['-ing', 'ing'],
    ['-s', 's'],
    ['x = – 5', 'x=-5'],
    ['10^- 2', '10^-2'],
    ['3 / 4', '3/4'],
    ['16 : 9', '16:9'],
    ['16: 9', '16:9'],
    ['“Hamlet” – 1603', 'Hamlet 1603'],
    ['pages 5 – 7', 'pages 5-7'],
    ['Covid – 19', 'covid-19'],
    ['½', '1/2'],
    ['1½', '1 1/2'],
    ['10²', '10^2'],
    ['10⁻²', '10^-2'],
    ['10⁻²', '10^−2'],
    ['10⁺²', '10^+2'],
    ['m s⁻¹', 'm s^-1'],
    ['10²⁻³', '10^2-3'],
    ['Na⁺', 'Na+'],
    ['Cl⁻', 'Cl-'],
    ['Ca²⁺', 'Ca^2+'],
    ['H₂O', 'h2o'],
    ['C ++', 'c++'],
    ['1, 2', '1 2'],
    ['İstanbul', 'istanbul'],
    ['ISPARTA', 'ısparta'],
    ['Þór', 'Thor'],
    ['Hawaiʻi', 'hawai\u2019i'],
    ['Hawaiʻi', 'Hawaii'],
    ['שָׁלוֹם', 'שלום'],
    ['مُحَمَّد', 'محمد'],
    ['مـحـمـد', 'محمد'],
    ['Ελλάδα', 'ΕΛΛΑΔΑ'],
    ['「東京」', '東 京'],
    ['ｶﾀｶﾅ', 'カタカナ'],
    ['한글', '한글'.normalize('NFD')],
    ['٣٫١٤', '3.14'],
    ['١٬٠٠٠', '1000'],
    ['४२', '42'],
    ['１２', '12'],
    ['٥٠٪', '50%'],
    ['❤\ufe0f', '❤'],
    ['☀\ufe0e', '☀\ufe0f'],
  ])('the typed answer %j equals %j', (one, other) => {
    expect(answerKey(one)).toBe(answerKey(other));
  });
});

describe('typed answers that differ', () => {
  it.each([
    ['3.14', '314'],
    ['3.14', '3 14'],
    ['3/4', '34'],
    ['10:30', '1030'],
    ['10 30', '1030'],
    ['1914-1918', '19141918'],
    ['1. 2', '12'],
    ['3 (4)', '34'],
    ['-5', '5'],
    ['−5', '5'],
    ['.5', '5'],
    ['10²', '102'],
    ['10⁻²', '10²'],
    ['10⁻²', '10-2'],
    ['Na⁺', 'Na⁻'],
    ['1½', '11/2'],
    ['50%', '50'],
    ['5‰', '5'],
    ['5‰', '5%'],
    ['–5', '5'],
    ['- 5', '5'],
    ['x = – 5', 'x = 5'],
    ['3 / 4', '3 4'],
    ['16 : 9', '169'],
    ['3 / / 4', '3/4'],
    ['$5', '5'],
    ['-$5', '$5'],
    ['-√2', '√2'],
    ['-∞', '∞'],
    ['(−∞, 0)', '(∞, 0)'],
    ['-π', 'π'],
    ['-π/2', 'π/2'],
    ['C', 'C++'],
    ['C', 'C#'],
    ['C++', 'C#'],
    ['A*', 'A'],
    ['x+y', 'xy'],
    ['a<b', 'ab'],
    ['?', '!'],
    ['…', ''],
    ['か', 'が'],
    ['कि', 'क'],
    ['1.2.3', '1.23'],
    ['=', '≠'],
    ['∈', '∉'],
    ['👍', '👎'],
    ['🇫🇷', '🇩🇪'],
    ['ハ', 'バ'],
    ['กา', 'ก'],
    ['سأل', 'سال'],
    ['٣', '٤'],
    ['a', 'а'],
  ])('the typed answer %j does not equal %j', (one, other) => {
    expect(answerKey(one)).not.toBe(answerKey(other));
  });
});

it('typed answers are compared ignoring case, surrounding spaces and Unicode form', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      const key = answerKey(text);
      expect(answerKey(` ${text}\n`)).toBe(key);
      expect(answerKey(text.normalize('NFD'))).toBe(key);
      expect(answerKey(text.normalize('NFC'))).toBe(key);
    }),
  );
});

it('different whole numbers are different answers, with or without digit groups', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), (one, other) => {
      expect(answerKey(one.toLocaleString('en')) === answerKey(String(other))).toBe(one === other);
      expect(answerKey(one.toLocaleString('en'))).toBe(answerKey(String(one)));
    }),
  );
});

it('comparing the longest and most unusual typed answers is fast', () => {
  const start = process.cpuUsage();
  for (const piece of ['1,000', '1 ', '. ', '-', '½', '1.', ' \u0301', ',1', '-  ', '1 / '])
    answerKey(piece.repeat(1_000));
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_000);
});
