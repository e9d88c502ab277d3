import { FileError } from './file-error';
import { MEBIBYTE } from './text/text-lines';

/** In characters. A body of the API is at most as large. */
export const LARGEST_ROW = MEBIBYTE;

export function tooLarge(line: number): FileError {
  return new FileError(
    line,
    `The question that begins in line ${line} is larger than 1 MiB: mark where the next one begins, or choose the right format.`,
  );
}
