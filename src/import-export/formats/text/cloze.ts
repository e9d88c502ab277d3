/** A sentence with one gap, and the text that belongs into it. */
export interface Cloze {
  text: string;
  answer: string;
}

const BEGINNING = /\{\{c\d{1,3}::/g;
/** "{{c1::Paris}}", "{{c1::Paris::city}}" with a hint. */
const GAP = /\{\{c\d{1,3}::([^{}]+)\}\}/;

/** Whether it has what Anki shows as a gap. */
export const hasGap = (text: string): boolean => text.search(BEGINNING) >= 0;

/** A cloze note of Anki as a typed question; undefined if it has several gaps, or one that is no plain text. */
export function clozeOf(text: string): Cloze | undefined {
  const [gap = '', inside = ''] = GAP.exec(text) ?? [];
  const [answer = '', ...hint] = inside.split('::').map((part) => part.trim());
  const isPicture = answer.startsWith('image-occlusion:');
  if (!answer || isPicture || text.match(BEGINNING)?.length !== 1) return undefined;
  const said = hint.length > 0 ? `____ (${hint.join(' ')})` : '____';
  return { text: text.replace(gap, () => said), answer };
}
