import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { type Service, startService } from '../support/service';

/** What developers search for, and the page that answers it. */
const QUESTIONS: Record<string, string> = {
  authentication: '/docs/guides/authentication',
  'api key': '/docs/guides/authentication',
  'api key in browser': '/docs/guides/authentication#keys-for-web-pages',
  'play key': '/docs/guides/authentication#keys-for-web-pages',
  CORS: '/docs/guides/authentication#keys-for-web-pages',
  scopes: '/docs/guides/authentication#scopes',
  'forgot password': '/docs/guides/authentication#forgotten-passwords',
  'rate limit': '/docs/guides/limits',
  'how many requests per minute': '/docs/guides/limits',
  pagination: '/docs/guides/pagination',
  'random questions': '/docs/guides/pagination',
  'error codes': '/docs/guides/errors',
  idempotency: '/docs/guides/http',
  etag: '/docs/guides/http',
  'if-match': '/docs/reference/quizzes#updateQuiz.If-Match',
  typescript: '/docs/guides/typescript-client',
  sdk: '/docs/guides/typescript-client',
  'npm install': '/docs/guides/typescript-client#install',
  postman: '/docs#openapi',
  kubernetes: '/docs/guides/scaling',
  openapi: '/docs#openapi',
  leaderbord: '/docs/guides/playing',
  'verify webhook signature': '/docs/guides/webhooks#verifying',
  'webhook retries': '/docs/guides/webhooks',
  'import csv': '/docs/guides/import-export',
  moodle: '/docs/guides/import-export',
  'delete a quiz': '/docs/reference/quizzes#deleteQuiz',
  'publish quiz': '/docs/guides/editing',
  iframe: '/docs/guides/embedding',
  'claude mcp': '/docs/guides/assistants',
  'latex formula': '/docs/guides/writing',
  backup: '/docs/guides/operations#backup-and-restore',
  prometheus: '/docs/guides/operations#metrics',
  'health check': '/docs/guides/operations#health-checks',
  nginx: '/docs/guides/production',
  'environment variables': '/docs/guides/configuration',
};

interface Result {
  id: string;
  title: string;
  context: string;
}

/** The scripts and the index as a browser gets them, in a process of its own. */
let service: Service;
let folder: string;
beforeAll(async () => {
  service = await startService();
  folder = mkdtempSync(join(tmpdir(), 'search-'));
  const { text } = await request(service.url).get('/docs').expect(200);
  for (const name of ['search', 'script', 'library']) {
    const url = new RegExp(` data-${name}="([^"]+)"`).exec(text)?.[1] ?? '';
    const file = await request(service.url).get(url).buffer().expect(200);
    writeFileSync(join(folder, `${name}.${name === 'search' ? 'json' : 'mjs'}`), file.text);
  }
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service.close();
});

/** The results of each query. */
function search(queries: string[]): Result[][] {
  const program = `
    import { readFileSync } from 'node:fs';
    import { openSearch } from ${JSON.stringify(join(folder, 'script.mjs'))};
    import MiniSearch from ${JSON.stringify(join(folder, 'library.mjs'))};
    const find = openSearch(MiniSearch, JSON.parse(readFileSync(${JSON.stringify(join(folder, 'search.json'))}, 'utf8')));
    const answers = JSON.parse(process.argv[1]).map((query) => find(query).slice(0, 12));
    console.log(JSON.stringify(answers));`;
  const options = ['--input-type=module', '-e', program, JSON.stringify(queries)];
  return JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' })) as never;
}

/** Searches that once found nothing, or another page first. */
const FIRST = [
  ...['CORS', 'backup', 'typescript', 'sdk', 'postman', 'forgot password', 'leaderbord'],
  ...['rate limit', 'play key', 'api key in browser'],
];

describe('search of the documentation', () => {
  it('the search finds the page for each question of a developer among its first three results', () => {
    const queries = Object.keys(QUESTIONS);
    expect(queries).toHaveLength(36);
    for (const [n, results] of search(queries).entries()) {
      const query = queries[n] ?? '';
      const page = QUESTIONS[query] ?? '';
      const found = results.slice(0, FIRST.includes(query) ? 1 : 3).map(({ id }) => id);
      const expected = page.includes('#') ? page : expect.stringMatching(`^${page}(#|$)`);
      expect([query, found]).toEqual([query, expect.arrayContaining([expected])]);
    }
  });

  it('the search tolerates typing errors, unfinished words and plurals, and finds nothing for nonsense', () => {
    const queries = ['paginaton', 'idempot', 'webhok', 'Limits', 'xylophone', 'how does', '', '!?'];
    const first = search(queries).map(([first]) => first?.title);
    expect(first).toEqual([
      ...['Pagination', 'Idempotency and caching', 'Webhooks', 'Limits'],
      ...[undefined, undefined, undefined, undefined],
    ]);
  });

  it('the search puts a parameter first whose name is the query, with or without its underscore', () => {
    for (const [first] of search(['tags match', 'tags_match', 'include_answers']))
      expect(first?.id).toMatch(/#\w+\.(tags_match|include_answers)$/);
  });

  it('the index has words only, without the markup and the HTML entities around them', () => {
    const json = readFileSync(join(folder, 'search.json'), 'utf8');
    const { index } = JSON.parse(json) as { index: { index: [term: string, places: object][] } };
    const terms = index.index.map(([term]) => term);
    expect(terms.length).toBeGreaterThan(1_000);
    expect(terms.filter((term) => !/^[\p{L}\p{N}]+$/u.test(term))).toEqual([]);
    expect(terms).toContain('popular');
    expect(terms).not.toContain('quot');
    const [[limits] = [], ...others] = search(['quota', 'popular', 'sort=popular']);
    for (const found of others)
      expect(found.map(({ id }) => id)).toContain('/docs/reference/quizzes#listQuizzes.sort');
    expect(limits?.id).toMatch(/^\/docs\/guides\/limits(#|$)/);
  });

  it('a page of the documentation loads neither the index nor the library before a search', async () => {
    const { text } = await request(service.url).get('/docs').expect(200);
    expect(text).not.toMatch(/<script[^>]*search|<link[^>]*(search|minisearch)/);
  });
});
