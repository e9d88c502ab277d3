import type { CallHandler, ExecutionContext } from '@nestjs/common';
import { h } from 'preact';
import { lastValueFrom, of } from 'rxjs';
import type { SessionsService } from '../../access/sessions/sessions.service';
import type { ReviewQueueService } from '../../authoring/review/review-queue.service';
import { Clock } from '../../platform/clock';
import { loadConfig } from '../../platform/config/config';
import { ConstantText } from '../../platform/http/server/text-response';
import { usePage } from './page-context';
import { ConstantPage, PageInterceptor } from './page-results';

let rendered = 0;
function Page() {
  rendered += 1;
  return h('a', { href: `${usePage().baseUrl}/docs` }, usePage().baseUrl);
}

/** What the interceptor of a process sends for the page, which uses neither sessions nor the review queue. */
function pagesOf(env: Record<string, string> = {}) {
  rendered = 0;
  const nothing = {} as SessionsService & ReviewQueueService;
  const interceptor = new PageInterceptor(nothing, loadConfig(env), new Clock(), nothing);
  const response = { status: () => response, setHeader: () => response };
  return async (host: string, path = '/docs', shown: unknown[] = []): Promise<ConstantText> => {
    const request = {
      headers: { host },
      protocol: 'http',
      path,
      query: {},
      acceptsLanguages: () => 'en',
    };
    const context = {
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => response }),
    };
    const next: CallHandler = { handle: () => of(new ConstantPage(() => h(Page, {}), shown)) };
    const sent = interceptor.intercept(context as unknown as ExecutionContext, next);
    return (await lastValueFrom(sent)) as ConstantText;
  };
}
const textOf = (sent: ConstantText) => sent.plain.toString();

test('a constant page is rendered once for 1,000 hosts, names each, and its kept text stays', async () => {
  const get = pagesOf();
  const own = await get('localhost:3000');
  for (let at = 0; at < 1_000; at++)
    expect(textOf(await get(`host-${at}.example`))).toContain(
      `<a href="http://host-${at}.example/docs">http://host-${at}.example</a>`,
    );
  expect(await get('localhost:3000')).toBe(own);
  expect(textOf(own)).toContain('<a href="http://localhost:3000/docs">');
  expect(rendered).toBe(1);
});

test('a constant page is kept for the last other host by which it was asked for', async () => {
  const get = pagesOf();
  const other = await get('192.0.2.1:3000');
  await get('localhost:3000');
  expect(await get('192.0.2.1:3000')).toBe(other);
  await get('192.0.2.2:3000');
  expect(await get('192.0.2.1:3000')).not.toBe(other);
});

test('every spelling of a page’s path is one page of the cache', async () => {
  const get = pagesOf();
  const own = await get('localhost:3000', '/docs/guides/errors');
  for (const path of ['/docs/guides/errors/', '/DOCS/guides/errors', '/docs/guides/%65rr%6Frs'])
    expect(await get('localhost:3000', path)).toBe(own);
  expect(rendered).toBe(1);
});

test('a constant page is rendered again once its content has changed', async () => {
  const get = pagesOf();
  const shown = [{}, {}];
  for (const now of [shown, shown, [shown[0], {}]]) await get('localhost:3000', '/', now);
  expect(rendered).toBe(2);
});

test('a host cannot add HTML to a constant page, nor make it long, and with PUBLIC_URL it changes nothing', async () => {
  const get = pagesOf();
  expect(textOf(await get('"><script>'))).toContain('href="http://&quot;&gt;&lt;script&gt;/docs"');
  expect(textOf(await get('a'.repeat(15_000)))).toContain('href="http://localhost:3000/docs"');
  const getPublic = pagesOf({ PUBLIC_URL: 'https://quiz.example.com' });
  const own = await getPublic('evil.example');
  expect(textOf(own)).toContain('href="https://quiz.example.com/docs"');
  expect(await getPublic('localhost:3000')).toBe(own);
});
