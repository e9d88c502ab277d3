import fc from 'fast-check';
import {
  codePoints,
  containing,
  firstCodePoints,
  fold,
  isStorable,
  joinAtCommas,
  splitAtCommas,
  tidy,
} from './text.rules';

const anyText = fc.string({ unit: 'binary' });

describe('isStorable', () => {
  it.each(['', 'plain', 'Zürich', '日本', '👩‍👩‍👧', '\u0001\t\n', '\uffff'])(
    'isStorable accepts %j',
    (text) => expect(isStorable(text)).toBe(true),
  );
  it.each(['\0', 'a\0b', '\ud83d', 'a\ude00b', '\ude00\ud83d'])('isStorable refuses %j', (text) =>
    expect(isStorable(text)).toBe(false),
  );
});

describe('codePoints', () => {
  it('codePoints counts a surrogate pair once', () => {
    expect(codePoints('😀'.repeat(200))).toBe(200);
    expect(codePoints('é')).toBe(1);
    expect(codePoints('')).toBe(0);
  });
});

describe('firstCodePoints', () => {
  it.each([
    ['abc', 'ab'],
    ['a', 'a'],
    ['😀😀😀', '😀😀'],
    ['a😀b', 'a😀'],
    ['ab😀', 'ab'],
  ])('firstCodePoints cuts %j to two without splitting a surrogate pair', (text, cut) =>
    expect(firstCodePoints(text, 2)).toBe(cut),
  );
});

describe('tidy', () => {
  it('tidy trims and composes', () => {
    expect(tidy(' \u00a0\u2003 Cafe\u0301\n')).toBe('Café');
    expect(tidy(' \t\n ')).toBe('');
  });
  it.each([
    '\u200b',
    '\u0001\u007f',
    '\ufeff \u200e\u2060',
    '\u2800',
    '\u115f\u3164\uffa0',
    '\u00ad\ufe0f',
    '\u{e0041}',
    '\u{1d159}',
    '\u2028',
  ])('tidy makes the invisible text %j blank', (text) => expect(tidy(text)).toBe(''));
  it.each(['👩\u200d👩\u200d👧', '❤\ufe0f', 'a\u200b', '\u0600', '⠁', 'ㅤㄱ', '.', '\u0301'])(
    'tidy keeps %j, which has a visible character',
    (text) => expect(tidy(text)).toBe(text.normalize('NFC')),
  );
  it('tidy changes nothing a second time', () => {
    fc.assert(fc.property(anyText, (text) => expect(tidy(tidy(text))).toBe(tidy(text))));
  });
});

describe('splitAtCommas', () => {
  it.each([
    ['', ['']],
    [' a, b ,c', ['a', 'b', 'c']],
    ['a,,b,', ['a', '', 'b', '']],
    ['salt\\, pepper,b', ['salt, pepper', 'b']],
    ['a\\\\,b', ['a\\', 'b']],
    ['a\\\\\\,b', ['a\\,b']],
    ['c:\\dir\\', ['c:\\dir\\']],
  ])('splitAtCommas splits %j into %j', (text, items) =>
    expect(splitAtCommas(text)).toEqual(items),
  );
  it('splitAtCommas restores a list that was joined with escapes', () => {
    const item = fc.string({ unit: fc.constantFrom('a', ',', '\\', ' ') }).map((it) => it.trim());
    fc.assert(
      fc.property(fc.array(item, { minLength: 1 }), (items) => {
        const joined = joinAtCommas(items);
        expect(splitAtCommas(joined)).toEqual(items);
      }),
    );
  });
});

describe('fold', () => {
  it.each([
    ['GEOGRAPHY', 'geography'],
    ['Éclair', 'e\u0301CLAIR'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφοσ'],
    [' Maths ', 'maths'],
  ])('fold makes %j and %j equal', (one, other) => expect(fold(one)).toBe(fold(other)));
  it('fold keeps different letters apart', () => {
    expect(fold('resume')).not.toBe(fold('résumé'));
    expect(fold('İ')).not.toBe(fold('ı'));
  });
  it('fold never makes storable text unstorable', () => {
    fc.assert(
      fc.property(anyText.filter(isStorable), (text) => expect(isStorable(fold(text))).toBe(true)),
    );
  });
});

describe('SQL patterns', () => {
  it('a LIKE pattern escapes every wildcard of the text', () => {
    expect(containing(String.raw`100%_\ `)).toBe(String.raw`%100\%\_\\ %`);
  });
});

it('a text with more than 30 marks on a letter is not normalised', () => {
  expect(tidy(`a${'\u0301\u0323'.repeat(15)}`).startsWith('\u1ea1')).toBe(true);
  for (const pairs of [16, 500_000]) {
    const endless = `a${'\u0301\u0323'.repeat(pairs)}`;
    expect(tidy(` ${endless}`) === endless).toBe(true);
  }
});
