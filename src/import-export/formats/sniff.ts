import { ARCHIVE_MARK } from './archive/archive.reader';
import { cardSeparator } from './csv/cards.reader';
import { csvHead } from './csv/csv-head';
import type { FormatName } from './formats';
import { MARK } from './markdown/markdown.writer';
import { isZip, zipNames } from './sniff-zip';
import { inlineOptions } from './text/list-marks';

/** How many bytes are examined. */
export const HEAD = 64 * 1024;

/** A sentence about a file that is not text; null if it may be text. */
export function binaryError(head: Buffer): string | null {
  if (isZip(head)) return zipError(head);
  const found = SIGNATURES.find(({ bytes }) => head.subarray(0, bytes.length).equals(bytes));
  if (found) return found.error;
  if (WEB_PAGE.test(head.toString('latin1', 0, 1_024))) return NO_WEB_PAGE;
  const isUtf16 = head.length > 1 && [0xfffe, 0xfeff].includes(head.readUInt16BE(0));
  return !isUtf16 && head.subarray(0, 1_024).filter((byte) => byte === 0).length > 8
    ? 'The file is not a text file (it is full of NUL bytes): choose the file that holds the questions.'
    : null;
}

const NO_DOCUMENT =
  'The file is a document of Word or another word processor, not a text file: copy its questions and paste them as text, or save them as plain text (.txt).';
/** A further tag follows: flash cards about HTML, too, may begin with `<html>` or `<!DOCTYPE html>`. */
const WEB_PAGE =
  /^(?:\xEF\xBB\xBF)?\s*<(?:!doctype\s+html|html)(?:\s[^>]*)?>(?:[\r\n ]\s*)?<[a-z!]/i;
const NO_WEB_PAGE =
  'The file is a web page (HTML), not a text file: copy its questions and paste them as text, or open its table in Excel and save it as .xlsx.';

/** Why an archive is not read, by what is in it. */
function zipError(head: Buffer): string {
  const names = zipNames(head);
  const isDocument = names.some((name) => name.startsWith('word/')) || head.includes(OPEN_DOCUMENT);
  if (isDocument) return NO_DOCUMENT;
  if (isAnki(names))
    return 'The file is a deck of Anki, not a text file: export it in Anki as “Notes in Plain Text (.txt)”.';
  return 'The file is a ZIP archive, or a Word, PowerPoint or OpenDocument file, not a text file: unpack it, or save the sheet as Excel (.xlsx) or CSV.';
}

/** The first entry of a text of LibreOffice, which is not compressed. */
const OPEN_DOCUMENT = 'mimetypeapplication/vnd.oasis.opendocument.text';
const isAnki = (names: readonly string[]): boolean =>
  names.some((name) => /^collection\.anki2/.test(name));

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const picture = (type: string): string =>
  `The file is a ${type} picture, not a text file: choose the file that holds the questions.`;
const SIGNATURES = [
  { bytes: latin1('\x89PNG'), error: picture('PNG') },
  { bytes: latin1('\xFF\xD8\xFF'), error: picture('JPEG') },
  { bytes: latin1('GIF8'), error: picture('GIF') },
  {
    bytes: latin1('%PDF-'),
    error: 'The file is a PDF, not a text file: export its questions as text.',
  },
  { bytes: latin1('{\\rtf'), error: NO_DOCUMENT },
  {
    bytes: latin1('\xD0\xCF\x11\xE0'),
    error:
      'The file is an old Excel or Word file, not a text file: save a sheet as .xlsx, or questions as plain text (.txt).',
  },
  {
    bytes: latin1('\x1F\x8B'),
    error: 'The file is packed with gzip, not a text file: unpack it first.',
  },
  {
    bytes: latin1('\x7FELF'),
    error: 'The file is a program, not a text file: choose the file that holds the questions.',
  },
];

