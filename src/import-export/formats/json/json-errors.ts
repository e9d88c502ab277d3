import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser';
import { FileError } from '../row';
import { MEBIBYTE } from '../text/text-lines';

/** A piece of JSON, and the line in which it begins. */
export interface Part {
  text: string;
  line: number;
}

/** @throws FileError with the location, which JSON.parse does not give */
export function parsed(parts: readonly Part[]): unknown {
  try {
    return JSON.parse(parts.map(({ text }) => text).join(''));
  } catch {
    throw errorIn(parts, false) ?? new FileError(1, 'The file is not JSON.');
  }
}

/** The location of an error in JSON. @param isCut whether it may end early, which is then no error */
export function errorIn(parts: readonly Part[], isCut: boolean): FileError | null {
  const text = parts.map(({ text }) => text).join('');
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const [first] = errors;
  if (!first || (isCut && first.offset + first.length >= text.trimEnd().length)) return null;
  const found = JSON.stringify(text.slice(first.offset, first.offset + first.length).slice(0, 60));
  const due = DUE[printParseErrorCode(first.error)];
  let [at, line] = [0, 1];
  for (const part of parts) {
    if (at > first.offset) break;
    line = part.line + (part.text.slice(0, first.offset - at).match(/\n/g)?.length ?? 0);
    at += part.text.length;
  }
  return notJson(line, due ? `${found} found ${due}` : `${found} is not a value`);
}

const DUE: Record<string, string> = {
  PropertyNameExpected: 'where a name in quotes is expected',
  ValueExpected: 'where a value is expected',
  ColonExpected: 'where ":" is expected',
  CommaExpected: 'where "," or the end of a list is expected',
  CloseBraceExpected: 'where "," or "}" is expected',
  CloseBracketExpected: 'where "," or "]" is expected',
  EndOfFileExpected: 'after the end',
};

export const notJson = (line: number, what: string): FileError =>
  new FileError(line, `Line ${line} is not JSON: ${what}. Fix it there, or export the file again.`);

export const cutOff = (line: number): FileError =>
  new FileError(
    line,
    `The file ends in the middle, in line ${line}: it was cut off. Fetch it again.`,
  );

/** @param most in characters @param isOutside the text outside of lists, else an element */
export const tooLarge = (line: number, most: number, isOutside: boolean): FileError =>
  new FileError(
    line,
    isOutside
      ? `The content of the file outside its questions is larger than ${most / MEBIBYTE} MiB: leave it out, or look for a quotation mark that is missing.`
      : `The value that begins in line ${line} is larger than ${most / MEBIBYTE} MiB. Split it, or check for a missing quotation mark or bracket.`,
  );
