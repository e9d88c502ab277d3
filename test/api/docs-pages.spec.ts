import timers from 'node:timers/promises';
import request from 'supertest';
import { ReviewService } from '../../src/authoring/review/review.service';
import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { DiscoveryService } from '../../src/catalog/discovery/discovery.service';
import { ApiDocument } from '../../src/platform/openapi/document/api-document';
import { DocsController } from '../../src/web/docs/docs.controller';
import { makeQuiz } from '../support/content';
import { questionBodies, questionBody, quizBody } from '../support/samples';
import { type Service, startService } from '../support/service';

/** The documentation at /docs, as HTML. What it looks like is seen in test/browser. */
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const page = (path: string) => request(service.url).get(path);

/** A topic with a category, and a public quiz in it. */
async function makeTopic(name: string, title: string, questions = questionBodies(1)) {
  const administrator = await service.account('pro', { isAdmin: true });
  const taxonomy = service.app.get(TaxonomyService);
  const { id: topicId } = await taxonomy.saveTopic(administrator, null, { name });
  const category = `${title} in ${name}`;
  await taxonomy.saveCategory(administrator, null, { name: category, topicId });
  await makeQuiz(administrator, { title, category }, questions);
  service.clock.advance(6_000);
}
/** Of the page's elements: samples of code may be HTML. */
const attributes = (html: string, name: string) =>
  [
    ...html
      .replace(/(<code[^>]*>)[^]*?<\/code>/g, '$1')
      .matchAll(new RegExp(` ${name}="([^"]*)"`, 'g')),
  ].map(([, value = '']) => value.replaceAll('&amp;', '&'));

let pages: Promise<Map<string, string>> | undefined;
/** Every page, found by following the links from the first. */
const everyPage = () => (pages ??= followLinks());

async function followLinks(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const visit = async (path: string): Promise<void> => {
    if (pages.has(path)) return;
    const { status, text } = await page(path);
    expect([path, status]).toEqual([path, 200]);
    pages.set(path, text);
    for (const href of attributes(text, 'href'))
      if (/^\/docs(\/(guides|reference)\/|$)/.test(href)) await visit(href.split('#', 1)[0] ?? '');
  };
  await visit('/docs');
  return pages;
}

/** The ids of each page. */
const idsOf = (pages: Map<string, string>) =>
  new Map([...pages].map(([path, html]) => [path, new Set(attributes(html, 'id'))]));

describe('documentation pages', () => {
  const FILES = '/docs/reference/files';

  test('a documentation page is cacheable for a minute and revalidates with 304', async () => {
    const { headers } = await page(FILES).expect(200);
    expect(headers['cache-control']).toBe('public, max-age=60');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toBeDefined();
    const again = await page(FILES)
      .set('If-None-Match', headers.etag ?? '')
      .expect(304);
    expect(again.text).toBe('');
  });

  test('a documentation page is compressed', async () => {
    const { headers, text } = await page(FILES).set('Accept-Encoding', 'gzip').expect(200);
    expect(headers['content-encoding']).toBe('gzip');
    expect(Number(headers['content-length'])).toBeLessThan(text.length / 4);
  });

  test('a documentation page is the same for every spelling of its path, and names the requested host', async () => {
    const first = await page('/docs/guides/errors').expect(200);
    for (const path of ['/docs/guides/errors', '/DOCS/guides/errors/', '/docs/guides/errors?a=b'])
      expect((await page(path).expect(200)).text).toBe(first.text);
    const elsewhere = await page('/docs/guides/quickstart').set('Host', 'quiz.test').expect(200);
    expect(elsewhere.text).toContain('http://quiz.test/api/v1');
    expect((await page('/docs/guides/quickstart')).text).not.toContain('quiz.test');
  });
});

