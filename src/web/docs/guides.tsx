import { readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { renderToString } from 'preact-render-to-string';
import { ORIGIN } from '../http/page-context';
import { Code } from './code';

/** The files that are guides, relative to docs/, each with the line under its title, in reading order. */
const GUIDE_FILES = {
  'guides/quickstart.md': 'Get a key, send the first request, create a quiz.',
  'guides/authentication.md': 'API keys: where they go, and what they may do.',
  '../clients/typescript/README.md':
    'A typed client with retries and pagination, installed from this service.',
  'guides/editing.md':
    'Change, publish, order and delete what you own, without overwriting others.',
  'guides/writing.md': 'Put pictures, formulas and code into questions.',
  'guides/assistants.md': 'Let an assistant search, write and repair quizzes, with a review.',
  'guides/pagination.md': 'Read long lists page by page, and draw random questions.',
  'guides/errors.md': 'Every situation in which a request fails, and what to do.',
  'guides/limits.md': 'How often, how many, how large.',
  'http.md': 'Send a request again without doing it twice, and ask only for what has changed.',
  'guides/embedding.md': 'Show a quiz in a page of your own: an element, a frame, or oEmbed.',
  'guides/opentdb.md': 'Let programs written for the Open Trivia Database draw questions here.',
  'playing.md': 'Attempts, scores and leaderboards, with the answers safe on the server.',
  'webhooks.md': 'Signed events, how to verify them, and what happens when you do not respond.',
  'import-export.md': 'Question files in and out: JSON, CSV, GIFT, Moodle XML and more.',
  'guides/deprecation.md': 'What may change, what is announced first, and for how long it stays.',
};

/** Those for operators. */
const OPERATIONS_FILES = {
  'guides/self-hosting.md':
    'Run the service yourself: two commands, or PostgreSQL, Redis and several processes.',
  'guides/production.md':
    'PostgreSQL, Redis, two API processes, a worker and nginx on one machine, without Docker.',
  'configuration.md': 'Every setting with its default, its meaning and an example.',
  'operations.md': 'Health checks, metrics, logs, backups, upgrades and quizctl.',
  'scaling.md': 'More processes, more machines, read replicas and failover.',
};

type GuideFile = keyof typeof GUIDE_FILES | keyof typeof OPERATIONS_FILES;

/** A page made of a Markdown file. */
export class Guide {
  readonly slug: string;
  /** The heading of the first level, which is not in the HTML. */
  readonly title: string;
  private readonly text: string;
  private rendered?: RenderedGuide;

  constructor(
    private readonly file: string,
    readonly help: string,
    readonly isForOperators: boolean,
  ) {
    [this.text = ''] = readFileSync(join(DOCS, file), 'utf8').split(FOR_CONTRIBUTORS);
    this.slug = slugOf(file);
    this.title = this.text.split('\n', 1)[0]!.slice('# '.length);
  }

  get html(): string {
    return this.render().html;
  }

  /** Those below the title. */
  get headings(): Heading[] {
    return this.render().headings;
  }

  /** On first use: all guides together take 0.2 seconds. */
  render(): RenderedGuide {
    return (this.rendered ??= renderGuide(this.file, this.text));
  }
}

interface Heading {
  id: string;
  title: string;
  depth: number;
}

interface RenderedGuide {
  html: string;
  headings: Heading[];
}

/** The same path from src/ and from dist/. */
const DOCS = join(__dirname, '../../../docs');

/** The file of test vectors for implementations of webhook signatures. */
export const VECTORS = 'webhook-signature-vectors.json';

export const readVectors = (): string => readFileSync(join(DOCS, VECTORS), 'utf8');

/** The first code block of a guide in a language, for pages that show it too. */
export const codeIn = (file: GuideFile, language: string): string =>
  readFileSync(join(DOCS, file), 'utf8').split(`\`\`\`${language}\n`)[1]?.split('\n```')[0] ?? '';

/** The last section of some files is for contributors and is left out of the guide. */
const FOR_CONTRIBUTORS = /\n## (?:Implementation|Development)\n/;

let all: Guide[] | undefined;

/** All guides. */
export const guides = (): Guide[] =>
  (all ??= [GUIDE_FILES, OPERATIONS_FILES].flatMap((files, group) =>
    Object.entries(files).map(([file, help]) => new Guide(file, help, group === 1)),
  ));

const slugOf = (file: string) =>
  file.startsWith('../') ? 'typescript-client' : basename(file, '.md');

/** Files of docs/ that have a URL of their own. */
const URLS: Record<string, string> = {
  [VECTORS]: `/docs/${VECTORS}`,
  'openapi.json': '/api/v1/openapi.json',
};

/** The URL of a link in a file; null if it leads to a file of the repository that is not on the web. */
function urlOf(file: string, href: string): string | null {
  if (/^(?:#|\/|https?:)/.test(href)) return href;
  const [path = '', hash] = href.split('#');
  const target = posix.join(posix.dirname(file), path);
  if (target in GUIDE_FILES || target in OPERATIONS_FILES)
    return `/docs/guides/${slugOf(target)}${hash ? `#${hash}` : ''}`;
  return URLS[target] ?? null;
}

const LABELS: Record<string, string> = {
  sh: 'Shell',
  html: 'HTML',
  http: 'HTTP',
  json: 'JSON',
  js: 'JavaScript',
  ts: 'TypeScript',
  nginx: 'nginx',
  markdown: 'Markdown',
  python: 'Python',
  go: 'Go',
  php: 'PHP',
};

/**
 * A guide as HTML. The text is our own, from the repository; it must not contain HTML.
 */
function renderGuide(file: string, text: string): RenderedGuide {
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      // A comment for contributors.
      html: () => '',
      heading({ tokens, depth, text: raw }: Tokens.Heading) {
        const title = raw.replace(/[`*]/g, '');
        const id = anchor(title);
        // The frame of the page shows the title.
        if (depth === 1) return '';
        headings.push({ id, title, depth });
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
        const url = urlOf(file, href);
        const inner = this.parser.parseInline(tokens);
        return url === null ? inner : `<a class="link" href="${url}">${inner}</a>`;
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
  return { html: marked.parse(text, { async: false }), headings };
}

/** As GitHub generates them, so that links work in both places. */
const anchor = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
