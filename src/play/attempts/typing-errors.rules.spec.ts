import fc from 'fast-check';
import { answerKey } from './answer-text.rules';
import { isMisspelling } from './typing-errors.rules';

describe('a typing error in a typed answer', () => {
  it.each([
    ['a missing letter', 'Misissippi', 'Mississippi'],
    ['a letter too many', 'Cannberra', 'Canberra'],
    ['another letter', 'Canbarra', 'Canberra'],
    ['two letters exchanged', 'Canbrera', 'Canberra'],
    ['a missing first letter', 'anberra', 'Canberra'],
    ['a letter too many at the end', 'Canberraa', 'Canberra'],
    ['six letters', 'Lodnon', 'London'],
    ['six letters of two words', 'San Jsoe', 'San José'],
    ['along with ignored case, accents and punctuation', 'j.k. ROWLNG', 'J. K. Rowling'],
    ['along with words that are written together', 'jk rowlin', 'J. K. Rowling'],
    ['along with equal digits', 'Apolo 11', 'Apollo 11'],
    ['along with equal digits without a space', 'Apolo11', 'Apollo 11'],
    ['along with an equal Roman numeral', 'Hnery VIII', 'Henry VIII'],
    ['along with an equal sign', 'Objectve-C++', 'Objective-C++'],
    ['in Greek', 'Σωκρατς', 'Σωκράτης'],
    ['in Cyrillic', 'Достаевский', 'Достоевский'],
    ['in Devanagari', 'महातमा गांधी', 'महात्मा गांधी'],
    ['in Hangul', '크리스마수트리', '크리스마스트리'],
  ])('is accepted: %s (%j for %j)', (_, typed, accepted) => {
    expect(isMisspelling(typed, accepted)).toBe(true);
  });

  it.each([
    ['five letters', 'Chian', 'China'],
    ['four letters beside digits', 'Paln 2030', 'Plan 2030'],
    ['two errors', 'Cannbera', 'Canberra'],
    ['two swapped letters that are not adjacent', 'Cenbarra', 'Canberra'],
    ['another year', '1945', '1946'],
    ['a missing point', '314', '3.14'],
    ['another digit beside words', 'Apollo 12', 'Apollo 11'],
    ['a missing point beside words', 'version 314', 'version 3.14'],
    ['exchanged digits', 'Fahrenheit 415', 'Fahrenheit 451'],
    ['a digit for a letter', 'Canb3rra', 'Canberra'],
    ['a digit too many', 'Canberra1', 'Canberra'],
    ['a letter and a digit exchanged', 'Windows9x5', 'Windowsx95'],
    ['a minus', 'minus sum 5', 'minus sum -5'],
    ['another sign', 'Objective-C#', 'Objective-C+'],
    ['a missing sign', 'f minor', 'f# minor'],
    ['another Roman numeral', 'Henry VII', 'Henry VIII'],
    ['a Roman numeral too many', 'World War II', 'World War I'],
    ['a Roman numeral that the accepted text does not have', 'Malcolm IX', 'Malcolm AX'],
    ['exchanged Roman digits', 'Louis XVI', 'Louis XIV'],
    ['a Roman numeral as a character', 'Henry Ⅶ', 'Henry Ⅷ'],
    ['another single letter', 'Vitamin D', 'Vitamin C'],
    ['a single letter too many', 'Star Trek V', 'Star Trek'],
    ['a missing single letter', 'Hepatitis', 'Hepatitis B'],
    ['a single letter beside digits', 'F52 bomber', 'B52 bomber'],
    ['another ideograph', '中華人民共知国', '中華人民共和国'],
    ['nothing', '', 'Canberra'],
    ['the accepted text itself, which needs no correction', 'canberra', 'Canberra'],
  ])('is not accepted: %s (%j for %j)', (_, typed, accepted) => {
    expect(isMisspelling(typed, accepted)).toBe(false);
  });
});

const word = fc.string({ unit: fc.constantFrom(...'abcdeilmnorstuvx'), maxLength: 8 });
const number = fc.oneof(fc.nat({ max: 99 }).map(String), fc.constantFrom('3.14', '-5', '1,000'));
const phrase = fc
  .array(fc.oneof(word, number), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(' '));
/** A text and the same after one edit anywhere. */
const edited = fc
  .tuple(phrase, fc.nat(), fc.nat({ max: 2 }), fc.constantFrom(...'aeinv0159 .-'))
  .map(([text, position, removed, added]) => {
    const at = position % (text.length + 1);
    return [text, text.slice(0, at) + added + text.slice(at + removed)] as const;
  });

const digitsOf = (text: string) => answerKey(text).replace(/\D/g, '');
const lettersOf = (text: string) => answerKey(text).replace(/[^a-z]/g, '');

it('typed answers with different digits are never typing errors', () => {
  fc.assert(
    fc.property(edited, ([accepted, typed]) => {
      fc.pre(digitsOf(accepted) !== digitsOf(typed));
      expect(isMisspelling(typed, accepted)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

it('texts of fewer than six letters have no typing errors', () => {
  fc.assert(
    fc.property(edited, ([accepted, typed]) => {
      fc.pre(lettersOf(accepted).length < 6);
      expect(isMisspelling(typed, accepted)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

it('a word of six or more letters with one letter missing, replaced or added is accepted', () => {
  // Without those of Roman numerals.
  const letters = 'bfghjknpqrstwyz';
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...letters), minLength: 6, maxLength: 20 }),
      fc.nat(),
      fc.constantFrom('a', 'e', 'o'),
      (accepted, position, vowel) => {
        const at = position % accepted.length;
        const [before, after] = [accepted.slice(0, at), accepted.slice(at + 1)];
        for (const typed of [
          before + after,
          before + vowel + after,
          `${before}${vowel}${accepted[at]}${after}`,
        ])
          expect(isMisspelling(typed, accepted)).toBe(true);
      },
    ),
  );
});

it('comparing the longest and most unusual texts is fast', () => {
  const start = process.cpuUsage();
  for (const piece of ['a ', 'ab', 'a1', '\u0301a', 'ﷺ', 'x-', 'i ']) {
    const text = piece.repeat(1_000 / piece.length);
    expect([piece, isMisspelling(`abcdefg${text}`, `abcdfeg${text}`)]).toEqual([piece, true]);
  }
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_000);
});