test('without PUBLIC_URL the first page at another host than localhost is one warning, and with it there is none', async () => {
  const warned = ({ log }: Service) => log.filter((line) => line.includes('PUBLIC_URL is not set'));
  const fresh = await startService();
  const secure = await startService({ PUBLIC_URL: 'https://quiz.example.com' });
  for (const { url } of [fresh, secure])
    for (const [path, host] of [
      ['/docs', 'localhost:3000'],
      ['/docs', '127.0.0.1:3000'],
      ['/docs', '[::1]:3000'],
      ['/health/live', '10.0.0.7:3000'],
    ] as const)
      await request(url).get(path).set('Host', host).expect(200);
  expect([...warned(fresh), ...warned(secure)]).toEqual([]);
  for (const { url } of [fresh, secure])
    for (let at = 0; at < 5; at++) await request(url).get('/docs').set('Host', `quiz-${at}.test`);
  expect(warned(secure)).toEqual([]);
  expect(warned(fresh)).toEqual([expect.stringContaining('"host":"quiz-0.test"')]);
  await fresh.close();
  await secure.close();
});

describe('landing page, test vectors and search index', () => {
  test.each(['/', '/docs/webhook-signature-vectors.json', '/docs/search.json'])(
    '%s is compressed, cacheable for a minute and revalidates with 304',
    async (path) => {
      const { headers } = await page(path).set('Accept-Encoding', 'br').expect(200);
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=60',
        'content-encoding': 'br',
        vary: expect.stringMatching(/^(Cookie, Accept-Language, )?Accept-Encoding$/),
      });
      await page(path)
        .set('If-None-Match', headers.etag ?? '')
        .expect(304);
    },
  );

  test('the landing page is rendered again when a quiz becomes public', async () => {
    const { headers } = await page('/').expect(200);
    const owner = await service.account('pro');
    const { id } = await makeQuiz(owner, { title: 'Render me' }, questionBodies(1));
    await service.app.get(ReviewService).approve(id);
    service.clock.advance(6_000);
    const after = await page('/').expect(200);
    expect(after.text).toContain('Render me');
    expect(after.headers.etag).not.toBe(headers.etag);
  });

  test('the landing page has one suitable question with its answers and its JSON, and a link to each topic', async () => {
    const long = questionBodies(5).map((it) => ({ ...it, text: 'Long '.repeat(28) + it.text }));
    await makeTopic('World waters', 'Streams', long);
    await makeTopic('Mountains', 'Summits', [questionBody({ text: 'Live one?' })]);
    const { text } = await page('/').expect(200);
    const [, json = ''] = /class="live-after"[^>]*><code>([^<]*)/.exec(text) ?? [];
    expect(json).toContain('"meta": { … }'.replaceAll('"', '&quot;'));
    const whole = json.replaceAll('&quot;', '"').replace('{ … }', '{}');
    const { success, data } = JSON.parse(whole) as {
      success: boolean;
      data: { text: string; answers: { text: string; isCorrect: boolean }[] }[];
    };
    expect([success, data.length]).toEqual([true, 1]);
    expect(data[0]?.text).not.toContain('Long');
    expect(data[0]).not.toHaveProperty('language');
    const shown = [...text.matchAll(/data-answer="(\w+)"[^]*?<span[^>]*>([^<]*)/g)];
    expect(shown.map(([, mark, answer]) => [answer, mark])).toEqual(
      data[0]?.answers.map((it) => [it.text, it.isCorrect ? 'correct' : 'wrong']),
    );
    for (const [slug, name] of [
      ['world-waters', 'World waters'],
      ['mountains', 'Mountains'],
    ])
      expect(text).toContain(`<a href="/play?topic=${slug}"><bdi>${name}</bdi></a>`);
    // Where the URL is wider than its box, spaces before it would be a blank line.
    expect(text).toMatch(/\\\n {2}http/);
  });

  test('the landing page counts no questions where there are no topics', async () => {
    const discovery = service.app.get(DiscoveryService);
    const stats = { totalQuizzes: 1, totalQuestions: 4_711 };
    const metadata = jest
      .spyOn(discovery, 'metadata')
      .mockResolvedValue({ ...(await discovery.metadata()), stats });
    const topics = jest.spyOn(discovery, 'topics').mockResolvedValue([]);
    try {
      const { text } = await page('/').expect(200);
      const [hero] = /<section class="hero">[^]*?<\/section>/.exec(text) ?? [];
      expect(hero).toContain('A place to write your own');
      expect(hero).not.toMatch(/4,711|topic/);
    } finally {
      metadata.mockRestore();
      topics.mockRestore();
    }
  });

  test.each([
    ['a page of the reference', (docs: DocsController) => docs.section('files')],
    ['the search index', (docs: DocsController) => docs.search()],
  ])('%s that could not be made is made at the next request', async (_, open) => {
    const docs = new DocsController(service.app.get(ApiDocument));
    const failure = new Error('Something failed');
    const turns = jest.spyOn(timers, 'setImmediate').mockRejectedValueOnce(failure);
    await expect(open(docs)).rejects.toBe(failure);
    await open(docs);
    turns.mockRestore();
  });
});

