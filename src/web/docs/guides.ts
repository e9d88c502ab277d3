import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderMarkdown, type RenderedGuide } from './markdown';

interface GuideEntry {
  slug: string;
  title: string;
  /** One line: for the overview, and under the title. */
  help: string;
  /** Below docs/. */
  file: string;
}

/** In the order in which somebody new needs them. */
export const GUIDES = [
  {
    slug: 'quickstart',
    title: 'Quickstart',
    help: 'From nothing to a quiz of your own in five minutes.',
    file: 'guides/quickstart.md',
  },
  {
    slug: 'authentication',
    title: 'Authentication',
    help: 'API keys: where they go, and what they may do.',
    file: 'guides/authentication.md',
  },
  {
    slug: 'pagination',
    title: 'Pagination',
    help: 'Walk long lists page by page, and draw random questions.',
    file: 'guides/pagination.md',
  },
  {
    slug: 'errors',
    title: 'Errors',
    help: 'Every situation in which a request fails, and what to do.',
    file: 'guides/errors.md',
  },
  {
    slug: 'limits',
    title: 'Limits',
    help: 'How often, how many, how large.',
    file: 'guides/limits.md',
  },
  {
    slug: 'http',
    title: 'Idempotency and caching',
    help: 'Send a request again without doing it twice, and ask only for what has changed.',
    file: 'http.md',
  },
  {
    slug: 'playing',
    title: 'Playing quizzes',
    help: 'Attempts, scores and leaderboards, with the answers safe on the server.',
    file: 'playing.md',
  },
  {
    slug: 'webhooks',
    title: 'Webhooks',
    help: 'Signed events, how to verify them, and what happens when you do not answer.',
    file: 'webhooks.md',
  },
  {
    slug: 'import-export',
    title: 'Import and export',
    help: 'Question files in and out: JSON, CSV, GIFT, Moodle XML and more.',
    file: 'import-export.md',
  },
  {
    slug: 'self-hosting',
    title: 'Self-hosting',
    help: 'Run the service yourself: one command, or PostgreSQL, Redis and several processes.',
    file: 'guides/self-hosting.md',
  },
  {
    slug: 'configuration',
    title: 'Configuration',
    help: 'Every setting with its default, its meaning and an example.',
    file: 'configuration.md',
  },
] as const satisfies GuideEntry[];

export type Guide = GuideEntry & RenderedGuide;

/** The same in src/ and in dist/. */
const DOCS = join(__dirname, '../../../docs');

/** What implementations of the webhooks' signatures are tested with. */
export const VECTORS = 'webhook-signature-vectors.json';

export const readVectors = (): string => readFileSync(join(DOCS, VECTORS), 'utf8');

/** The last section of some files is for contributors and is left out of the guide. */
const IMPLEMENTATION = '\n## Implementation\n';

const rendered = new Map<string, Guide>();

/** A guide, rendered at its first request; null for an unknown one. */
export function findGuide(slug: string): Guide | null {
  const entry = GUIDES.find((it) => it.slug === slug);
  if (!entry) return null;
  let guide = rendered.get(slug);
  if (!guide) {
    const [text = ''] = readFileSync(join(DOCS, entry.file), 'utf8').split(IMPLEMENTATION);
    rendered.set(slug, (guide = { ...entry, ...renderMarkdown(text, linkOf) }));
  }
  return guide;
}

/** A link from one file of docs/ to another leads from one guide to the other. */
function linkOf(href: string): string {
  const [path = '', hash] = href.split('#');
  const name = path.split('/').at(-1) ?? '';
  const guide = GUIDES.find(({ file }) => file.split('/').at(-1) === name);
  if (guide) return `/docs/guides/${guide.slug}${hash ? `#${hash}` : ''}`;
  return name === VECTORS ? `/docs/${VECTORS}` : href;
}
