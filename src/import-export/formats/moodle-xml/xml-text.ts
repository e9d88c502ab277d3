/** What of a text is left in XML 1.0, which has no sign, not even an escape, for most control characters. */
export function visibleInXml(text: string): string {
  return text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\uFFFD');
}

/** In Moodle's short answers "*" stands for anything, unless it is written "\*". */
export const shortAnswerPattern = (text: string): string => text.replaceAll('*', '\\*');

/** The text of such a pattern, and whether it had a star that stood for anything. */
export function shortAnswerText(pattern: string): { text: string; isPattern: boolean } {
  return { text: pattern.replaceAll('\\*', '*'), isPattern: /(?<!\\)\*/.test(pattern) };
}
