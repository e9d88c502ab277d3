import { LIMITS } from '../../platform/limits/limits';
import { formatByFileName, type FormatName, formatOf, UNKNOWN_FORMAT } from './formats';
import { READERS } from './readers';
import { type Bytes, FileError, headOf, type ImportRow, NOTHING, type ReadOptions } from './row';
import { binaryError, HEAD, isBlank, isJsonString, sniffFormat } from './sniff';
import { isZip } from './sniff-zip';

/**
 * A file's rows, in its own order; the entry point of this folder. Never throws because of a file's content: if a
 * file cannot be read further, its last row is an error that is `fatal`. Errors of the stream itself are thrown.
 * @param format if not given, recognised from the content, else from the extension of `fileName`
 * @returns the format, undefined if it could not be recognised (the only row says so)
 */
export async function readRows(
  bytes: Bytes,
  format?: FormatName,
  fileName = '',
  options: ReadOptions = {},
): Promise<{ format: FormatName | undefined; rows: AsyncGenerator<ImportRow> }> {
  const head = await headOf(bytes, HEAD);
  const looksLike = sniffFormat(head);
  const name = format ?? looksLike ?? formatByFileName(fileName);
  return { format: name, rows: rowsOf(bytes, head, name, looksLike, options) };
}

const JSON_STRING = 'The file arrived as a JSON string: send its bytes.';

async function* rowsOf(
  bytes: Bytes,
  head: Buffer,
  name: FormatName | undefined,
  looksLike: FormatName | undefined,
  options: ReadOptions,
): AsyncGenerator<ImportRow> {
  try {
    const error =
      (isZip(head) && name && formatOf(name).isZip ? null : binaryError(head)) ??
      (isJsonString(head) ? JSON_STRING : null) ??
      ((await isEmpty(head, bytes, name)) ? EMPTY_FILE : null) ??
      (name ? null : UNKNOWN_FORMAT);
    if (error !== null || !name) {
      yield { line: 1, error: error ?? UNKNOWN_FORMAT, fatal: true };
      return;
    }
    let [good, bad] = [0, 0];
    for await (const row of READERS[name](bytes, options)) {
      if ('question' in row) good += 1;
      else if ('error' in row) bad += 1;
      yield row;
      if (bad >= MOST_BAD && bad > good) throw new FileError(row.line, MOSTLY_BAD);
    }
    // An archive may have quizzes without questions.
    if (good + bad === 0 && name !== 'archive') yield { line: 1, error: NOTHING };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const hint =
      looksLike && looksLike !== name
        ? ` It looks like ${formatOf(looksLike).title} (${looksLike}).`
        : '';
    yield { line: error.line, error: error.message + hint, fatal: true };
  }
}

/** Also a file of blank lines. Beyond its head a file is only checked for that if no reader will do so. */
async function isEmpty(head: Buffer, bytes: Bytes, name?: FormatName): Promise<boolean> {
  if (!isBlank(head)) return false;
  if (head.length < HEAD) return true;
  if (name) return false;
  for await (const chunk of bytes) if (!isBlank(chunk)) return false;
  return true;
}

const MOST_BAD = LIMITS.imports.badRows.value;
const MOSTLY_BAD = `More than half of the rows up to here, ${MOST_BAD.toLocaleString('en')} or more, cannot be imported, so reading stopped: fix what the report says of the first ones, or choose the right format.`;
export const EMPTY_FILE = 'The file is empty: choose the file that holds the questions.';
