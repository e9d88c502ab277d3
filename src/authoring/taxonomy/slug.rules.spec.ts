import fc from 'fast-check';
import { slugCandidates, slugOf, sortKey } from './slug.rules';

const id = '0190a1b2-c3d4-7e5f-8a9b-0123456789ab';

test.each([
  ['Rivers of Europe', 'rivers-of-europe'],
  ['  Ünïcode & Friends!  ', 'unicode-friends'],
  ["What's new? It’s here", 'whats-new-its-here'],
  ['Straße', 'strasse'],
  ['Москва', 'moskva'],
  ['東京 2020', 'dong-jing-2020'],
  ['C++ / C#', 'c-c'],
  ['a--b__c', 'a-b-c'],
  ['2 + 2 = 4', '2-2-4'],
  ['\u{1F600}\u{1F680}', ''],
  ['!?…', ''],
])('the slug of the title %s is %s', (title, slug) => {
  expect(slugOf(title)).toBe(slug);
});

test('a slug is kebab case of at most 80 characters, whatever the title', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (title) => {
      const slug = slugOf(title);
      expect(slug).toMatch(/^([a-z0-9]+(-[a-z0-9]+)*)?$/);
      expect(slug.length).toBeLessThanOrEqual(80);
    }),
  );
});

test('the slug of a long title ends at a word', () => {
  expect(slugOf('wonderful '.repeat(20))).toBe(Array(8).fill('wonderful').join('-'));
  expect(slugOf('x'.repeat(200))).toBe('x'.repeat(80));
});

test('slug candidates are the title, then the title with the end of the id, then with the whole id', () => {
  expect(slugCandidates('Rivers', id)).toEqual(['rivers', 'rivers-456789ab', `rivers-${id}`]);
});

test('the slug of a title without letters and digits comes from the id', () => {
  expect(slugCandidates('?!', id)).toEqual(['quiz-456789ab', `quiz-${id}`]);
});

describe('sortKey', () => {
  it('sortKey sorts titles as people expect', () => {
    const titles = ['Zebra', 'Éclair', 'apple', 'Eclipse', 'ångström', 'Banana', '10 Things'];
    const sorted = titles.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
    expect(sorted).toEqual([
      '10 Things',
      'ångström',
      'apple',
      'Banana',
      'Éclair',
      'Eclipse',
      'Zebra',
    ]);
  });
  it.each([
    ['Hindi', ['कल', 'काल', 'किला', 'केला']],
    ['Thai', ['กา', 'กิน', 'กี่', 'กุ้ง']],
    ['Japanese', ['カイ', 'ガメ', 'カモ', 'キ', 'ハト', 'バラ', 'パリ']],
    ['Russian', ['Ирис', 'Йена', 'Йод', 'Кит']],
  ])('titles in %s are sorted by all their letters', (_, titles) => {
    const keys = titles.map(sortKey);
    expect(new Set(keys).size).toBe(titles.length);
    expect(keys.toSorted()).toEqual(keys);
  });
  it.each([
    ['ŁÓDŹ', 'lodz'],
    ['Øre', 'ore'],
    ['Ærø', 'aero'],
    ['Straße', 'strasse'],
    ['Đà Nẵng', 'da nang'],
    ['Þingvellir', 'thingvellir'],
    ['Diyarbakır', 'diyarbakir'],
    ['Волга', 'волга'],
    ['東京 Ω', '東京 ω'],
    ['❤\ufe0f b', '❤ b'],
    ['がっこう', 'かっこう'],
    ['Έρως', 'ερωσ'],
    ['Ёлка', 'елка'],
    ['أحمد', 'احمد'],
    ['شَمْس', 'شمس'],
    ['שָׁלוֹם', 'שלום'],
    ['한국', '한국'],
  ])('the sortKey of %j is %j', (title, key) => expect(sortKey(title)).toBe(key));
});
