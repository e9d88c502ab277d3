import { subscript, superscript } from '../../../platform/text/scripts.rules';
import { unescapeCell } from './xlsx.writer';

/** A text of parts with formats of their own. */
export class RichText {
  text = '';
  /** Whether a part of it is raised or lowered and has no characters for that. */
  isFlattened = false;
  private align = '';
  /** Within how words are pronounced, in East Asia. */
  private isReading = false;

  open(tag: string, attributes: Record<string, string>): void {
    if (tag === 'r') this.align = '';
    if (tag === 'vertAlign') this.align = attributes.val ?? '';
    if (tag === 'rPh') this.isReading = true;
  }

  close(tag: string, said: string): void {
    if (tag === 't' && !this.isReading) this.text += this.aligned(unescapeCell(said));
    if (tag === 'rPh') this.isReading = false;
  }

  private aligned(text: string): string {
    const inScript = ALIGNED.get(this.align);
    const words = text.trim();
    if (!inScript || !words) return text;
    const signs = inScript(words);
    this.isFlattened ||= signs === null;
    return signs === null ? text : text.replace(words, signs);
  }
}

const ALIGNED = new Map([
  ['superscript', superscript],
  ['subscript', subscript],
]);
export const FLATTENED = 'Raised and lowered letters are read as others.';
