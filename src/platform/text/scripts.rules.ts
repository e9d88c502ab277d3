/** Superscript and subscript characters, for what has no markup: "10²", "H₂O". */

const SUPERSCRIPTS = signsOf('0123456789+−-=()ni', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ');
const SUBSCRIPTS = signsOf('0123456789+−-=()', '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎');

function signsOf(from: string, to: string): ReadonlyMap<string, string> {
  const signs = [...to];
  return new Map([...from].map((sign, at) => [sign, signs[at] ?? sign]));
}

/** The text in superscript characters, or null if a character has none. */
export const superscript = (text: string): string | null => inScript(text, SUPERSCRIPTS);

/** The same in subscript characters. */
export const subscript = (text: string): string | null => inScript(text, SUBSCRIPTS);

function inScript(text: string, signs: ReadonlyMap<string, string>): string | null {
  const plain = [...text.replaceAll(' ', '')];
  return plain.every((sign) => signs.has(sign))
    ? plain.map((sign) => signs.get(sign)).join('')
    : null;
}
