/** Why a text is refused, as the rest of a sentence that begins with the field: `has the image …: upload it`. */
export class MarkdownError extends Error {}

/** A part of a text in one line of a message. Dollar signs would be read as placeholders by class-validator. */
export function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('$', '').trim();
  const characters = [...line];
  return `“${characters.slice(0, 60).join('')}${characters.length > 60 ? '…' : ''}”`;
}
