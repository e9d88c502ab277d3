import { Parser } from 'htmlparser2';
import type { QuestionFormat } from '../../../catalog/vocabulary';
import { renderMarkdown } from '../../../platform/markdown/markdown';
import { MarkdownError } from '../../../platform/markdown/markdown-error';
import { htmlToText } from '../text/html-text';
import { escapeXml, visibleInXml } from '../text/xml-text';

/** A text of a question as XHTML, with elements that every version of QTI has. */

/** Shown where a typed answer stands within a sentence. */
export const GAP = '____';

interface Node {
  name: string;
  attributes: Record<string, string>;
  children: (Node | string)[];
}

/** The URL of a picture by its id. */
type PictureUrl = (id: string) => string;

/** In blocks. @param pictureUrl for a text in Markdown */
export const blocksOf = (
  text: string,
  format: QuestionFormat | undefined,
  pictureUrl: PictureUrl,
): string =>
  flow(nodesOf(text, format, pictureUrl))
    .map(written)
    .join('');

/** In one line, if it has one. */
export const lineOf = (
  text: string,
  format: QuestionFormat | undefined,
  pictureUrl: PictureUrl,
): string => nodesOf(text, format, pictureUrl).map(written).join('');

/** What the reader finds of a text that was written as XHTML. */
export const visibleInQti = (text: string, format: QuestionFormat | undefined): string =>
  htmlToText(blocksOf(text, format, () => '')).text;

/** What the reader finds of a typed answer. */
export const visibleTyped = (text: string): string => visibleInXml(text).trim();

function nodesOf(
  text: string,
  format: QuestionFormat | undefined,
  pictureUrl: PictureUrl,
): (Node | string)[] {
  if (format !== 'markdown') return lines(text);
  try {
    const picture = (id: string) => ({ url: pictureUrl(id.toLowerCase()), width: 1, height: 1 });
    return parsed(renderMarkdown(text, { picture }).html);
  } catch (error) {
    if (error instanceof MarkdownError) return lines(text);
    throw error;
  }
}

const element = (name: string, ...children: (Node | string)[]): Node => ({
  name,
  attributes: {},
  children,
});

const lines = (text: string): (Node | string)[] =>
  text.split('\n').flatMap((line, at) => (at === 0 ? [line] : [element('br'), line]));

/** What the elements of Markdown become; undefined: they stay. */
function translated(name: string, className = ''): string | undefined {
  if (name === 'del') return 'span';
  return name === 'code' && className.includes('code-block') ? 'pre' : undefined;
}

const MATHML = 'http://www.w3.org/1998/Math/MathML';
/** Attributes that MathML 2 and 3 have, as far as a formula needs them. */
const KEPT = new Set(
  'src alt stretchy fence separator accent accentunder largeop movablelimits linethickness'.split(
    ' ',
  ),
);

/** HTML that `renderMarkdown` wrote. */
function parsed(html: string): (Node | string)[] {
  const root = element('');
  const open = [root];
  const parser = new Parser({
    onopentag(name, { class: className, ...attributes }) {
      const node = element(translated(name, className) ?? name);
      for (const [key, value] of Object.entries(attributes))
        if (KEPT.has(key)) node.attributes[key] = value;
      if (name === 'math') node.attributes.xmlns = MATHML;
      // A table that scrolls has a frame of its own.
      if (name === 'div') node.name = '';
      open.at(-1)?.children.push(node);
      open.push(node);
    },
    ontext: (text) => open.at(-1)?.children.push(text),
    onclosetag: () => open.pop(),
  });
  parser.end(html);
  return root.children.flatMap((node) =>
    typeof node !== 'string' && node.name === '' ? node.children : [node],
  );
}

const BLOCKS = new Set(['p', 'ul', 'ol', 'blockquote', 'pre', 'hr', 'table', 'div']);

/** With a paragraph around everything that is in none. */
function flow(nodes: readonly (Node | string)[]): Node[] {
  const blocks: Node[] = [];
  let line: Node | undefined;
  for (const node of nodes) {
    if (typeof node !== 'string' && BLOCKS.has(node.name)) {
      line = undefined;
      blocks.push(node);
    } else if (line) line.children.push(node);
    else blocks.push((line = element('p', node)));
  }
  return blocks;
}

/** As XHTML demands it: only blocks in a quotation, and a table that has a body. */
function contentOf({ name, children }: Node): (Node | string)[] {
  if (name === 'blockquote') return flow(children);
  const [head, body] = children;
  if (name !== 'table' || typeof head !== 'object' || typeof body !== 'object') return children;
  return body.children.length > 0 ? children : [{ ...head, name: 'tbody' }];
}

function written(node: Node | string): string {
  if (typeof node === 'string') return escapeXml(node);
  const { name, attributes } = node;
  const children = contentOf(node);
  const inner = children.map(written).join('');
  if (name === '') return inner;
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  return inner === ''
    ? `<${name}${given.join('')}/>`
    : `<${name}${given.join('')}>${inner}</${name}>`;
}
