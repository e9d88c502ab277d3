import { singleEdit } from '../../platform/text/one-edit.rules';
import { answerKey } from './answer-text.rules';

/** Shorter texts are one letter away from too many others: "Iran" from "Iraq". */
const LEAST_LETTERS = 6;

/** An ideograph is a word of its own, and no letter. */
const LETTER = String.raw`(?!\p{Script=Han})\p{L}`;
const LETTERS = new RegExp(LETTER, 'gu');
const ONLY_LETTERS = new RegExp(String.raw`^(?:${LETTER}|\p{M})*$`, 'u');

/**
 * Whether a typed answer is an accepted text with one typing error, compared as `answerKey` compares: a letter too
 * many, too few or another one, or two neighbouring letters exchanged. Digits and signs must be equal, and so must words
 * that are one letter or a Roman numeral: "Vitamin D" is not "Vitamin C", and "Henry VII" not "Henry VIII".
 */
export function isMisspelling(typed: string, accepted: string): boolean {
  const [given, meant] = [answerKey(typed), answerKey(accepted)];
  if ((meant.match(LETTERS)?.length ?? 0) < LEAST_LETTERS) return false;
  const edit = singleEdit(given, meant);
  if (!edit || !ONLY_LETTERS.test(edit.given + edit.meant)) return false;
  const end = edit.at + edit.meant.length;
  return (
    !exactWords(accepted, meant).some((word) => edit.at <= word.end && end >= word.start) &&
    !exactWords(typed, given).some(
      (word) => edit.at < word.end && edit.at + edit.given.length > word.start,
    )
  );
}

/** Where the words that a typing error would make another answer are in the key of a text. */
function exactWords(text: string, key: string): { start: number; end: number }[] {
  let at = 0;
  return (text.match(/[\p{L}\p{M}\p{Nl}]+/gu) ?? []).flatMap((word) => {
    const folded = answerKey(word);
    const start = key.indexOf(folded, at);
    // Signs that the key writes otherwise.
    if (start < 0) return [];
    at = start + folded.length;
    return /^\p{L}\p{M}*$/u.test(folded) || ROMAN_NUMERAL.test(folded) ? [{ start, end: at }] : [];
  });
}

const ROMAN_NUMERAL = /^m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/;
