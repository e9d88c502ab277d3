import { decodeHTML } from 'entities';

type JsonObject = Record<string, unknown>;

/** A question of Open Trivia DB, by the names of its members. */
export const isOpenTriviaDb = (item: JsonObject): boolean =>
  'correct_answer' in item && 'incorrect_answers' in item;

/**
 * How the texts of Open Trivia DB are encoded: HTML entities, unless every `type` is one of its two words in
 * Base64, or texts are in percent signs.
 */
export class OpenTriviaDbText {
  private isBase64 = true;
  private isPercent = true;
  private hasBlanks = false;

  look({ type, question }: JsonObject): void {
    this.isBase64 &&= type === 'bXVsdGlwbGU=' || type === 'Ym9vbGVhbg==';
    const text = typeof question === 'string' ? question : '';
    this.isPercent &&= /^(?:[\w.~!*'()-]|%[\da-f]{2})+$/i.test(text);
    this.hasBlanks ||= text.includes('%20');
  }

  /** The question with its texts decoded. */
  decoded(item: JsonObject): JsonObject {
    const decode = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(decode);
      return typeof value === 'string' ? this.decode(value) : value;
    };
    return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, decode(value)]));
  }

  private decode(text: string): string {
    if (this.isBase64) return Buffer.from(text, 'base64').toString('utf8');
    if (!this.isPercent || !this.hasBlanks) return decodeHTML(text);
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }
}
