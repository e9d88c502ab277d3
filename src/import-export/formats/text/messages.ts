/** The words of errors and notes. */

/** On one line, at most 60 characters. */
export function quote(text: string): string {
  const characters = [...text.slice(0, 300).replace(/\s+/g, ' ').trim()];
  return `"${characters.length > 60 ? `${characters.slice(0, 60).join('')}…` : characters.join('')}"`;
}

/** Several errors as one sentence: the first three, the rest counted. */
export function sentence(errors: readonly string[]): string {
  const more = errors.length > 3 ? `; and ${errors.length - 3} more` : '';
  const joined = errors.slice(0, 3).join('; ') + more;
  return `${joined.charAt(0).toUpperCase()}${joined.slice(1)}.`;
}

/** `a, b and c` */
export function list(words: readonly string[]): string {
  return words.length < 2
    ? (words[0] ?? '')
    : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
