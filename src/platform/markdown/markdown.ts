import { decodeHTMLStrict, escapeUTF8 } from 'entities';
import { Marked, type MarkedToken, type Token, type Tokens } from 'marked';
import { BoundedCache } from '../bounded-cache';
import { LIMITS } from '../limits/limits';
import { parseUrl } from '../text/url.rules';
import { formulaHtml } from './formula';
import { MarkdownError, quoted } from './markdown-error';
import { textOfHtml } from './text-of-html';

/**
 * CommonMark with the tables and strikes of GitHub, and formulas in TeX between dollar signs, as HTML. Marked only finds
 * the structure: every tag is written here, and every text and attribute escaped here. HTML in a text is shown as text,
 * and the only images are stored ones.
 */

/** A stored image. */
export interface Picture {
  url: string;
  width: number;
  height: number;
  /** Loaded with the page, not when a reader scrolls near it: it is seen first, or printed. */
  isEager?: boolean;
}

export interface MarkdownOptions {
  /** Whether http and https URLs become links; otherwise they are shown. */
  links?: boolean;
  /** The image of an id in lower case; undefined: it is shown as its alternative text. */
  picture?: (id: string, alt: string) => Picture | undefined;
}

/** HTML of a text. */
export interface RenderedMarkdown {
  html: string;
  /** The first paragraph, without its tag: what a heading can hold. Empty if the text begins with another block. */
  lead: string;
  /** The blocks after it. */
  rest: string;
  /** As text, for names that are not read from MathML; null without a formula. */
  spoken: string | null;
}

const { markdownDepth, markdownHtml, markdownSigns } = LIMITS.content;
const DEEPEST = markdownDepth.value;
/** Characters that a line of a phone holds: longer code and formulas scroll, and so get the focus of a keyboard. */
const NARROW = 32;
/** Of what scrolls. No text looks like it: quotation marks in texts and attributes are escaped. */
const FOCUSABLE = ' tabindex="0"';

const MEDIA = /^media:([\w-]{1,64})$/;

interface Formula {
  type: 'formula';
  raw: string;
  text: string;
  isDisplay: boolean;
}

/** `$x$` with no space inside and no digit after it, so that "$5 or $10" is none; `$$x$$` in a line of its own. */
const FORMULA = /^\$\$([^$]+)\$\$|^\$(?![\s$])((?:\\[^]|[^\\$\n])*?(?:\\[^]|[^\\$\s]))\$(?![\d$])/;
/** The same, where escaped signs are masked already. */
const MASKED = /\$\$[^$]+\$\$|\$(?![\s$])[^$\n]*[^$\s]\$(?![\d$])/g;
const FORMULA_BLOCK = /^ {0,3}\$\$([^$]+)\$\$[ \t]*(?:\n+|$)/;

type MarkdownToken = MarkedToken | Formula;

const marked = new Marked({
  gfm: true,
  extensions: [
    {
      name: 'formulaBlock',
      level: 'block',
      start: (text) => /(?:^|\n) {0,3}\$\$/.exec(text)?.index,
      tokenizer: (text) => formulaToken(FORMULA_BLOCK.exec(text)),
    },
    {
      name: 'formula',
      level: 'inline',
      start: (text) => (text.includes('$') ? text.indexOf('$') : undefined),
      tokenizer: (text) => formulaToken(FORMULA.exec(text)),
    },
  ],
  hooks: {
    // A star within a formula ends no emphasis that began before it.
    emStrongMask: (text) =>
      text.includes('$') ? text.replace(MASKED, (part) => 'a'.repeat(part.length)) : text,
  },
});

function formulaToken(match: RegExpExecArray | null): Formula | undefined {
  if (!match) return undefined;
  const [raw, display, inline] = match;
  const text = (display ?? inline ?? '').trim();
  // `$$ $$` is text.
  if (!text) return undefined;
  return { type: 'formula', raw, text, isDisplay: display !== undefined };
}

