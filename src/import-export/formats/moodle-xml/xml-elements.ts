import { SaxesParser } from 'saxes';
import { LIMITS } from '../../../platform/limits/limits';
import { MEBIBYTE } from '../../../platform/sizes';
import { type Bytes, FileError } from '../row';
import { type Decoding, LARGEST_ROW, textLines, textOf } from '../text/text-lines';

/** An XML element with its content, or a processing instruction: `<?quiz {}?>` has the name `?quiz` and the text `{}`. */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  /** All character data directly within it. */
  text: string;
  children: XmlElement[];
  line: number;
}

/** Of one child of the root, or of one line, with pictures. */
const LARGEST_QUESTION = LIMITS.imports.moodleQuestion.value;
const DEEPEST = LIMITS.imports.moodleDepth.value;
/** Elements, attributes and instructions of one child of the root. */
const MOST_PARTS = LIMITS.imports.moodleElements.value;
/** Characters that are parsed at once: the results wait in memory. */
const PIECE = 65_536;
/** Pictures and sounds, as Base64 with line ends. Larger ones are no pictures that are taken. */
const FILES = 'file';
const LARGEST_FILE = 1.5 * LIMITS.content.pictureBytes.value;

/** In place of the bytes of a file that is too large: longer than any picture may be. */
const TOO_LARGE = 'A'.repeat(LARGEST_FILE);

/**
 * The children of a file's root, and instructions among them, one by one as they are read. Entities are off: saxes
 * knows the five of XML and expands no others, and a file that declares a document type is refused before it is read.
 * @throws FileError if it is not XML, cut off, has another root, or is too large
 */
export async function* xmlElements(
  bytes: Bytes,
  root: string,
  decoding: Decoding,
): AsyncGenerator<XmlElement> {
  const reading = new Reading(root);
  for await (const lines of textLines(bytes, decoding, LARGEST_QUESTION)) {
    const text = textOf(lines);
    reading.refuseDoctype(text);
    for (let from = 0; from < text.length; from += PIECE) {
      reading.write(text.slice(from, from + PIECE));
      yield* reading.done.splice(0);
    }
  }
  reading.close();
  yield* reading.done.splice(0);
}

class Reading {
  readonly done: XmlElement[] = [];
  private readonly parser = new SaxesParser();
  private readonly open: XmlElement[] = [];
  private size = 0;
  private parts = 0;

  constructor(private readonly root: string) {
    const { parser } = this;
    parser.on('error', (error) => {
      throw this.error(error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, ''));
    });
    parser.on('doctype', () => {
      throw this.refused();
    });
    parser.on('xmldecl', ({ encoding }) => this.checkEncoding(encoding));
    parser.on('opentag', ({ name, attributes }) => this.enter(name, attributes));
    parser.on('attribute', () => this.count());
    parser.on('closetag', () => this.leave());
    parser.on('text', (text) => this.read(text));
    parser.on('cdata', (text) => this.read(text));
    parser.on('processinginstruction', ({ target, body }) => {
      // Those before the root belong to nothing.
      if (this.open.length === 0) return;
      this.enter(`?${target}`, {}, body);
      this.leave();
    });
  }

  /** saxes would first collect all of it. Behind the tag of the root it is text. @param text whole lines */
  refuseDoctype(text: string): void {
    if (this.open.length > 0) return;
    const [prolog = ''] = text.split(`<${this.root}`, 1);
    if (/<!DOCTYPE|<!ENTITY/i.test(prolog)) throw this.refused();
  }

  write(text: string): void {
    this.size += text.length;
    this.parser.write(text);
    // Behind a comment that looks like the root, a document type is collected until it ends.
    if (this.open.length === 0 && this.size > LARGEST_ROW)
      throw this.error(
        `more than ${LARGEST_ROW / MEBIBYTE} MiB of it is outside of <${this.root}>`,
      );
    if (this.size > LARGEST_QUESTION)
      throw this.error(
        `a question is larger than ${LARGEST_QUESTION / MEBIBYTE} MiB with its pictures`,
      );
  }

  close(): void {
    if (this.open.length > 0 || this.size === 0)
      throw new FileError(
        this.parser.line,
        `The file ends in the middle, in line ${this.parser.line}: it was cut off. Export it again.`,
      );
    this.parser.close();
  }

  private enter(name: string, attributes: Record<string, string>, text = ''): void {
    const { line } = this.parser;
    this.count();
    const parent = this.open.at(-1);
    if (!parent && name !== this.root)
      throw new FileError(
        line,
        `The file is XML, but its root is <${name.slice(0, 60)}> and not <${this.root}>: export it as Moodle XML.`,
      );
    if (this.open.length >= DEEPEST)
      throw this.error(`it is nested more than ${DEEPEST} levels deep`);
    const element: XmlElement = { name, attributes, text, children: [], line };
    // The root's own children are returned, not kept.
    if (parent && this.open.length > 1) parent.children.push(element);
    this.open.push(element);
  }

  private leave(): void {
    const element = this.open.pop();
    if (!element || this.open.length > 1) return;
    this.size = 1;
    this.parts = 0;
    // The root itself is not returned.
    if (this.open.length === 1) this.done.push(element);
  }

  private count(): void {
    if (++this.parts > MOST_PARTS) throw this.error('it holds too many elements to be questions');
  }

  private read(text: string): void {
    const element = this.open.at(-1);
    if (!element || this.open.length === 1) return;
    if (element.name === FILES && element.text.length + text.length > LARGEST_FILE) {
      // Cut off it would be another picture.
      element.text = TOO_LARGE;
      return;
    }
    if (element.text === TOO_LARGE) return;
    element.text += text;
    if (element.name === FILES) return;
    if (element.text.length > LARGEST_ROW)
      throw this.error(
        `<${element.name.slice(0, 60)}> is longer than ${LARGEST_ROW / MEBIBYTE} MiB`,
      );
  }

  private checkEncoding(encoding = 'UTF-8'): void {
    if (
      /^(?:utf-?8|utf-?16(?:le|be)?|us-ascii|iso-8859-1|latin-?1|windows-1252|cp1252)$/i.test(
        encoding,
      )
    )
      return;
    throw new FileError(
      1,
      `The file is in the encoding ${encoding.slice(0, 40)}, which is not read: save it again as UTF-8.`,
    );
  }

  private error(what: string): FileError {
    const { line } = this.parser;
    return new FileError(
      line,
      `Line ${line} is not readable XML: ${what}. Fix it there, or export the file again.`,
    );
  }

  private refused(): FileError {
    return new FileError(
      this.parser.line,
      'The file declares a document type (<!DOCTYPE …>), with which a small file can fill the memory, so nothing of it is read: remove the declaration. Moodle writes none.',
    );
  }
}
