import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { ApiKeysService } from '../../src/access/api-keys/api-keys.service';
import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { LANGUAGES } from '../../src/platform/messages/languages';
import { directionOf } from '../../src/platform/text/language.rules';
import { readStarterCatalogue } from '../../src/seed/seed.service';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { questionBodies, quizBody } from '../support/samples';
import type { TestAccount } from '../support/service';
import {
  type Browsing,
  follow,
  inBrowser,
  inspect,
  layoutShift,
  MODES,
  PASSWORD,
  startBrowsing,
  toNextPage,
} from './support/browser';

inBrowser('the dashboard in a browser', () => {
  let browsing: Browsing;
  let member: TestAccount;
  let administrator: TestAccount;
  beforeAll(async () => {
    browsing = await startBrowsing();
    member = await browsing.member('starter', { email: 'ada@example.com' });
    administrator = await browsing.member('pro', { email: 'grace@example.com', isAdmin: true });
    await browsing.service.database.transaction(async (tx) => {
      const taxonomy = browsing.service.app.get(TaxonomyService);
      for (const [position, { topic, categories }] of readStarterCatalogue().entries())
        await taxonomy.seed(tx, { ...topic, position }, categories);
    });
    for (const title of ['Capitals of Europe', 'أنهار العالم', 'The periodic table'])
      await makeQuiz(administrator, { title, category: 'Capitals' }, questionBodies(3));
  });
  afterAll(() => browsing.close());

  test('the landing page shows the service and links to its parts', async () => {
    const { page, go } = await browsing.visitor();
    await go('/');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Good questions');
    await inspect(page, 'landing');
    const verdict = page.getByRole('status').getByText('Not quite.');
    expect(await verdict.isVisible()).toBe(false);
    expect(await page.getByLabel('Response').isVisible()).toBe(false);
    await page.locator('.live [data-answer="wrong"] input').first().check();
    expect(await verdict.isVisible()).toBe(true);
    expect(await page.getByLabel('Response').textContent()).toContain('"isCorrect": true');
    await inspect(page, 'landing-answered');
    await follow(page.getByRole('link', { name: 'Capitals of Europe' }));
    expect(page.url()).toContain('/play/capitals-of-europe');
    await page.goBack();
    await follow(page.getByRole('link', { name: 'Dashboard' }));
    expect(page.url()).toContain('/dashboard/sign-in');
  });

  /** The words of a page that are its own, and not its author's, a program's or a name. */
  const ownWords = (page: Page) =>
    page.evaluate<string>(`(() => {
      const body = document.body.cloneNode(true);
      for (const it of body.querySelectorAll('script, pre, code, bdi, [dir], .brand, .language-switch'))
        it.remove();
      return [document.title, body.textContent].join(' ').replaceAll('Quiz Question Service', '');
    })()`);
  const ENGLISH =
    /(?<![\p{L}-])(the|and|your|you|with|this|what|answers?|sign|play|search)(?![\p{L}-])/giu;

  test.each(LANGUAGES.filter((language) => language !== 'en'))(
    'the pages for everybody are in the language %s, and no page is wider than a phone',
    async (language) => {
      await makeQuiz(
        administrator,
        { title: `Rivers ${language}`, category: 'Capitals', published: true },
        questionBodies(2),
      );
      const { page, go } = await browsing.visitor();
      // Axe takes seconds for each page: in one language that is long, and in the one from right to left.
      const isInspected = language === 'de' || directionOf(language) === 'rtl';
      const check = async (name: string) => {
        const isRightToLeft = await page.locator(`html[lang="${language}"][dir="rtl"]`).count();
        expect([name, isRightToLeft]).toEqual([name, directionOf(language) === 'rtl' ? 1 : 0]);
        expect([name, (await ownWords(page)).match(ENGLISH)]).toEqual([name, null]);
        if (!isInspected) return;
        expect([name, await layoutShift(page)]).toEqual([name, expect.closeTo(0, 2)]);
        await inspect(page, `${name}-${language}`, { isPublic: true });
      };
      await go(`/?lang=${language}`);
      await check('landing');
      for (const [name, path] of [
        ['catalogue', '/play'],
        ['topic', '/play?topic=geography&difficulty=EASY'],
        ['category', '/play?category=Capitals'],
        ['nothing-found', '/play?q=zzzz'],
        ['sign-in', '/dashboard/sign-in'],
        ['sign-up', '/dashboard/sign-up'],
        ['forgotten', '/dashboard/sign-in/forgot'],
        ['embedded', `/embed/rivers-${language}`],
        ['no-page', '/play/unknown'],
        ['start', `/play/rivers-${language}`],
      ] as const) {
        await go(path);
        await check(name);
      }
      await follow(page.locator('main form .btn').last());
      await check('question');
      const heading = page.getByRole('heading', { level: 1 });
      await follow(page.locator('main .option').first());
      await heading.filter({ hasText: 'Question 2?' }).waitFor();
      await follow(page.locator('main .option').first());
      await heading.filter({ hasNotText: 'Question' }).waitFor();
      await check('result');
    },
    180_000,
  );

  test('the header of the landing page stands over its text, on a phone too, and no option of its request wraps', async () => {
    const { page, go } = await browsing.visitor();
    const left = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => Math.round(element.getBoundingClientRect().left));
    await makeQuiz(administrator, { title: 'Rivers of Asia' }, questionBodies(1));
    await go('/');
    const lines = page.locator('.live .copy code');
    // The URL, which is as long as the host's name, comes last and without quotes.
    expect(await lines.textContent()).toMatch(/^(.+\n){3} {2}http\S+\/questions$/);
    const rows = await lines.evaluate((code) => {
      const range = document.createRange();
      const text = code.firstChild!;
      range.setStart(text, 0);
      range.setEnd(text, (text.textContent ?? '').lastIndexOf('\n'));
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    });
    expect(rows).toBe(3);
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await left('.site-top .brand img')).toBe(await left('main h1'));
    }
    expect(await left('.site-links a')).toBe(await left('main h1'));
    await page.setViewportSize({ width: 1280, height: 800 });
    await go('/dashboard/sign-in');
    const middle = (selector: string) =>
      page.locator(selector).evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return Math.round((top + bottom) / 2);
      });
    const offset = (await middle('header .theme')) - (await middle('header .brand'));
    expect(Math.abs(offset)).toBeLessThanOrEqual(1);
  });

  test('the catalogue finds a quiz by topic and by search, and opens it', async () => {
    const { page, go } = await browsing.visitor();
    await go('/');
    await follow(page.getByRole('link', { name: 'Geography' }));
    // Topics and categories without a quiz are left out.
    const linksIn = (name: string) =>
      page.getByRole('navigation', { name }).getByRole('link').allInnerTexts();
    expect(await linksIn('Topics')).toEqual(['All', 'Geography']);
    expect(await linksIn('Categories of Geography')).toEqual([
      expect.stringMatching(/^Capitals\s+\d+$/),
    ]);
    await follow(page.getByRole('link', { name: /^Capitals \d+/ }));
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Capitals quizzes');
    await inspect(page, 'catalogue');
    await page
      .getByRole('searchbox')
      .or(page.getByLabel(/^Search/))
      .fill('capitals of');
    await follow(page.getByRole('button', { name: 'Search' }));
    await follow(page.getByRole('link', { name: 'Capitals of Europe' }));
    expect(page.url()).toContain('/play/capitals-of-europe');
  });

  test('a new user copies a key with three clicks from the landing page', async () => {
    const { page, go } = await browsing.visitor();
    await go('/');
    await follow(page.getByRole('link', { name: 'Get an API key' }));
    await page.getByLabel('E-mail').fill('three.clicks@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await follow(page.getByRole('button', { name: 'Create account' }));
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByText('Copied').first().waitFor();
  });

  test('the overview shows the plan, quizzes by state and the quickstart', async () => {
    for (const published of [true, true, false])
      await member.post('/quizzes', quizBody({ published })).expect(201);
    const { page, go } = await browsing.visitor(member);
    await go('/dashboard');
    expect(await page.getByText('3 quizzes').isVisible()).toBe(true);
    const waiting = page.locator('dl.figures div', { hasText: 'Waiting for review' });
    expect(await waiting.locator('dd').textContent()).toBe('2');
    await inspect(page, 'overview');
  });

  test('a chosen theme holds on every page, whatever the system prefers, without a script', async () => {
    const { page, go } = await browsing.visitor(member, { javaScript: false });
    await go('/dashboard/keys');
    await follow(page.getByRole('button', { name: 'Theme: system' }));
    await follow(page.getByRole('button', { name: 'Theme: light' }));
    expect(new URL(page.url()).pathname).toBe('/dashboard/keys');
    await page.emulateMedia({ colorScheme: 'light' });
    for (const path of ['/dashboard/keys', '/', '/play', '/docs', '/dashboard/sign-in']) {
      await go(path);
      await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
      // The lightness of oklch(…).
      const colour = `getComputedStyle(document.querySelector('.theme .btn')).color`;
      expect(Number(/[\d.]+/.exec(await page.evaluate(colour))?.[0])).toBeGreaterThan(0.6);
    }
    await follow(page.getByRole('button', { name: 'Theme: dark' }));
    await page.getByRole('button', { name: 'Theme: system' }).waitFor();
  });

  test('every tab stop is visible, and a confirmation holds the focus', async () => {
    await browsing.service.app.get(ApiKeysService).issueOwn(member.accountId, 'Held', null, {});
    const { page, go } = await browsing.visitor(member);
    await go('/dashboard/keys');
    const focused = () => page.locator(':focus');
    for (let stop = 0; stop < 12; stop++) {
      await page.keyboard.press('Tab');
      const { width = 0, height = 0 } = (await focused().boundingBox()) ?? {};
      expect([await focused().textContent(), width > 8, height > 8]).toEqual([
        expect.any(String),
        true,
        true,
      ]);
    }
    await page.getByRole('button', { name: 'Revoke', exact: true }).first().click();
    await inspect(page, 'confirm');
    const inside = page.getByRole('dialog').locator(':focus');
    for (let stop = 0; stop < 4; stop++) {
      expect(await page.locator('main > :not(dialog) :focus:not(dialog *)').count()).toBe(0);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Shift+Tab');
    expect(await inside.count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await focused().textContent()).toBe('Revoke');
  });

  test('the title of a refused form begins with Error, and that of a page with its notice', async () => {
    const { page, go } = await browsing.visitor(await browsing.member());
    await go('/dashboard/keys/new');
    await follow(page.getByRole('button', { name: 'Create key' }));
    expect(await page.title()).toMatch(/^Error: /);
    expect(await page.locator(':focus').getAttribute('name')).toBe('name');
    await go('/dashboard/keys');
    await page.getByRole('button', { name: 'Revoke', exact: true }).first().click();
    await follow(page.getByRole('button', { name: 'Revoke key' }));
    const notice = page.getByRole('status');
    expect(await page.title()).toContain((await notice.textContent()) ?? '-');
    expect(await page.locator(':focus').textContent()).toBe(await notice.textContent());
  });

  test.each(MODES)('%s: a key is issued, used, rotated and revoked', async (mode, options) => {
    const { page, go } = await browsing.visitor(member, options);
    await go('/dashboard/keys');
    await follow(page.getByRole('link', { name: 'New key' }));
    if (options.javaScript) await inspect(page, 'key-new');
    await follow(page.getByRole('button', { name: 'Create key' }));
    expect(await page.getByText('Give the key a name').isVisible()).toBe(true);
    if (options.javaScript) await inspect(page, 'key-new-refused');

    await page.getByLabel('Name').fill(`Website ${mode}`);
    await page.getByLabel('Expires').selectOption('90d');
    for (const scope of ['write', 'publish', 'webhooks'])
      await page.getByRole('checkbox', { name: new RegExp(`^${scope}`) }).uncheck();
    await page
      .getByLabel('Web origins')
      .fill('https://www.school.example\nhttps://quiz.school-district.example');
    await follow(page.getByRole('button', { name: 'Create key' }));
    if (options.javaScript) await inspect(page, 'key-issued');
    const line = await page.getByLabel('Command').textContent();
    const { stdout } = await promisify(execFile)('bash', ['-c', line ?? '']);
    const answer = JSON.parse(stdout);
    expect(answer.success).toBe(true);

    await follow(page.getByRole('link', { name: 'I have copied it' }));
    await follow(page.getByRole('link', { name: `Rotate Website ${mode}` }));
    if (options.javaScript) await inspect(page, 'key-rotate');
    await follow(page.getByRole('button', { name: 'Rotate key' }));
    expect(await page.getByText('stops working in 1 day').isVisible()).toBe(true);

    await go('/dashboard/keys');
    const row = page.getByRole('row', { name: new RegExp(`Website ${mode}.*active`) });
    expect(await row.textContent()).toContain('read, play · https://www.school.example');
    await row.getByRole('button', { name: 'Revoke', exact: true }).click();
    if (options.javaScript) await inspect(page, 'keys-revoke');
    await follow(page.getByRole('button', { name: 'Revoke key' }));
    expect(await page.getByRole('status').textContent()).toContain('is revoked');
    if (options.javaScript) await inspect(page, 'keys');
  });

  test('a key for an assistant is created in a minute, with the configuration of its client to copy', async () => {
    const { page, go } = await browsing.visitor(member);
    await go('/dashboard/keys');
    await follow(page.getByRole('link', { name: 'Connect an assistant' }));
    await inspect(page, 'assistant');
    expect(await page.getByLabel('publish').isChecked()).toBe(false);
    await page.getByLabel('Name').fill('Claude on my laptop');
    await follow(page.getByRole('button', { name: 'Create key' }));
    await inspect(page, 'assistant-key');
    const shown = await page.getByLabel('Configuration of Cursor').textContent();
    expect(JSON.parse(shown ?? '')).toMatchObject({
      mcpServers: { quizzes: { url: `${browsing.service.url}/mcp` } },
    });
  });

  test('the copy button copies a new key, and reloading the page issues no second one', async () => {
    const { page, go } = await browsing.visitor(member);
    await go('/dashboard/keys/new');
    await page.getByLabel('Name').fill('Copied');
    await follow(page.getByRole('button', { name: 'Create key' }));
    const shown = await page.getByLabel('The key').textContent();
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByText('Copied', { exact: true }).first().waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shown);
    await page.reload();
    expect(page.url()).toBe(`${browsing.service.url}/dashboard/keys`);
    expect(await page.getByRole('row', { name: /Copied/ }).count()).toBe(1);
  });

  test('the key page of an account without keys shows the next step', async () => {
    const { page, go } = await browsing.visitor(await browsing.member('free'));
    await browsing.service.database.query(
      `DELETE FROM api_keys WHERE account_id IN (SELECT id FROM accounts WHERE plan = 'free')`,
    );
    await go('/dashboard');
    await inspect(page, 'overview-free');
    await go('/dashboard/keys');
    expect(await page.getByRole('heading', { name: 'No keys yet' }).isVisible()).toBe(true);
    await inspect(page, 'keys-empty');
  });

  test.each(MODES)('%s: sessions are ended, and the password changed', async (_, options) => {
    const account = await browsing.member();
    const other = await browsing.visitor(account, options);
    const { page, go } = await browsing.visitor(account, options);
    await go('/dashboard/account');
    if (options.javaScript) await inspect(page, 'account');
    await follow(page.getByRole('button', { name: 'End', exact: true }));
    expect(await page.getByRole('status').textContent()).toBe('The session is ended.');
    await other.go('/dashboard');
    expect(other.page.url()).toContain('/dashboard/sign-in');

    await page.getByLabel('Current password').fill('a wrong one');
    await page.getByLabel('New password').fill('another good password');
    await follow(page.getByRole('button', { name: 'Change password' }));
    expect(await page.getByText('This is not your current password.').isVisible()).toBe(true);
    if (options.javaScript) await inspect(page, 'account-refused');
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('another good password');
    await follow(page.getByRole('button', { name: 'Change password' }));
    expect(await page.getByRole('status').textContent()).toContain('The password is changed.');
  });

  test.each(MODES)(
    '%s: an administrator changes an account, and the audit log shows it',
    async (_, options) => {
      const { email } = await browsing.member('free');
      const { page, go } = await browsing.visitor(administrator, options);
      await go('/dashboard/admin/accounts');
      if (options.javaScript) await inspect(page, 'accounts');
      await follow(page.getByRole('link', { name: email }));
      await page.getByLabel('Plan').selectOption('pro');
      await follow(page.getByRole('button', { name: 'Change plan' }));
      expect(await page.getByRole('status').textContent()).toBe(`${email} is on the Pro plan.`);
      await page.getByRole('button', { name: 'Disable account' }).click();
      if (options.javaScript) await inspect(page, 'account-disable');
      await follow(page.getByRole('dialog').getByRole('button', { name: 'Disable account' }));
      expect(await page.getByRole('status').textContent()).toContain(`${email} is disabled`);
      if (options.javaScript) await inspect(page, 'account-disabled');
      await go('/dashboard/admin/audit');
      const rows = page.getByRole('row', { name: new RegExp(email) });
      expect(await rows.allTextContents()).toEqual([
        expect.stringContaining('Account disabled'),
        expect.stringContaining('Free to Pro'),
      ]);
      if (options.javaScript) await inspect(page, 'audit');
    },
  );

  test('the list of accounts is filtered while typing', async () => {
    const { page, go } = await browsing.visitor(administrator);
    await go('/dashboard/admin/accounts');
    const other = page.getByRole('link', { name: 'grace@example.com' });
    expect(await other.isVisible()).toBe(true);
    await page.getByLabel('Search by e-mail address').fill('ada@');
    await other.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'ada@example.com' }).waitFor();
  });

  test('a filtered list is that of the last letters, and of the box, after an error and on the way back', async () => {
    const { page, go } = await browsing.visitor(administrator);
    await go('/dashboard/admin/accounts');
    const box = page.getByLabel('Search by e-mail address');
    const rows = page.locator('#accounts tbody tr');
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    let isBusy = false;
    let asked = 0;
    await page.route(/accounts\?q=/, async (route) => {
      if (route.request().headers()['hx-request'] === undefined) return route.continue();
      asked += 1;
      if (isBusy) return route.fulfill({ status: 503, body: '<main>Busy</main>' });
      await opened;
      // It may have been given up for a later one.
      await route.continue().catch(() => undefined);
    });
    for (const [number, letters] of ['a', 'da', '@'].entries()) {
      await box.pressSequentially(letters);
      await eventually(() => expect(asked).toBe(number + 1));
    }
    open();
    await eventually(async () => expect(await rows.allTextContents()).toHaveLength(1));
    await page.waitForURL(/\?q=ada%40$/);
    isBusy = true;
    await box.press('e');
    await eventually(() => expect(asked).toBe(4));
    expect(await rows.count()).toBe(1);
    await page.unrouteAll();
    await follow(page.getByRole('link', { name: 'ada@example.com' }));
    await toNextPage(page, () => page.goBack());
    expect(await rows.count()).toBe(1);
    expect(await box.inputValue()).toMatch(/^ada@/);
  });

  test('errors are shown as pages, and the menu opens on a phone', async () => {
    const { page, go } = await browsing.visitor(member);
    await go('/dashboard/no-such-page');
    expect(await page.getByRole('heading', { name: 'Page not found' }).isVisible()).toBe(true);
    await inspect(page, 'not-found');
    await go('/dashboard');
    await page.setViewportSize({ width: 375, height: 720 });
    expect(await page.getByRole('link', { name: 'API keys' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'API keys' }).waitFor();
    await inspect(page, 'menu');
  });

  test('on a phone a link to a question or topic leads to it below the bar, not behind it', async () => {
    const owner = await browsing.member('pro', { email: 'links@example.com', isAdmin: true });
    const { id } = await makeQuiz(owner, { title: 'Linked' }, questionBodies(12));
    const { page, go } = await browsing.visitor(owner, { phone: true });
    for (const [path, rows] of [
      [`/dashboard/quizzes/${id}`, '[id^="question-"]'],
      [`/dashboard/quizzes/${id}/results`, '[id^="question-"]'],
      ['/dashboard/admin/topics', '[id^="topic-"]'],
    ] as const) {
      await go(path);
      const row = await page.locator(rows).nth(3).getAttribute('id');
      await page.evaluate(`document.documentElement.style.scrollBehavior = 'auto'`);
      await go(`${path}#${row}`);
      const [bar, target] = [page.locator('.side'), page.locator(`#${row}`)];
      const { y = NaN, height = NaN } = (await bar.boundingBox()) ?? {};
      expect((await target.boundingBox())?.y).toBeGreaterThanOrEqual(y + height);
    }
  });
});
