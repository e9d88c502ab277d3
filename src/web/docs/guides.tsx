import { escapeUTF8 } from 'entities';
import { Marked, type Tokens } from 'marked';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { renderToString } from 'preact-render-to-string';
import { Code } from './code';

/** The files below docs/ that are guides, each with the line under its title, in reading order. */
const GUIDE_FILES = {
  'guides/quickstart.md': 'Get a key, send the first request, create a quiz.',
  'guides/authentication.md': 'API keys: where they go, and what they may do.',
  'guides/editing.md':
    'Change, publish, order and delete what you own, without overwriting others.',
  'guides/assistants.md': 'Let an assistant search, write and repair quizzes, with a review.',
  'guides/pagination.md': 'Walk long lists page by page, and draw random questions.',
  'guides/errors.md': 'Every situation in which a request fails, and what to do.',
  'guides/limits.md': 'How often, how many, how large.',
  'http.md': 'Send a request again without doing it twice, and ask only for what has changed.',
  'guides/embedding.md': 'Show a quiz in a page of your own: an element, a frame, or oEmbed.',
  'playing.md': 'Attempts, scores and leaderboards, with the answers safe on the server.',
  'webhooks.md': 'Signed events, how to verify them, and what happens when you do not respond.',
  'import-export.md': 'Question files in and out: JSON, CSV, GIFT, Moodle XML and more.',
  'guides/deprecation.md': 'What may change, what is announced first, and for how long it stays.',
  'guides/self-hosting.md':
    'Run the service yourself: two commands, or PostgreSQL, Redis and several processes.',
  'configuration.md': 'Every setting with its default, its meaning and an example.',
};

/** A page made of a file below docs/. */
export interface Guide {
  slug: string;
  /** The heading of the first level, which is not in the HTML. */
  title: string;
  help: string;
  html: string;
  headings: { id: string; title: string; depth: number }[];
}

/** The same path from src/ and from dist/. */
const DOCS = join(__dirname, '../../../docs');

/** The file of test vectors for implementations of webhook signatures. */
export const VECTORS = 'webhook-signature-vectors.json';

export const readVectors = (): string => readFileSync(join(DOCS, VECTORS), 'utf8');

/** The first code block of a guide in a language, for pages that show it too. */
export const codeIn = (file: keyof typeof GUIDE_FILES, language: string): string =>
  readFileSync(join(DOCS, file), 'utf8').split(`\`\`\`${language}\n`)[1]?.split('\n```')[0] ?? '';

/** The last section of some files is for contributors and is left out of the guide. */
const IMPLEMENTATION = '\n## Implementation\n';

let rendered: Guide[] | undefined;

/** All guides, rendered on first use. */
export const guides = (): Guide[] =>
  (rendered ??= Object.entries(GUIDE_FILES).map(([file, help]) => {
    const [text = ''] = readFileSync(join(DOCS, file), 'utf8').split(IMPLEMENTATION);
    return { slug: basename(file, '.md'), help, ...renderMarkdown(text) };
  }));

/** A link between two files of docs/ becomes a link between two guides. */
function linkOf(href: string): string {
  const [path = '', hash] = href.split('#');
  const name = basename(path);
  if (name === VECTORS) return `/docs/${VECTORS}`;
  if (!Object.keys(GUIDE_FILES).some((file) => basename(file) === name)) return href;
  return `/docs/guides/${basename(name, '.md')}${hash ? `#${hash}` : ''}`;
}

const LABELS: Record<string, string> = {
  sh: 'Shell',
  html: 'HTML',
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
export const htmlFor = ({ html }: Guide, baseUrl: string): string =>
  html.replaceAll(ORIGIN, () => escapeUTF8(baseUrl));

/**
 * A guide as HTML. The text is our own, from docs/; it must not contain HTML.
 */
function renderMarkdown(text: string): Pick<Guide, 'title' | 'html' | 'headings'> {
  const headings: Guide['headings'] = [];
  const marked = new Marked({
    renderer: {
      // A comment for contributors.
      html: () => '',
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
