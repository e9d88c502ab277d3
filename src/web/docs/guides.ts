import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { renderMarkdown, type RenderedMarkdown } from './markdown';

/** The files below docs/ that are guides, each with the line under its title, in reading order. */
const GUIDE_FILES = {
  'guides/quickstart.md': 'From nothing to a quiz of your own in five minutes.',
  'guides/authentication.md': 'API keys: where they go, and what they may do.',
  'guides/pagination.md': 'Walk long lists page by page, and draw random questions.',
  'guides/errors.md': 'Every situation in which a request fails, and what to do.',
  'guides/limits.md': 'How often, how many, how large.',
  'http.md': 'Send a request again without doing it twice, and ask only for what has changed.',
  'playing.md': 'Attempts, scores and leaderboards, with the answers safe on the server.',
  'webhooks.md': 'Signed events, how to verify them, and what happens when you do not respond.',
  'import-export.md': 'Question files in and out: JSON, CSV, GIFT, Moodle XML and more.',
  'guides/self-hosting.md':
    'Run the service yourself: one command, or PostgreSQL, Redis and several processes.',
  'configuration.md': 'Every setting with its default, its meaning and an example.',
};

/** A page made of a file below docs/. */
export interface Guide extends RenderedMarkdown {
  slug: string;
  help: string;
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
    return { slug: basename(file, '.md'), help, ...renderMarkdown(text, linkOf) };
  }));

/** A link between two files of docs/ becomes a link between two guides. */
function linkOf(href: string): string {
  const [path = '', hash] = href.split('#');
  const name = basename(path);
  if (name === VECTORS) return `/docs/${VECTORS}`;
  if (!Object.keys(GUIDE_FILES).some((file) => basename(file) === name)) return href;
  return `/docs/guides/${basename(name, '.md')}${hash ? `#${hash}` : ''}`;
}
