import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type axe from 'axe-core';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { PasswordsService } from '../../../src/access/sessions/passwords.service';
import { SessionsService } from '../../../src/access/sessions/sessions.service';
import { type Service, startService, type TestAccount } from '../../support/service';

/** The shell first: Chromium without a window's own processes, in which these tests take half the time. */
const CHROMIUM = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== '' && existsSync(path));

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

if (!CHROMIUM)
  process.stderr.write(
    'No Chromium is installed here, so the browser tests are skipped. Install it (apt-get install chromium-headless-shell), or name one with CHROMIUM=/path.\n',
  );

/** `describe`, skipped where there is no Chromium. */
export const inBrowser = (name: string, suite: () => void): void =>
  // Looked up now: each test file has a `describe` of its own, and this module is loaded once for all.
  (CHROMIUM ? describe : describe.skip)(name, suite);

export const PASSWORD = 'correct horse battery';

/** Of whatever a test waits for in a browser, in milliseconds. */
const TIMEOUT = 10_000;

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** Opens a path of the service. @returns the status of the page */
  go: (path: string) => Promise<number | undefined>;
}

export interface Browsing {
  service: Service;
  /** A browser window of its own, signed in as the account, or as nobody. `phone`: 375 px wide, and touched. */
  visitor(
    account?: TestAccount | null,
    options?: { javaScript?: boolean; phone?: boolean },
  ): Promise<Visitor>;
  /** An account with a password (and a key, named `test`). */
  member(...of: Parameters<Service['account']>): Promise<TestAccount>;
  close(): Promise<void>;
}

/** The service with its dashboard, and a browser. What a page logs as an error fails `close`. */
export async function startBrowsing(env: Record<string, string> = {}): Promise<Browsing> {
  const [service, browser] = await Promise.all([startService(env), launch()]);
  const errors: string[] = [];
  return {
    service,
    async visitor(account = null, { javaScript = true, phone = false } = {}) {
      const context = await browser.newContext({
        javaScriptEnabled: javaScript,
        timezoneId: 'Europe/Vienna',
        viewport: phone ? { width: 375, height: 720 } : { width: 1280, height: 800 },
        hasTouch: phone,
        isMobile: phone,
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      context.setDefaultTimeout(TIMEOUT);
      const page = await context.newPage();
      page.on('pageerror', (error) => errors.push(`${page.url()}: ${error.message}`));
      page.on('console', (message) => {
        // What a status says is not an error of a page: a refused form is a 422.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          errors.push(`${page.url()}: ${message.text()}`);
      });
      if (account) {
        const token = await service.app
          .get(SessionsService)
          .start(account.accountId, { userAgent: 'Firefox/130 Linux', address: '127.0.0.1' });
        await context.addCookies([
          {
            name: 'quiz_session',
            value: String(token),
            url: `${service.url}/dashboard`,
            httpOnly: true,
          },
        ]);
      }
      return {
        page,
        context,
        go: async (path) => (await page.goto(service.url + path))?.status(),
      };
    },
    async member(...of) {
      const account = await service.account(...of);
      await service.app.get(PasswordsService).set(account.accountId, PASSWORD);
      return account;
    },
    async close() {
      await browser.close();
      await service.close();
      expect(errors).toEqual([]);
    },
  };
}

const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: FLAGS, headless: true });

/** Every window of the path test, with and without scripts: the same path must lead to the same end. */
export const MODES = [
  ['with JavaScript', { javaScript: true }],
  ['without JavaScript', { javaScript: false }],
] as const;

/**
 * Does what leads to another page, and waits until that page is there with its scripts. A click of Playwright waits at
 * most until the next page begins, and a key not even for that: what is read once after it, or pressed, may still meet
 * the old page, or none.
 */
export async function toNextPage(page: Page, act: () => Promise<unknown>): Promise<void> {
  // Of a page that is still loading, the event would come too early.
  await page.waitForLoadState();
  // It has as long as the act and the page would have one after the other.
  await Promise.all([page.waitForEvent('load', { timeout: 2 * TIMEOUT }), act()]);
}

/** Clicks a link or a button that leads to another page, and waits for that page. */
export const follow = (target: Locator): Promise<void> =>
  toNextPage(target.page(), () => target.click());

/**
 * Nothing for axe to find, in light and in dark. With SCREENSHOTS=folder it also takes a picture of the page
 * in light, in dark and at 375 px.
 * @param isPublic a page for everybody: its colours are checked on a phone too, in light and in dark
 */
export async function inspect(
  page: Page,
  name: string,
  { isPublic = false }: { isPublic?: boolean } = {},
): Promise<void> {
  // Where the text of a page is shown, its styles and scripts may still be on their way.
  await page.waitForLoadState();
  const folder = process.env.SCREENSHOTS;
  if (folder) mkdirSync(folder, { recursive: true });
  const shoot = async (kind: string) => {
    if (folder)
      await page.screenshot({
        path: join(folder, `${name}.${kind}.png`),
        fullPage: process.env.SCREENSHOTS_VIEWPORT === undefined,
      });
  };
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await violations(page, colorScheme === 'dark' ? COLOURS : {})).toEqual([]);
    await shoot(colorScheme);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  const size = page.viewportSize();
  await page.setViewportSize({ width: 375, height: 720 });
  expect(await violations(page, isPublic ? {} : LAYOUT)).toEqual([]);
  // Only tables and code may be wider than the phone, within themselves.
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
  await shoot('phone');
  if (isPublic) {
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, COLOURS)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
  }
  // WCAG 1.4.10.
  await page.setViewportSize({ width: 320, height: 720 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  if (size) await page.setViewportSize(size);
}

const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
/** In dark the same page has other colours and nothing else, */
const COLOURS: axe.RunOptions = { runOnly: { type: 'rule', values: COLOUR_RULES } };
/** and on a phone another layout in the same colours. Most of the time of an audit goes into contrasts. */
const LAYOUT: axe.RunOptions = {
  rules: Object.fromEntries(COLOUR_RULES.map((rule) => [rule, { enabled: false }])),
};

/** Sent once to each page: reading it takes as long there as an audit. */
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Only violations are collected: the rest of the results of a long page takes longer to send than to find. */
async function violations(page: Page, rules: axe.RunOptions): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  // Without the selectors of elements, which are nowhere printed, an audit of a long page takes 60 % of its time.
  const options: axe.RunOptions = { resultTypes: ['violations'], selectors: false, ...rules };
  const found = await page.evaluate<axe.Result[]>(
    `axe.run(document, ${JSON.stringify(options)}).then((results) => results.violations)`,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** How much of what is on the page has moved since it was opened (CLS). */
export const layoutShift = (page: Page): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const shift of list.getEntries()) sum += shift.value;
    }).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(sum), 300);
  })`);
