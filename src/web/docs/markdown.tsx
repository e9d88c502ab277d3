import { escapeUTF8 } from 'entities';
import { Marked, type Tokens } from 'marked';
import { renderToString } from 'preact-render-to-string';
import { Code } from './code';

export interface RenderedMarkdown {
  /** The heading of the first level, which is not in the HTML. */
  title: string;
  html: string;
  headings: { id: string; title: string; depth: number }[];
}

const LABELS: Record<string, string> = {
  sh: 'Shell',
  http: 'HTTP',
  json: 'JSON',
  js: 'JavaScript',
  python: 'Python',
  go: 'Go',
  php: 'PHP',
};

/** Placeholder in code for the service's URL, which is inserted for each reader. */
const ORIGIN = 'http://origin.invalid';

/** The guide with the URL of the service that shows it, so that examples can be pasted. */
export const htmlFor = ({ html }: RenderedMarkdown, baseUrl: string): string =>
  html.replaceAll(ORIGIN, () => escapeUTF8(baseUrl));

/**
 * A guide as HTML. The text is our own, from docs/; it must not contain HTML.
 * @param linkOf maps a link to another file of the repository
 */
export function renderMarkdown(text: string, linkOf: (href: string) => string): RenderedMarkdown {
  const headings: RenderedMarkdown['headings'] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: raw }: Tokens.Heading) {
        const title = raw.replace(/[`*]/g, '');
        const id = anchor(title);
        headings.push({ id, title, depth });
        // The frame of the page shows the title.
        if (depth === 1) return '';
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code({ text: code, lang = '' }: Tokens.Code) {
        const [language = ''] = lang.split(' ');
        return renderToString(
          <Code
            code={code.replaceAll('http://localhost:3000', ORIGIN)}
            language={language}
            label={LABELS[language] ?? 'Text'}
          />,
        );
      },
      link({ href, tokens }: Tokens.Link) {
        return `<a class="link" href="${linkOf(href)}">${this.parser.parseInline(tokens)}</a>`;
      },
      table({ header, rows }: Tokens.Table) {
        // On a phone, where a row is a card, two columns need no titles; more do.
        const titles =
          header.length > 2 ? header.map(({ text }) => text.replace(/[`*"<&]/g, '')) : [];
        const cells = (cell: 'th' | 'td', row: Tokens.TableCell[]) =>
          row
            .map((it, index) => {
              // An empty title would be read out by screen readers.
              const tag = it.text === '' ? 'td' : cell;
              const title = cell === 'td' && titles[index] ? ` data-title="${titles[index]}"` : '';
              return `<${tag}${title}>${this.parser.parseInline(it.tokens)}</${tag}>`;
            })
            .join('');
        // Without titles the first row is a normal row.
        const head = header.some((it) => it.text !== '')
          ? `<thead><tr>${cells('th', header)}</tr></thead>`
          : '';
        const body = rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('');
        return `<div class="table-box" role="group" aria-label="Table" tabindex="0"><table class="table">${head}<tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const html = marked.parse(text, { async: false });
  const [first, ...others] = headings;
  return { title: first?.title ?? '', html, headings: others };
}

/** As GitHub generates them, so that links work in both places. */
const anchor = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