/** @throws MarkdownError, whose message is the rest of a sentence that begins with the field */
export function renderMarkdown(source: string, options: MarkdownOptions = {}): RenderedMarkdown {
  requireSimple(source);
  const writer = new HtmlWriter(source, options);
  try {
    const blocks = blocksOf(source);
    const [first, ...others] = blocks;
    const lead = first?.type === 'paragraph' ? writer.inline(first.tokens ?? [], 0) : '';
    const rest = writer.blocks(lead ? others : blocks, 0);
    const html = blocks.length === 1 && lead ? lead : paragraph(lead) + rest;
    if (html.length > Math.min(markdownHtml.value, 2_000 + 30 * source.length))
      throw new MarkdownError('becomes too long when it is shown: use fewer formulas');
    return { html, lead, rest, spoken: html.includes('<math') ? textOfHtml(html) : null };
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    throw error;
  }
}

const rendered = new BoundedCache<RenderedMarkdown>(LIMITS.requests.markdownInMemory.value);

/**
 * The same for a stored text, from memory if possible. One that cannot be shown (any more) is shown as it was written.
 * @param pictures by id
 */
export function showMarkdown(
  source: string,
  links: boolean,
  pictures: ReadonlyMap<string, Picture>,
): RenderedMarkdown {
  const used = mediaIn(source).map((id) => {
    const { url, isEager } = pictures.get(id) ?? {};
    return [url, isEager];
  });
  const key = JSON.stringify([links, source, used]);
  const known = rendered.get(key);
  if (known) return known;
  const shown = renderOrEscape(source, { links, picture: (id) => pictures.get(id) });
  rendered.set(key, shown, key.length + 2 * shown.html.length);
  return shown;
}

function renderOrEscape(source: string, options: MarkdownOptions): RenderedMarkdown {
  try {
    return renderMarkdown(source, options);
  } catch (error) {
    if (!(error instanceof MarkdownError)) throw error;
    return asWritten(source);
  }
}

/** A stored text in one line without markup, for lists and sentences. */
export const markdownText = (source: string): string =>
  textOfHtml(showMarkdown(source, false, new Map()).html);

/** A text that is not rendered. */
export function asWritten(source: string): RenderedMarkdown {
  const html = escapeUTF8(source);
  return { html, lead: html, rest: '', spoken: null };
}

/** The ids of what may be stored images of a text, in lower case. */
export const mediaIn = (source: string): string[] =>
  [...source.matchAll(/media:([\w-]{1,64})/g)].flatMap(([, id]) => id?.toLowerCase() ?? []);

/**
 * Every stored image of a text, in order; ids in lower case. Reads it only: to render its formulas would take a hundred
 * times as long.
 * @throws MarkdownError
 */
export function picturesIn(source: string): { id: string; alt: string }[] {
  if (!source.includes('media:')) return [];
  return imagesIn(source).flatMap(({ href, alt }) => {
    const id = MEDIA.exec(href)?.[1];
    return id ? [{ id: id.toLowerCase(), alt: alt.trim() }] : [];
  });
}

/** An image as it is written. */
export interface WrittenImage {
  raw: string;
  href: string;
  alt: string;
}

/** Every image of a text, wherever it is, in order. @throws MarkdownError */
export function imagesIn(source: string): WrittenImage[] {
  if (!source.includes('![')) return [];
  return tokensIn(source)
    .filter((token): token is Tokens.Image => token.type === 'image')
    .map(({ raw, href, text }) => ({ raw, href: decodeHTMLStrict(href), alt: altOf(text) }));
}

/** Code as it is written: what looks like an image there is none. @throws MarkdownError */
export const codeIn = (source: string): string[] =>
  tokensIn(source)
    .filter(({ type }) => type === 'codespan' || type === 'code')
    .map(({ raw }) => raw);

function tokensIn(source: string): Token[] {
  requireSimple(source);
  const tokens: Token[] = [];
  void marked.walkTokens(blocksOf(source), (token) => {
    tokens.push(token);
  });
  return tokens;
}