/** The words that begin an XML file of QTI; and an archive that may be a package of it: its manifest may come after pictures. */
const QTI_ROOT = /<(?:[\w.-]+:)?(?:questestinterop|assessmentItem|qti-assessment-item)[\s>]/;
const hasManifest = (names: readonly string[]): boolean =>
  names.some((name) => /(?:^|\/)imsmanifest\.xml$/.test(name));
const isPackage = (names: readonly string[]): boolean =>
  hasManifest(names) ||
  (names.length > 0 &&
    !isAnki(names) &&
    !names.some((name) => ['[Content_Types].xml', 'mimetype'].includes(name)));

/** The names of an archive's first parts are in its head. */
const isWorkbook = (names: readonly string[]): boolean =>
  names.some((name) => name.startsWith('xl/')) ||
  (names.includes('[Content_Types].xml') && !names.some((name) => /^(?:word|ppt)\//.test(name)));

/** What a client makes of a file that it takes for a JSON value: one string, in which line breaks are written `\\n`. */
export function isJsonString(head: Buffer): boolean {
  const text = textOf(head).trim();
  const [string = ''] = /^"(?:[^"\\\p{Cc}]|\\.)*/u.exec(text) ?? [];
  const rest = text.slice(string.length);
  // A longer file goes on behind the head.
  return string !== '' && (rest === '"' || (rest === '' && string.includes('\\n')));
}

