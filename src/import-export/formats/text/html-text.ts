import { Parser } from 'htmlparser2';
import { LIMITS } from '../../../platform/limits/limits';
import { subscript, superscript } from '../../../platform/text/scripts.rules';
import { escapeMarkdown, wordsAsMarkdown } from '../pictures';
import { questionError } from '../row';

const tags = (names: string): ReadonlySet<string> => new Set(names.split(' '));

const BLOCKS = tags('p div ul ol li table tr blockquote pre hr section article h1 h2 h3 h4 h5 h6');
/** Elements that only contain others or do not affect the text. */
const PLAIN = tags('br span a font tbody thead td th html body head');
const UNREAD = tags('script style title svg math object iframe');
const MEDIA = tags('img audio video svg object iframe embed math');
/** What becomes of their texts: "10²". */
const SCRIPTS = new Map([
  ['sup', superscript],
  ['sub', subscript],
]);
const HTML =
  /<\/?(?:p|div|br|b|i|u|em|strong|span|img|a|sub|sup|ul|ol|li|table|h[1-6]|pre|code)\b[^<>]*>/i;

/** The parser's time for a tag grows with the number of those that are open. */
const DEEPEST = LIMITS.imports.htmlDepth.value;

/** Whether a text of undeclared type looks like HTML. */
export const looksLikeHtml = (text: string): boolean => HTML.test(text);

/**
 * The readable text of a piece of HTML: entities decoded, blocks and `<br>` as lines, white space as a browser shows
 * it. `notes` lists what text cannot express: pictures and sounds, bold letters, and raised ones without a character.
 * @param pictureOf the URL of a picture of the file: then the text is Markdown
 * @throws QuestionError if it is nested too deeply
 */
export function htmlToText(
  html: string,
  pictureOf?: (src: string) => string | undefined,
): { text: string; notes: string[] } {
  const media = new Set<string>();
  const styles = new Set<string>();
  // The complete lines, and the pieces of the last one: each character is read once, however many tags there are (one
  // long string, trimmed at each tag, took minutes for 1 MiB).
  const lines: string[] = [];
  let pieces: Piece[] = [];
  let unread = 0;
  let kept = 0;
  let depth = 0;
  // Where a superscript or a subscript begins: the line, and the piece of it.
  const scripts: [line: number, piece: number][] = [];
  const endScript = (name: string, inScript: (text: string) => string | null): void => {
    const [line, from] = scripts.pop() ?? [];
    const said = pieces.slice(from);
    const all = said.every((piece) => typeof piece === 'string') ? said.join('') : undefined;
    const raised = all === undefined ? null : inScript(all.trim());
    if (all === undefined || raised === null || line !== lines.length) styles.add(`<${name}>`);
    else if (raised) pieces.splice(from ?? 0, said.length, all.replace(all.trim(), raised));
  };
  const endLine = (isForced: boolean): void => {
    const line = withoutSpacesAtTheEnd(lineOf(pieces, pictureOf ? wordsAsMarkdown : asIs));
    pieces = [];
    lines.push(line);
    if (isForced || (line && !line.endsWith('\n'))) lines.push('\n');
  };
  const parser = new Parser({
    onopentag(name, { src = '', alt = '' }) {
      if (++depth > DEEPEST)
        throw questionError(
          `The HTML is nested more than ${DEEPEST} levels deep: close its tags, or write it as plain text.`,
        );
      if (UNREAD.has(name)) unread += 1;
      if (name === 'pre') kept += 1;
      const url = name === 'img' && unread === 0 ? pictureOf?.(src) : undefined;
      if (url)
        pieces.push({ image: `![${escapeMarkdown(alt.replace(/\s+/g, ' ').trim())}](${url})` });
      else if (MEDIA.has(name)) media.add(`<${name}>`);
      else if (SCRIPTS.has(name)) scripts.push([lines.length, pieces.length]);
      else if (![BLOCKS, PLAIN, UNREAD].some((known) => known.has(name))) styles.add(`<${name}>`);
      if (name === 'br' || BLOCKS.has(name)) endLine(name === 'br');
      else if (name === 'td' || name === 'th') pieces.push(' ');
    },
    ontext(piece) {
      if (unread > 0) return;
      // Editors use no-break spaces to keep two spaces apart, or a paragraph from being empty.
      const read = kept > 0 ? piece : piece.replace(/[ \t\n\f\r\u00A0]+/g, ' ');
      const last = pieces.at(-1) ?? '\n';
      const before = typeof last === 'string' ? last.at(-1) : '';
      const isDouble = kept === 0 && (before === ' ' || before === '\n');
      const rest = isDouble ? read.replace(/^ /, '') : read;
      if (rest) pieces.push(rest);
    },
    onclosetag(name) {
      depth -= 1;
      if (UNREAD.has(name)) unread -= 1;
      if (name === 'pre') kept -= 1;
      const inScript = SCRIPTS.get(name);
      if (inScript) endScript(name, inScript);
      if (BLOCKS.has(name)) endLine(false);
    },
  });
  parser.end(html);
  endLine(false);
  const notes: string[] = [];
  if (media.size > 0)
    notes.push(`Pictures, sounds and formulas are not kept (${[...media].join(', ')}).`);
  if (styles.size > 0) notes.push(`Formatting is not kept (${first([...styles])}).`);
  const text = lines.join('');
  // In Markdown a line that ends goes on: every line becomes a paragraph.
  const lineEnds = pictureOf ? /\n+/g : /\n{3,}/g;
  return { text: text.replace(lineEnds, '\n\n').trim(), notes };
}

/** Beside `notes`, for the HTML of other programs, which show what is between these signs as formulas. */
export function* formulasIn(text: string): Generator<string> {
  const pairs = [
    ['\\(', '\\)'],
    ['\\[', '\\]'],
  ] as const;
  const isPaired = pairs.some(([open, close]) => text.includes(open) && text.includes(close));
  if (isPaired || text.split('$$', 3).length > 2)
    yield 'Formulas in TeX are kept as they are written: they are shown with their signs.';
}

/** A part of a line: text, or a picture in Markdown. */
type Piece = string | { image: string };

const asIs = (text: string): string => text;

/** @param write what a text becomes; at once for all pieces between pictures, since entities divide an address into several */
function lineOf(pieces: readonly Piece[], write: (text: string) => string): string {
  let line = '';
  let words: string[] = [];
  for (const piece of [...pieces, { image: '' }])
    if (typeof piece === 'string') words.push(piece);
    else {
      line += write(words.join('')) + piece.image;
      words = [];
    }
  return line;
}

/** At most ten tags by name: a file may invent any number of them. */
function first(tags: string[]): string {
  const more = tags.length > 10 ? ` and ${tags.length - 10} more` : '';
  return tags.slice(0, 10).join(', ') + more;
}

function withoutSpacesAtTheEnd(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  return line.slice(0, end);
}
