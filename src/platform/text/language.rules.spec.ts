import { canonicalLanguage, commonLanguages, directionOf, languageName } from './language.rules';

test.each([
  ['de', 'de'],
  ['DE-at', 'de-AT'],
  ['iw', 'he'],
  ['zh-hant-tw', 'zh-Hant-TW'],
  ['sr-latn', 'sr-Latn'],
  ['ca-valencia', 'ca-valencia'],
  ['fil', 'fil'],
])('%s has the canonical form %s', (tag, canonical) => {
  expect(canonicalLanguage(tag)).toBe(canonical);
});

test.each([
  '',
  'german',
  'English',
  'de_AT',
  'd',
  'de-',
  'de-u-co-phonebk',
  'x-klingon',
  'de-x-own',
  // Its canonical form has 39 characters.
  'sh-rozaj-biske-1994-alalc97-fonipa',
  'de,fr',
  ' de',
  'de-abcdefghi',
  `de-${'variant-'.repeat(9)}`,
  'i-klingon',
])('"%s" is no language tag', (tag) => {
  expect(canonicalLanguage(tag)).toBeNull();
});

test.each(['ar', 'he', 'fa-IR', 'ur', 'yi', 'dv', 'ks', 'ku-Arab', 'pa-PK', 'az-IR', 'nqo'])(
  '%s runs from right to left',
  (tag) => expect(directionOf(tag)).toBe('rtl'),
);

test.each(['de', 'en', 'ja', 'ar-Latn', 'ku', 'pa', 'und', 'qaa'])(
  '%s runs from left to right',
  (tag) => expect(directionOf(tag)).toBe('ltr'),
);

test('the direction of a text in an unknown language is automatic', () => {
  expect(directionOf(null)).toBe('auto');
});

test('the common languages are those with two letters, each once', () => {
  const common = commonLanguages();
  expect(common).toEqual(expect.arrayContaining(['ar', 'de', 'en', 'eo', 'he', 'zh']));
  expect(common).not.toContain('iw');
  expect(common.length).toBeGreaterThan(150);
  expect(new Set(common).size).toBe(common.length);
});

test('a language has a name in another one', () => {
  expect(languageName('de-AT', 'en')).toBe('Austrian German');
  expect(languageName('de', 'fr')).toBe('allemand');
  expect(languageName('qqq', 'en')).toBe('qqq');
});