/** The format that the beginning of a text looks like; undefined if it could be any, or none. */
export function sniffFormat(head: Buffer): FormatName | undefined {
  if (isZip(head)) {
    const names = zipNames(head);
    // A package whose workbooks are stored may show their names.
    if (isWorkbook(names) && !hasManifest(names)) return 'xlsx';
    if (head.includes(ARCHIVE_MARK)) return 'archive';
    return isPackage(names) ? 'qti' : undefined;
  }
  const text = textOf(head).trimStart();
  // Its texts may have what looks like another format.
  if (text.startsWith(MARK)) return 'markdown';
  // Our own table may have lists in its cells, and so may exports of Anki.
  if (text.startsWith('question,type,difficulty,explanation,correct_numbers,')) return 'csv';
  if (/^(?:#[^\r\n]*(?:\r\n|\r|\n))*#(?:separator|html):/i.test(text)) return 'csv';
  if (text.startsWith('<') && QTI_ROOT.test(text)) return 'qti';
  // Not behind a line separator within a text of JSON or of a comment.
  if (/(?:^|[\r\n])[ \t]*(?:[-*+] {1,4})?\[[ xX]\] {1,4}\S/.test(text) && !text.startsWith('<'))
    return 'markdown';
  if (/^[{[]\s*(?:["{[\]}]|$)/.test(text) && !/^\[(?:html|plain|moodle|markdown)\]/.test(text))
    return jsonFormat(text);
  if (/^<(?:\?xml|quiz|!DOCTYPE|!--)/i.test(text)) return 'moodle-xml';
  // A GIFT file may begin with comments, whose text may look like column names.
  const found = text.startsWith('//') ? undefined : csvHead(text).found;
  // Named columns come first: the cells below them may contain what looks like another format.
  if (found?.rows === 1 && !found.isGuess) return 'csv';
  // Line by line: an expression that may begin at any line and skips blank lines reads them once for each line.
  const lines = text.split(/[\r\n\u2028\u2029]+/).map((line) => line.trim());
  const hasLine = (pattern: RegExp): boolean => lines.some((line) => pattern.test(line));
  if (hasLine(/^#Q(?!\p{Ll})/u) && hasLine(/^\^/)) return 'opentriviaqa';
  if (hasLine(/^ANSWER\s*:\s*[A-Z]/i) && hasLine(/^A[.)]/))
    return hasLine(NOT_AIKEN) ? 'markdown' : 'aiken';
  if (found?.rows === 0 && !found.areCards && !found.isGuess) return 'csv';
  if (hasLine(/^\$CATEGORY:/) || GIFT.some((mark) => mark.test(text))) return 'gift';
  const isNumbered = hasLine(/^(?:\*\*)?(?:#{1,6} .*\?|\d{1,4}[.)] )/);
  if (isNumbered && hasLine(/^(?:[-*+] |[a-hA-H][.)] |(?:\*\*)?answer ?:)/i)) return 'markdown';
  if (isNumbered && hasLine(/(?:\s\*|✓|✔\uFE0F?|✅|\(correct\))$/i)) return 'markdown';
  if (
    hasLine(/^(?:(?:question|frage|q)\s?\d{0,4}\s?[.:)].*|.*\?$)/i) &&
    hasLine(/^(?:answer|antwort) ?:/i)
  )
    return 'markdown';
  if (hasLine(/^q\s?\d{0,4}\s?[.:)]/i) && hasLine(/^a\s?:/i)) return 'markdown';
  if (lines.some((line) => inlineOptions(line.slice(0, 1_000)) !== null)) return 'markdown';
  if (LIST_LINES.every((mark) => hasLine(mark)) || (hasLine(/\?$/) && hasLine(/^[-*+•●○]\s+\S/)))
    return 'markdown';
  const isQuoted = lines[0]?.startsWith('"') === true || isOldAnki(head, text);
  if (found && !isQuoted && cardSeparator(lines, ['\t'])) return 'quizlet';
  if (found) return 'csv';
  return cardSeparator(lines, ['\t', ' - ', ' – ', ' — ']) ? 'quizlet' : undefined;
}

/** Options in another form than Aiken's, or numbered questions: a list that people have written. */
const NOT_AIKEN = /^(?:\*{0,2}\(?[a-h][.)]\s|\*{0,2}\([A-H]\)|[-*+•]\s|\*|\(?\d{1,4}[.)]\s)/;
/** Options a and b. */
const LIST_LINES = [/^\*{0,2}\(?[aA][.)]\s*\S/, /^\*{0,2}\(?[bB][.)]\s*\S/];

/** Anki before 2.1.54 writes no header, and puts exactly the cells with a quotation mark or an apostrophe in quotes. */
function isOldAnki(head: Buffer, text: string): boolean {
  const lines = text.split(/[\r\n]+/);
  // The head may end within quotes.
  if (head.length >= HEAD) lines.pop();
  const marked = lines.flatMap((line) => line.split('\t').filter((cell) => /["']/.test(cell)));
  const isQuoted = (cell: string) =>
    /^"(?:[^"]|"")*"$/.test(cell) && /'|""/.test(cell.slice(1, -1));
  return marked.length > 0 && marked.every(isQuoted);
}

function jsonFormat(text: string): FormatName {
  if (isJsonLines(text)) return 'jsonl';
  return /"(?:response_code|incorrect_answers)"\s*:/.test(text) ? 'opentdb' : 'json';
}

/** Whether the first line is a complete object, and another follows. */
function isJsonLines(text: string): boolean {
  const [first = '', second = ''] = text.split(/[\r\n]+/, 2);
  if (!second.startsWith('{')) return false;
  try {
    JSON.parse(first);
    return true;
  } catch {
    return false;
  }
}

/** Braces alone would turn any program into questions: only those with answers in them count. */
const GIFT = [
  /^::(?:[^:\r\n]|\\:)+::/m,
  /(?<![\\$])\{\s*(?:[=~](?:[^{}]|\\[{}])*)\}/,
  /(?<![\\$])\{\s*(?:T|F|TRUE|FALSE)\s*(?:#[^{}]*)?\}\s*$/im,
];

/** Whether it contains only blanks and line breaks. */
export const isBlank = (bytes: Uint8Array): boolean =>
  textOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).trim() === '';

function textOf(head: Buffer): string {
  const mark = head.length > 1 ? head.readUInt16BE(0) : 0;
  const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(head);
}