describe('the catalogue at /play', () => {
  const titlesIn = (html: string) =>
    [...html.matchAll(/<strong><a href="\/play\/[^"]+"><bdi[^>]*>([^<]*)/g)].map(
      ([, title]) => title,
    );

  beforeAll(async () => {
    const owner = await service.account('pro', { isAdmin: true });
    for (const [title, category, difficulty] of [
      ['Catalogue rivers', 'Rivers & Lakes', 'EASY'],
      ['Catalogue lakes', 'Rivers & Lakes', 'HARD'],
      ['Catalogue bones', 'Anatomy', 'HARD'],
    ])
      await makeQuiz(owner, { title, category, difficulty }, questionBodies(1));
    await makeQuiz(owner, { title: 'Catalogue draft', published: false });
  });

  test.each([
    ['?q=CATALOGUE&sort=title', ['Catalogue bones', 'Catalogue lakes', 'Catalogue rivers']],
    ['?category=rivers+%26+lakes&sort=title', ['Catalogue lakes', 'Catalogue rivers']],
    ['?q=catalogue&difficulty=HARD&sort=newest', ['Catalogue bones', 'Catalogue lakes']],
    ['?q=catalogue+draft', []],
    ['?q=catalogue&page=2', []],
    ['?q=catalogue&sort=nonsense&difficulty=odd&topic=none&page=-1&q=x', 3],
  ])('/play%s lists the public quizzes that match', async (query, expected) => {
    const titles = titlesIn((await page(`/play${query}`).expect(200)).text);
    if (typeof expected === 'number') expect(titles.length).toBeGreaterThanOrEqual(expected);
    else expect(titles).toEqual(expected);
  });

  test('a page of the catalogue names its canonical URL, and a search is not indexed', async () => {
    const category = await page('/play?category=Anatomy&x=1').expect(200);
    expect(category.text).toMatch(
      /<link rel="canonical" href="http:\/\/[^"]+\/play\?category=Anatomy"/,
    );
    expect(category.text).not.toContain('noindex');
    expect((await page('/play?q=catalogue')).text).toContain('content="noindex"');
  });

  test('a question mark in a search keeps the parameters after it, in links and the canonical URL', async () => {
    const { text } = await page('/play?q=who?&category=Anatomy&lang=de').expect(200);
    expect(text).toContain('href="?q=who%3F&amp;category=Anatomy&amp;lang=fr"');
    expect(text).toMatch(/<link rel="canonical" href="[^"]+\/play\?q=who%3F[^"]+&amp;lang=de"/);
  });

  test('a page after the last one is not indexed, and does not say that the catalogue is empty', async () => {
    const { text } = await page('/play?category=Anatomy&page=39').expect(200);
    expect(text).toContain('content="noindex"');
    expect(text).toContain('There is no page 39');
    expect(text).not.toContain('There is nothing here yet.');
    expect((await page('/play?category=None')).text).toContain('There is nothing here yet.');
  });

  test('hostile text in the search is escaped', async () => {
    const { text } = await page(`/play?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(text).not.toContain('<script>alert');
    await page(`/play?q=${'%F0%9F%98%80'.repeat(500)}&category=%00`).expect(200);
  });
});

test('a theme is a cookie of this site, and leads back to a page of this site only', async () => {
  const post = (theme: string, referer: string, headers = {}) =>
    request(service.url)
      .post('/theme')
      .type('form')
      .set({ 'Sec-Fetch-Site': 'same-origin', Referer: referer, ...headers })
      .send({ theme });
  const chosen = await post('dark', `${service.url}/docs?x=1`).expect(303);
  expect(chosen.headers.location).toBe('/docs?x=1');
  const [cookie = ''] = chosen.headers['set-cookie'] as unknown as string[];
  expect(cookie).toMatch(/^quiz_theme=dark;.*Path=\/;.*HttpOnly; SameSite=Lax$/);
  for (const path of ['/', '/docs', '/play']) {
    const { text } = await page(path).set('Cookie', 'quiz_theme=dark').expect(200);
    expect(text).toContain('<html lang="en" dir="ltr" data-theme="dark">');
    expect((await page(path)).text).toContain('<html lang="en" dir="ltr">');
  }
  expect((await page('/docs')).headers.vary).toContain('Cookie');
  const system = await post('system', 'https://elsewhere.example/docs').expect(303);
  expect(system.headers.location).toBe('/');
  expect(String(system.headers['set-cookie'])).toContain(
    'quiz_theme=; Path=/; Expires=Thu, 01 Jan',
  );
  const doubled = await post('dark', `${service.url}//elsewhere.example/docs`).expect(303);
  expect(doubled.headers.location).toBe('/elsewhere.example/docs');
  const unreadable = await post('dark', `${service.url}/docs`, { Host: 'a b' }).expect(303);
  expect(unreadable.headers.location).toBe('/');
  await request(service.url).post('/theme').set('Sec-Fetch-Site', 'cross-site').expect(403);
});

describe('files at fixed URLs', () => {
  test('robots.txt names the sitemap, which lists pages, topics and public quizzes', async () => {
    const robots = await page('/robots.txt')
      .expect(200)
      .expect('Content-Type', /text\/plain/);
    expect(robots.text).toMatch(/Disallow: \/dashboard\n[^]*Sitemap: http:\/\/.+\/sitemap\.xml/);
    await makeTopic('Seas', 'Mapped quiz');
    await makeQuiz(await service.account('pro'), { title: 'Unmapped quiz' }, questionBodies(1));
    const { text } = await page('/sitemap.xml').expect(200).expect('Content-Type', /xml/);
    for (const path of ['/docs/guides/quickstart', '/play?topic=seas', '/play/mapped-quiz'])
      expect(text).toContain(`<loc>${service.url}${path}</loc>`);
    expect(text).not.toContain('unmapped-quiz');
    const hosts = await page('/sitemap.xml').set('Host', 'a&b<script>').expect(200);
    expect(hosts.text).toContain('<loc>http://a&amp;b&lt;script&gt;/play</loc>');
  });

  test.each([
    ['/site.webmanifest', 200],
    ['/license.txt', 200],
    ['/favicon.ico', 303],
  ])('%s responds with %i', async (path, status) => {
    await page(path).expect(status);
  });

  test('an unknown URL is a page for a browser, and JSON for other clients', async () => {
    const browser = await page('/nothing').set('Accept', 'text/html,*/*;q=0.8').expect(404);
    expect(browser.text).toContain('There is no page at this URL.');
    expect((await page('/nothing').expect(404)).body).toMatchObject({ success: false });
  });
});

describe('documentation content', () => {
  /** Of the examples of the API's error responses. */
  const errorNames = () => {
    const { components } = service.app.get(ApiDocument).document;
    const names = Object.values(components.responses ?? {}).flatMap((response) =>
      Object.keys(
        (response as { content: Record<string, { examples: object }> }).content['application/json']
          ?.examples ?? {},
      ),
    );
    expect(names.length).toBeGreaterThan(10);
    return names;
  };

  test('the documentation has a titled page for every guide and every tag of the API', async () => {
    const pages = await everyPage();
    const { tags } = service.app.get(ApiDocument).document;
    expect([...pages.keys()].sort()).toEqual(
      [
        '/docs',
        ...[
          'assistants',
          'authentication',
          'deprecation',
          'editing',
          'embedding',
          'errors',
          'http',
          'import-export',
          'limits',
          'opentdb',
          'pagination',
          'playing',
          'quickstart',
          'self-hosting',
          'production',
          'configuration',
          'operations',
          'scaling',
          'typescript-client',
          'webhooks',
          'writing',
        ].map((slug) => `/docs/guides/${slug}`),
        ...tags.map(({ name }) => `/docs/reference/${name.toLowerCase()}`),
      ].sort(),
    );
    for (const html of pages.values()) expect(html).toMatch(/<h1>[^<]+<\/h1>/);
  });

  test('the first request of the documentation has its response below it', async () => {
    const { text } = await page('/docs').expect(200);
    expect(text).toMatch(/aria-label="Request"[^]*aria-label="Response [^"]*"[^]*totalQuizzes/);
  });

  test('no page of the documentation names internals of the repository', async () => {
    const internals =
      /\b(src|migrations|bench|test)\/|docs\/adr|\badr\b|of the specification|npm run (settings|openapi|test)/gi;
    for (const [path, html] of await everyPage())
      expect([path, html.match(internals)]).toEqual([path, null]);
  });

  test('every link of the documentation has a target', async () => {
    const pages = await everyPage();
    const ids = idsOf(pages);
    for (const [path, html] of pages)
      for (const href of attributes(html, 'href')) {
        const [target = '', hash] = href.split('#');
        if (hash !== undefined)
          expect([path, href, ids.get(target || path)?.has(hash)]).toEqual([path, href, true]);
        else if (target.startsWith('/') && !pages.has(target))
          expect([path, href, (await page(target)).status < 400]).toEqual([path, href, true]);
        // A file of the repository is nowhere on the web.
        else
          expect([path, href]).toEqual([
            path,
            expect.stringMatching(/^(\/|https:\/\/|http:\/\/localhost:3000\/)/),
          ]);
      }
  });

  test('the search index has every endpoint, parameter, body field, guide heading and error, each at a place that exists', async () => {
    const { index } = (await page('/docs/search.json').expect(200)).body as {
      index: {
        documentIds: Record<string, string>;
        storedFields: Record<string, { title: string; context: string }>;
      };
    };
    const places = Object.entries(index.storedFields).map(([n, place]) => ({
      ...place,
      href: index.documentIds[n] ?? '',
    }));
    const pages = await everyPage();
    const ids = idsOf(pages);
    for (const { title, href } of places) {
      const [path = '', hash] = href.split('#');
      const there = ids.get(path);
      expect([title, href, there && (!hash || there.has(hash))]).toEqual([title, href, true]);
    }
    const found = places.map(({ title, context }) => `${title}, ${context}`);
    const { paths, components } = service.app.get(ApiDocument).document;
    for (const [path, methods] of Object.entries(paths))
      for (const [method, { summary, parameters = [], requestBody }] of Object.entries(methods)) {
        expect(found).toContain(`${summary}, ${method.toUpperCase()} ${path}`);
        const { $ref = '' } = requestBody?.content['application/json']?.schema ?? {};
        const fields = components.schemas[$ref.split('/').at(-1) ?? '']?.properties ?? {};
        for (const name of [...parameters.map((it) => it.name), ...Object.keys(fields)])
          expect(found).toContain(`${name}, ${summary}`);
      }
    const headings = [...pages]
      .filter(([path]) => path.startsWith('/docs/guides/'))
      .flatMap(([path, html]) =>
        // Instead of a status, its errors are found.
        [...html.matchAll(/<h[2-6] id="(?!status-)([^"]+)"/g)].map(([, id]) => `${path}#${id}`),
      );
    const errors = errorNames().map((name) => `/docs/guides/errors#${name}`);
    const hrefs = new Set(places.map(({ href }) => href));
    expect([...headings, ...errors].filter((href) => !hrefs.has(href))).toEqual([]);
    expect(found).toEqual(
      expect.arrayContaining([
        'Webhooks, Guide',
        'Webhooks, Reference',
        'Verifying, Webhooks',
        'A quiz was created, EVENT quiz.created',
        'title, Create a quiz',
        'Validation failed, Error 422',
      ]),
    );
  });

  test('commands in the documentation use the host that was requested', async () => {
    for (const [path, line] of [
      ['quickstart', `API=${service.url}/api/v1`],
      ['self-hosting', `curl -s ${service.url}/health/ready`],
    ] as const) {
      const { text } = await page(`/docs/guides/${path}`).expect(200);
      expect(text.replace(/<[^>]+>/g, '')).toContain(line);
      expect(text).not.toMatch(/origin\.invalid|localhost:3000/);
    }
    const { text } = await page('/docs/guides/quickstart').set('Host', '"><i>&');
    expect(text).toContain('http://&quot;&gt;&lt;i&gt;&amp;/api/v1');
    expect(text).not.toContain('"><i>&');
  });

  test.each(['createQuiz', 'importQuestions'])(
    'the documented example of %s succeeds',
    async (id) => {
      const account = await service.account('pro');
      const { paths } = service.app.get(ApiDocument).document;
      const [path = ''] =
        Object.entries(paths).find(([, methods]) => methods.post?.operationId === id) ?? [];
      const body = paths[path]?.post?.requestBody?.content['application/json']?.example as object;
      const { data } = (await account.post('/quizzes', quizBody()).expect(201)).body as {
        data: { id: string };
      };
      await account.post(path.slice('/api/v1'.length).replace('{id}', data.id), body).expect(201);
    },
  );

  test('the documentation leaves out notes for contributors', async () => {
    const { text } = await page('/docs/guides/import-export').expect(200);
    expect(text).toContain('Moodle XML');
    expect(text).not.toMatch(/Implementation|ImportRunnerService|\.spec\.ts/);
  });

  test('the documentation shows the limits of lists and the response headers', async () => {
    const { text } = await page('/docs/reference/quizzes');
    expect(text).toContain('at most 20 items · each 1 to 50 characters');
    expect(text).not.toMatch(/\b1 characters/);
    const created = text.slice(text.indexOf('id="createQuiz"'), text.indexOf('id="getQuiz"'));
    for (const name of ['Location', 'Idempotency-Replayed', 'RateLimit-Remaining'])
      expect(created).toContain(`<code class="field-name">${name}</code>`);
  });

  test('the documentation names the value of a field that has only one', async () => {
    const { text } = await page('/docs/reference/health');
    const live = text.slice(text.indexOf('/health/live'), text.indexOf('/health/ready'));
    expect(live).toContain('always live');
  });

  test('the documentation loads nothing from other hosts and has no inline script or style', async () => {
    const { headers } = await page('/docs/reference/quizzes');
    expect(headers['content-security-policy']).toContain(`default-src 'self'`);
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:/);
    for (const html of (await everyPage()).values()) {
      for (const src of attributes(html, 'src')) expect(src).toMatch(/^\//);
      expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
    }
  });

  test('the guide to errors has an entry for every error of the API', async () => {
    const { text } = await page('/docs/guides/errors');
    for (const name of errorNames()) expect(text).toContain(`id="${name}"`);
  });

  test.each(['The picture is too large', 'The file is too large'])(
    'an error whose text depends on the endpoint is shown and found as %j',
    async (title) => {
      const { text } = await page('/docs/guides/errors');
      const [, entry = ''] = /<article id="file-too-large"([^]*?)<\/article>/.exec(text) ?? [];
      expect(entry).toContain(`>${title}<`);
      expect((await page('/docs/search.json')).text).toContain(title);
    },
  );

  test.each([
    '/docs/guides/none',
    '/docs/reference/none',
    '/docs/none',
    '/docs/guides/constructor',
  ])('%s gets a 404 page', async (path) => {
    const response = await page(path).expect(404);
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  test('documentation pages do not count against the rate limit of the API', async () => {
    const remaining = async () => {
      const { headers } = await service.get('/metadata').expect(200);
      return Number(headers['ratelimit-remaining']);
    };
    const before = await remaining();
    for (const path of ['/docs', '/docs/guides/errors', '/docs/reference/files']) {
      const { headers } = await page(path).expect(200);
      expect(headers).not.toHaveProperty('ratelimit-limit');
    }
    expect(await remaining()).toBe(before - 1);
  });
});
