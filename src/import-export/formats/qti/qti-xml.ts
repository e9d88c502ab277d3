import { SaxesParser } from 'saxes';
import { LIMITS } from '../../../platform/limits/limits';
import { MEBIBYTE } from '../../../platform/sizes';
import { FileError } from '../row';
import { TextDecoding } from '../text/text-decoding';
import { LARGEST_ROW } from '../text/text-lines';

/**
 * An element of QTI in the words of version 2: `qti-simple-choice` of version 3 is `simpleChoice`, and so are attributes.
 * Its content stays in order, as what a question says is text with elements in it.
 */
export interface QtiElement {
  name: string;
  attributes: Record<string, string>;
  content: (QtiElement | string)[];
  line: number;
}

/** Bytes of one file. */
export const LARGEST = LIMITS.imports.qtiFile.value;
const DEEPEST = LIMITS.imports.qtiDepth.value;
const MOST_PARTS = LIMITS.imports.qtiElements.value;

/** Characters that are parsed at once. */
const PIECE = 65_536;

/**
 * Entities are off: saxes expands only the five of XML, and a file that declares a document type is refused.
 * @throws FileError
 */
export function parseQti(bytes: Buffer): QtiElement {
  if (bytes.length > LARGEST) throw tooLarge();
  const text = new TextDecoding().decode(bytes, 1).replace(/^\uFEFF/, '');
  const parser = new SaxesParser();
  const open: QtiElement[] = [];
  let root: QtiElement | undefined;
  let parts = 0;
  const count = () => {
    if (++parts > MOST_PARTS || open.length >= DEEPEST)
      throw new FileError(parser.line, 'it has too many elements, or elements nested too deeply');
  };
  const add = (text: string) => open.at(-1)?.content.push(text);
  parser.on('error', (error) => {
    throw new FileError(parser.line, `it is not valid XML (${error.message})`);
  });
  parser.on('doctype', () => {
    throw new FileError(1, 'it declares a document type: remove the line <!DOCTYPE …>');
  });
  parser.on('attribute', count);
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('opentag', (tag) => {
    count();
    const element = {
      name: plain(tag.name),
      attributes: plainAttributes(tag.attributes),
      content: [],
      line: parser.line,
    };
    open.at(-1)?.content.push(element);
    open.push(element);
    root ??= element;
  });
  // What our exports say about a question or a quiz.
  parser.on('processinginstruction', ({ target, body }) => {
    if (target === 'quiz' && open.length === 1)
      open[0]?.content.push({ name: HINT, attributes: {}, content: [body], line: parser.line });
  });
  parser.on('closetag', () => open.pop());
  for (let from = 0; from < text.length; from += PIECE) {
    // Of a document type saxes collects all, which takes fifty times its size.
    if (!root && from > LARGEST_ROW)
      throw new FileError(1, `no element begins within its first ${LARGEST_ROW / MEBIBYTE} MiB`);
    parser.write(text.slice(from, from + PIECE));
  }
  parser.close();
  if (!root) throw new FileError(1, 'it is empty');
  return root;
}

export const tooLarge = (): FileError =>
  new FileError(1, `it is larger than ${LARGEST / MEBIBYTE} MiB: split it`);

/** The name of a processing instruction `<?quiz …?>`. */
export const HINT = '?quiz';

/** Without the prefix of its namespace. */
const plain = (name: string): string =>
  name
    .slice(name.indexOf(':') + 1)
    .replace(/^qti-/, '')
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

const plainAttributes = (attributes: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [plain(name), value]));

export const elementsIn = ({ content }: QtiElement): QtiElement[] =>
  content.filter((each) => typeof each !== 'string');

/** Elements of this name at any depth, in order. */
export function* all(element: QtiElement, name: string | RegExp): Generator<QtiElement> {
  for (const child of elementsIn(element)) {
    if (typeof name === 'string' ? child.name === name : name.test(child.name)) yield child;
    yield* all(child, name);
  }
}

export const first = (element: QtiElement | undefined, name: string): QtiElement | undefined =>
  element && (all(element, name).next().value as QtiElement | undefined);

/** All character data within it, trimmed. */
export const textIn = (element: QtiElement | undefined): string =>
  element ? charactersIn(element).trim() : '';

const charactersIn = ({ content }: QtiElement): string =>
  content.map((each) => (typeof each === 'string' ? each : charactersIn(each))).join('');

/** The largest of them, and at least 0. `Math.max` fails with some 100,000 arguments. */
export const largest = (numbers: readonly number[]): number =>
  numbers.reduce((most, number) => Math.max(most, number), 0);

const VOID = new Set(['br', 'hr', 'img']);

/** Its content as HTML. @param leave what an element becomes instead; null: it stays */
export function htmlOf(element: QtiElement, leave: (element: QtiElement) => string | null): string {
  return element.content
    .map((each) => {
      if (typeof each === 'string') return escape(each);
      const instead = leave(each);
      if (instead !== null) return instead;
      const of = ['src', 'alt'].flatMap((name) =>
        each.attributes[name] === undefined ? [] : ` ${name}="${escape(each.attributes[name])}"`,
      );
      const start = `<${each.name}${of.join('')}>`;
      // "</br>" would be another line end.
      return VOID.has(each.name) ? start : `${start}${htmlOf(each, leave)}</${each.name}>`;
    })
    .join('');
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