/** A line is no list and no heading: "1945." and "# 5" are answers. */
function blocksOf(source: string): Token[] {
  const text = source.trim();
  const isLine = !/[\r\n]/.test(text) && !FORMULA_BLOCK.test(text);
  if (!isLine) return marked.lexer(text).filter(({ type }) => type !== 'space' && type !== 'def');
  return [
    { type: 'paragraph', raw: text, text, tokens: marked.Lexer.lexInline(text, marked.defaults) },
  ];
}

const tooDeep = () => new MarkdownError('is nested too deeply: use fewer levels');

/**
 * Marked reads nested quotations and lists by recursion, each time what is left of the text, and tries each sign of markup
 * with all that follow.
 */
function requireSimple(source: string): void {
  const signs = source.match(/[*_~[\]|$`<\n]/g)?.length ?? 0;
  if (signs > markdownSigns.value)
    throw new MarkdownError(
      `has ${signs} signs of markup, such as * and |, and may have ${markdownSigns.value}: split it into two texts`,
    );
  for (const line of source.split(/[\r\n]+/)) {
    const [marks = ''] = /^(?:[ \t]*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)))*/.exec(line) ?? [];
    if (marks.replace(/[\s\d]/g, '').length > DEEPEST) throw tooDeep();
  }
}

const paragraph = (html: string) => (html ? `<p>${html}</p>` : '');

/** Marked leaves entities and, in an image, escaped signs as they are. */
const altOf = (text: string) =>
  text.replace(
    /\\([!-/:-@[-`{-~])|&#?\w+;/g,
    (found, sign?: string) => sign ?? decodeHTMLStrict(found),
  );

/** Marked leaves entities as they are. One ends with a semicolon: `?a=1&copy=2` has none. */
const textOf = (text: string) => escapeUTF8(decodeHTMLStrict(text));

class HtmlWriter {
  /** Ids that the source names as they are, without escapes: other code finds stored images only by these. */
  private readonly media: ReadonlySet<string>;

  constructor(
    source: string,
    private readonly options: MarkdownOptions,
  ) {
    this.media = new Set(mediaIn(source));
  }

  blocks(tokens: readonly Token[], depth: number): string {
    if (depth > DEEPEST) throw tooDeep();
    return tokens.map((token) => this.block(token as MarkdownToken, depth)).join('');
  }

  inline(tokens: readonly Token[], depth: number): string {
    if (depth > DEEPEST) throw tooDeep();
    return tokens.map((token) => this.span(token as MarkdownToken, depth)).join('');
  }

  private block(token: MarkdownToken, depth: number): string {
    switch (token.type) {
      case 'space':
      case 'def':
        return '';
      case 'paragraph':
        return paragraph(this.inline(token.tokens, depth));
      // The text of a tight list item.
      case 'text':
        return 'tokens' in token && token.tokens
          ? this.inline(token.tokens, depth)
          : textOf(token.text);
      case 'heading':
        // Not a heading: that would change the outline of the page around it.
        return `<p class="heading">${this.inline(token.tokens, depth)}</p>`;
      case 'code':
        return codeBlock(token.text);
      case 'blockquote':
        return `<blockquote>${this.blocks(token.tokens, depth + 1)}</blockquote>`;
      case 'list':
        return this.list(token, depth);
      case 'table':
        return this.table(token, depth);
      case 'hr':
        return '<hr>';
      // Of a tight list item: its text follows in the same line.
      case 'checkbox':
        return this.span(token, depth);
      case 'html':
        return paragraph(escapeUTF8(token.raw.trim()));
      case 'formula':
        return this.displayed(token);
      default:
        return paragraph(this.span(token, depth));
    }
  }

  private list({ ordered, start, items }: Tokens.List, depth: number): string {
    const tag = ordered ? 'ol' : 'ul';
    const from = ordered && typeof start === 'number' && start !== 1 ? ` start="${start}"` : '';
    const rows = items.map((item) => `<li>${this.blocks(item.tokens, depth + 1)}</li>`);
    return `<${tag}${from}>${rows.join('')}</${tag}>`;
  }

  private table({ header, rows }: Tokens.Table, depth: number): string {
    const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
      `<tr>${cells
        .map(({ align, tokens }) => {
          const aligned = align === 'right' || align === 'center' ? ` class="${align}"` : '';
          return `<${tag}${aligned}>${this.inline(tokens, depth)}</${tag}>`;
        })
        .join('')}</tr>`;
    const body = rows.map((cells) => row(cells, 'td')).join('');
    return `<div class="wide"${FOCUSABLE}><table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table></div>`;
  }

  private span(token: MarkdownToken, depth: number): string {
    switch (token.type) {
      case 'text':
      case 'escape':
        return 'tokens' in token && token.tokens
          ? this.inline(token.tokens, depth + 1)
          : textOf(token.text);
      case 'strong':
        return `<strong>${this.inline(token.tokens, depth + 1)}</strong>`;
      case 'em':
        return `<em>${this.inline(token.tokens, depth + 1)}</em>`;
      case 'del':
        return `<del>${this.inline(token.tokens, depth + 1)}</del>`;
      case 'codespan':
        return `<code class="code">${escapeUTF8(token.text)}</code>`;
      case 'br':
        return '<br>';
      case 'checkbox':
        return token.checked ? '☑ ' : '☐ ';
      case 'link':
        return this.link(token, depth);
      case 'image':
        return this.image(token);
      case 'formula':
        return token.isDisplay ? this.displayed(token) : formulaHtml(token.text, false);
      default:
        // HTML, and whatever Marked may add: as it was typed.
        return escapeUTF8(token.raw);
    }
  }

  private link({ href, raw, tokens }: Tokens.Link, depth: number): string {
    const label = this.inline(tokens, depth + 1);
    const url = parseUrl(decodeHTMLStrict(href));
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return escapeUTF8(raw);
    const shown = escapeUTF8(url.href);
    if (this.options.links && !label.includes('<a '))
      return `<a class="link" href="${shown}" target="_blank" rel="noopener nofollow ugc">${label}</a>`;
    const isUrl = raw.startsWith('<') || /^(?:https?:\/\/|www\.)/i.test(raw);
    return isUrl ? label : `${label} (${shown})`;
  }

  private image({ href, text }: Tokens.Image): string {
    const alt = altOf(text).trim();
    const id = MEDIA.exec(href)?.[1]?.toLowerCase();
    if (!id || !this.media.has(id))
      throw new MarkdownError(
        `has the image ${quoted(href)}, and nothing is fetched from elsewhere: upload it, and write ![…](media:…)`,
      );
    const picture = this.options.picture?.(id, alt);
    if (!picture) return escapeUTF8(alt);
    const { url, width, height, isEager } = picture;
    const lazy = isEager ? '' : ' loading="lazy"';
    return `<img class="picture" src="${escapeUTF8(url)}" width="${width}" height="${height}" alt="${escapeUTF8(alt)}"${lazy} decoding="async">`;
  }

  private displayed({ text }: Formula): string {
    return `<span class="formula"${text.length > NARROW ? FOCUSABLE : ''}>${formulaHtml(text, true)}</span>`;
  }
}

/** A `code`, since a label and a heading, which hold such texts, must not contain a `pre`. Not coloured: that gives answers away. */
function codeBlock(text: string): string {
  const isWide = text.split('\n').some((line) => line.length > NARROW);
  return `<code class="code code-block"${isWide ? FOCUSABLE : ''}>${escapeUTF8(text)}</code>`;
}

/** The HTML for a button, a link or a label, within which nothing else takes the focus. */
export const withoutFocus = (html: string): string => html.replaceAll(FOCUSABLE, '');
