import { FileError } from '../file-error';
import { notJson } from './json-errors';

/** A piece of JSON that ends where a token does. */
export interface Part {
  text: string;
  /** Where it begins. */
  line: number;
}

/** The value of JSON whose brackets, commas and colons were looked at. @throws FileError with the place */
export function parseJson(parts: readonly Part[]): unknown {
  try {
    return JSON.parse(parts.map(({ text }) => text).join(''));
  } catch {
    for (const part of parts) checkScalars(part);
    throw new FileError(1, 'The file is not JSON.');
  }
}

/** JSON.parse itself says no place. */
function checkScalars({ text, line }: Part): void {
  for (let at = 0; at < text.length;) {
    const char = text.charAt(at);
    if (char === '\n') line += 1;
    if (' \n\r\t{}[],:'.includes(char)) {
      at += 1;
      continue;
    }
    const end = char === '"' ? endOfString(text, at) : endOfWord(text, at);
    const token = text.slice(at, end < 0 ? text.length : end);
    if (!isScalar(token)) throw notJson(line, `${JSON.stringify(token.slice(0, 60))} is no value`);
    at += token.length;
  }
}

/** The place after the closing quote; -1 when there is none (yet). */
export function endOfString(text: string, start: number): number {
  for (let at = start; ;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return -1;
    let before = at;
    while (text.charCodeAt(before - 1) === 0x5c) before -= 1;
    if ((at - before) % 2 === 0) return at + 1;
  }
}

/** The place after a number, a word, or a character that is neither. */
export function endOfWord(text: string, start: number): number {
  const word = /[^\s{}[\],:"]*/y;
  word.lastIndex = start;
  return start + Math.max(1, word.exec(text)?.[0].length ?? 1);
}

function isScalar(token: string): boolean {
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false;
  }
}

/** What a name in quotes says; a broken one is found when all is parsed. */
export function nameOf(token: string): string {
  if (!token.includes('\\')) return token.slice(1, -1);
  try {
    return JSON.parse(token) as string;
  } catch {
    return '';
  }
}
