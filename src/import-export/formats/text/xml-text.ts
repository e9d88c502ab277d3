/** What remains of a text in XML 1.0, which cannot express most control characters, even escaped. */
export const visibleInXml = (text: string): string =>
  text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\uFFFD');

/** A text as content or as the value of an attribute. A bare "\r" would be read as "\n". */
export const escapeXml = (text: string): string =>
  visibleInXml(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;');

/**
 * JSON as a processing instruction, which programs that do not know it ignore. "?>" would end it; JSON can escape
 * whatever XML cannot contain.
 */
export function instruction(json: string): string {
  const safe = json.replace(/[>\x7f-\x9f\ufffe\uffff]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `<?quiz ${safe}?>`;
}
