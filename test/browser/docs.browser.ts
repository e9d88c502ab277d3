import type { Page } from 'playwright-core';
import { createQuiz } from '../support/writing';
import { type Browsing, follow, inBrowser, inspect, startBrowsing } from './support/browser';

/** The documentation as people use it. */
let browsing: Browsing;
inBrowser('documentation pages in a browser', () => {
  beforeAll(async () => {
    browsing = await startBrowsing();
  });
  afterAll(() => browsing.close());

  it.each([
    ['Documentation', '/docs'],
    ['Quickstart', '/docs/guides/quickstart'],
    ['Authentication', '/docs/guides/authentication'],
    ['Pagination', '/docs/guides/pagination'],
    ['Errors', '/docs/guides/errors'],
    ['Limits', '/docs/guides/limits'],
    ['Idempotency and caching', '/docs/guides/http'],
    ['Playing quizzes', '/docs/guides/playing'],
    ['Webhooks', '/docs/guides/webhooks'],
    ['Import and export', '/docs/guides/import-export'],
    ['Self-hosting', '/docs/guides/self-hosting'],
    ['Operating the service', '/docs/guides/operations'],
    ['TypeScript client', '/docs/guides/typescript-client'],
    // The pages of the reference are made of the same parts: one with every kind of request, and the smallest.
    ['Quizzes', '/docs/reference/quizzes'],
    ['Health', '/docs/reference/health'],
  ])('axe finds nothing on the page %s, in light and dark and on a phone', async (title, path) => {
    const { page, go, context } = await browsing.visitor();
    await go(path);
    expect(await page.locator('h1').textContent()).toBe(title);
    await inspect(page, path.slice(1).replaceAll('/', '-'));
    await context.close();
  });

  const tryIt = async (page: Page, id: string, fields: Record<string, string> = {}) => {
    const box = page.locator(`#${id} [data-try]`);
    if ((await box.getAttribute('open')) === null) await box.locator('summary').first().click();
    for (const [name, value] of Object.entries(fields)) {
      const field = box.locator(`[name="${name}"]`);
      if ((await box.locator(`select[name="${name}"]`).count()) > 0)
        await field.selectOption(value);
      else await field.fill(value);
    }
    return box;
  };
  const send = async (box: Awaited<ReturnType<typeof tryIt>>) => {
    await box.getByRole('button', { name: 'Send' }).click();
    await box.locator('[data-response]').waitFor();
    return {
      line: await box.locator('[data-line]').textContent(),
      body: await box.locator('[data-body]').textContent(),
    };
  };

  it('the reference sends requests with the typed key, which stays in the tab and out of URLs', async () => {
    const account = await browsing.member('pro');
    const quizId = await createQuiz(account);
    const { page, go } = await browsing.visitor();
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));

    await go('/docs/reference/quizzes');
    const asking = await tryIt(page, 'listQuizzes');
    const requests = addresses.length;
    await asking.getByRole('button', { name: 'Add a key to send' }).click();
    expect(await asking.locator('[data-key]').evaluate((it) => it.matches(':focus'))).toBe(true);
    expect(addresses).toHaveLength(requests);
    await go('/docs/reference/discovery');
    expect((await send(await tryIt(page, 'getMetadata'))).line).toMatch(/^200/);
    await go('/docs/reference/quizzes');

    const list = await tryIt(page, 'listQuizzes', { sort: 'newest', limit: '3' });
    await list.locator('[data-key]').fill(account.key);
    const { line, body } = await send(list);
    expect(line).toMatch(/^200 OK · GET \/api\/v1\/quizzes\?sort=newest&limit=3 · \d+ ms/);
    expect(JSON.parse(body ?? '')).toMatchObject({ success: true, data: [{ id: quizId }] });

    // The key is there for the other forms, and on the next page.
    const one = await send(await tryIt(page, 'getQuiz', { id: quizId }));
    expect(one.line).toMatch(/^200/);
    await inspect(page, 'docs-try-it');
    await go('/docs/reference/questions');
    expect((await send(await tryIt(page, 'findQuestions', { quiz_id: quizId }))).line).toMatch(
      /^200/,
    );

    expect(addresses.filter((address) => address.includes('svc_'))).toEqual([]);
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).toBe('{}');
  });

  it('a new test key goes from its dashboard page into the samples and forms of the documentation', async () => {
    const account = await browsing.member('pro');
    const { page, go } = await browsing.visitor(account);
    await go('/dashboard/keys/new');
    await page.getByLabel('Name').fill('Docs');
    await follow(page.getByRole('button', { name: 'Create key' }));
    const key = (await page.getByRole('region', { name: 'The key' }).innerText()).trim();
    expect(key).toMatch(/^svc_test_/);
    await page.getByRole('link', { name: 'Use it in the documentation' }).click();
    await page.waitForURL('**/docs/guides/quickstart');
    expect(await page.locator('.code').first().innerText()).toContain(`KEY=${key}`);
    await go('/docs/reference/quizzes');
    expect(await page.locator('#listQuizzes pre').first().innerText()).toContain(`Bearer ${key}"`);
    expect((await send(await tryIt(page, 'listQuizzes'))).line).toMatch(/^200/);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(key);
  });

  it('a form without a key leads to a new key for an hour, and back to the form with it', async () => {
    const account = await browsing.member('pro');
    const { page, go } = await browsing.visitor(account);
    await go('/docs/reference/quizzes');
    const box = await tryIt(page, 'listQuizzes');
    await box.getByRole('link', { name: 'Create a key for an hour' }).click();
    await page.waitForURL('**/dashboard/keys/new?for=docs');
    expect(await page.getByLabel('Name').inputValue()).toBe('Documentation');
    await inspect(page, 'key-for-docs');
    await follow(page.getByRole('button', { name: 'Create key' }));
    await page.getByRole('link', { name: 'Use it in the documentation' }).click();
    await page.waitForURL('**/docs/reference/quizzes#listQuizzes');
    expect((await send(await tryIt(page, 'listQuizzes'))).line).toMatch(/^200/);
    const { keys } = (
      await browsing.service.database.query(
        `SELECT json_agg(json_build_object('name', name, 'hours', round(extract(epoch FROM expires_at - created_at) / 3600)))
         AS keys FROM api_keys WHERE account_id = $1 AND name = 'Documentation'`,
        [account.accountId],
      )
    )[0] as { keys: unknown };
    expect(keys).toEqual([{ name: 'Documentation', hours: 1 }]);
  });

  it('the reference creates a quiz from its unchanged example', async () => {
    const account = await browsing.member('pro');
    const { page, go } = await browsing.visitor();
    await go('/docs/reference/quizzes');
    const box = await tryIt(page, 'createQuiz');
    await box.locator('[data-key]').fill(account.key);
    expect((await send(box)).line).toMatch(/^201 Created/);
  });

  it('the reference sends the typed Idempotency-Key and marks a replayed response', async () => {
    const account = await browsing.member('pro');
    const { page, go } = await browsing.visitor();
    await go('/docs/reference/quizzes');
    const box = await tryIt(page, 'createQuiz', {
      'Idempotency-Key': 'tried-once',
      body: '{"title": "Lakes", "difficulty": "EASY"}',
    });
    await box.locator('[data-key]').fill(account.key);
    const first = await send(box);
    expect(first.line).toMatch(/^201 Created · POST \/api\/v1\/quizzes · \d+ ms · \d+ requests/);
    await box.getByRole('button', { name: 'Send' }).click();
    await box.getByText('stored response').waitFor();
    expect(await box.locator('[data-body]').textContent()).toBe(first.body);
  });

  it('the reference shows a hostile response as text', async () => {
    const account = await browsing.member('pro');
    const id = await createQuiz(account, { title: '<img src=x onerror=alert(1)>' });
    const { page, go } = await browsing.visitor();
    await go('/docs/reference/quizzes');
    const box = await tryIt(page, 'getQuiz', { id });
    await box.locator('[data-key]').fill(account.key);
    expect((await send(box)).body).toContain('<img src=x onerror=alert(1)>');
    expect(await box.locator('img').count()).toBe(0);
  });

  it('tables of the documentation are readable on a phone', async () => {
    const { page, go } = await browsing.visitor();
    await page.setViewportSize({ width: 375, height: 700 });
    await go('/docs/guides/authentication');
    const style = (text: string) =>
      page
        .locator('td', { hasText: text })
        .first()
        .evaluate((cell) => {
          const { display, textAlign } = getComputedStyle(cell);
          return [display, textAlign, getComputedStyle(cell, '::before').content];
        });
    expect(await style('when a proxy already uses')).toEqual(['block', 'start', 'none']);
    expect(await style('owns up to 250 quizzes')).toEqual([
      'block',
      'start',
      expect.stringContaining('Creates quizzes, imports questions'),
    ]);
  });

  it('no table of a guide scrolls sideways on a wide screen', async () => {
    const { page, go } = await browsing.visitor();
    await page.setViewportSize({ width: 1280, height: 900 });
    await go('/docs');
    const guides = await page
      .locator('main a[href^="/docs/guides/"]')
      .evaluateAll((links) => [...new Set(links.map((link) => link.getAttribute('href')))]);
    expect(guides.length).toBeGreaterThan(10);
    const wide = [];
    for (const guide of guides) {
      await go(guide ?? '');
      const boxes = page.locator('.table-box');
      const scrolls = await boxes.evaluateAll(
        (all) => all.filter((box) => box.scrollWidth > box.clientWidth + 1).length,
      );
      if (scrolls > 0) wide.push(guide);
    }
    expect(wide).toEqual([]);
  });

  it('the search of the documentation works with the keyboard alone and announces its results', async () => {
    const { page, go } = await browsing.visitor();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await go('/docs/guides/webhooks');
    await page.keyboard.press('/');
    await page.keyboard.type('tags match');
    const box = page.getByRole('combobox', { name: 'Search the documentation' });
    await page.getByText(/^\d+ results$/).waitFor();
    expect(await box.getAttribute('aria-expanded')).toBe('true');
    const active = () => page.locator('[role=option][aria-selected=true]');
    expect(await active().textContent()).toBe('tags_matchList and search quizzes');
    await inspect(page, 'docs-search');
    await page.keyboard.press('ArrowDown');
    expect(await active().textContent()).toBe(
      'tags_matchGet the questions of a quiz, or browse all',
    );
    expect(await box.getAttribute('aria-activedescendant')).toBe(await active().getAttribute('id'));
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(/reference\/quizzes#listQuizzes\.tags_match$/);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('xylophone');
    expect((await page.getByText('No results').boundingBox())?.height).toBeGreaterThan(10);
    await page.keyboard.press('Escape');
    expect(await box.inputValue()).toBe('');
    expect(requests.filter((url) => !url.startsWith(browsing.service.url))).toEqual([]);
  });

  it('the search loads its index when it is used, and shows the right page within 250 ms of the last letter', async () => {
    const { page, go } = await browsing.visitor();
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await go('/docs');
    const isOfSearch = (path: string) => /search|minisearch/.test(path);
    expect(loaded.filter(isOfSearch)).toEqual([]);
    const box = page.getByRole('combobox', { name: 'Search the documentation' });
    await box.focus();
    await box.pressSequentially('rate');
    await page.locator('[role=option]').first().waitFor();
    expect(loaded.filter(isOfSearch)).toHaveLength(3);
    for (const [query, href] of [
      ['CORS', '/docs/guides/authentication#keys-for-web-pages'],
      ['backup', '/docs/guides/operations#backup-and-restore'],
      ['sdk', '/docs/guides/typescript-client'],
      ['leaderbord', '/docs/guides/playing'],
      ['rate limit', '/docs/guides/limits'],
    ] as const) {
      const time = await box.evaluate(async (element, text) => {
        const input = element as HTMLInputElement;
        const started = performance.now();
        input.value = text;
        const results = document.querySelector('#search-results')!;
        const changed = new Promise((resolve) =>
          new MutationObserver(resolve).observe(results, { childList: true }),
        );
        input.dispatchEvent(new Event('input'));
        await changed;
        return performance.now() - started;
      }, query);
      expect(time).toBeLessThan(250);
      const first = page.locator('[role=option]').first();
      expect(await first.getAttribute('href')).toMatch(new RegExp(`^${href}(#|$)`));
    }
  });

  it('a link to an endpoint leads there at once, wherever it is on the page', async () => {
    const { page, go } = await browsing.visitor();
    for (const id of ['deleteQuiz', 'createQuiz', 'listQuizzes']) {
      await go('/docs');
      await go(`/docs/reference/quizzes#${id}`);
      const top = (await page.locator(`#${id}`).boundingBox())?.y;
      expect([id, Math.round(top ?? 0)]).toEqual([id, 72]);
    }
  });

  it('the language of samples is chosen once for all endpoints and pages, and remembered', async () => {
    const { page, go } = await browsing.visitor();
    await go('/docs/reference/quizzes');
    const request = (id: string, language: string) =>
      page.locator(`#${id} pre`).and(page.getByLabel(`Request: ${language}`, { exact: true }));
    expect(await request('createQuiz', 'curl').isVisible()).toBe(true);
    await page.locator('#listQuizzes').getByLabel('curl', { exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await request('listQuizzes', 'JavaScript').textContent()).toContain('await fetch(');
    for (const id of ['listQuizzes', 'createQuiz', 'getQuiz']) {
      expect(await request(id, 'JavaScript').isVisible()).toBe(true);
      expect(await request(id, 'curl').isVisible()).toBe(false);
    }
    await go('/docs/reference/playing');
    expect(await request('startAttempt', 'JavaScript').isVisible()).toBe(true);
    await inspect(page, 'docs-language');
  });

  it('without JavaScript the documentation shows nothing that needs it', async () => {
    const { page, go } = await browsing.visitor(null, { javaScript: false });
    await go('/docs/reference/quizzes');
    expect(await page.getByText('Try it').first().isVisible()).toBe(false);
    expect(await page.getByRole('combobox').count()).toBe(0);
    expect(await page.locator('#listQuizzes').isVisible()).toBe(true);
    const samples = page.locator('#listQuizzes [data-language]').filter({ visible: true });
    expect(await samples.count()).toBe(1);
    expect(await samples.textContent()).toContain('curl -s');
    for (const [language, code] of [
      ['JavaScript', 'await fetch('],
      ['TypeScript', 'new QuizClient('],
      ['Python', 'import urllib.request'],
      ['Go', 'package main'],
      ['PHP', '<?php'],
    ] as const) {
      await page.locator('#listQuizzes').getByText(language, { exact: true }).click();
      expect(await samples.count()).toBe(1);
      expect(await samples.textContent()).toContain(code);
    }
    await page.setViewportSize({ width: 375, height: 700 });
    const link = page.getByRole('link', { name: 'Pagination' });
    expect(await link.isVisible()).toBe(false);
    await page.getByText('All pages', { exact: true }).click();
    await follow(link);
    expect(await page.locator('h1').textContent()).toBe('Pagination');
  });
});
