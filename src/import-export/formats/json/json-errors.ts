import { FileError } from '../file-error';
import { MEBIBYTE } from '../text/text-lines';

export const notJson = (line: number, what: string): FileError =>
  new FileError(line, `Line ${line} is not JSON: ${what}. Fix it there, or export the file again.`);

export const cutOff = (line: number): FileError =>
  new FileError(
    line,
    `The file ends in the middle, in line ${line}: it was cut off. Fetch it again.`,
  );

/** An element of a list. @param most in characters */
export const tooLarge = (line: number, most: number): FileError =>
  new FileError(
    line,
    `The value that begins in line ${line} is larger than ${most / MEBIBYTE} MiB, the most that a question, or a quiz among others, may be: split it, or look for a quotation mark or a bracket that is missing there.`,
  );

/** Everything outside lists. */
export const tooMuch = (line: number, most: number): FileError =>
  new FileError(
    line,
    `The content of the file outside its questions is larger than ${most / MEBIBYTE} MiB: leave it out, or look for a quotation mark that is missing.`,
  );
