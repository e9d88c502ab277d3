import type { Page } from 'playwright-core';
import { EndpointsService } from '../../src/webhooks/endpoints/endpoints.service';
import { eventually } from '../support/clock';
import { type Receiver, startReceiver } from '../support/receiver';
import { quizBody } from '../support/samples';
import type { TestAccount } from '../support/service';
import { startWorkerBeside } from '../support/worker-beside';
import { type Browsing, follow, inBrowser, inspect, MODES, startBrowsing } from './support/browser';

const HOSTILE = '<script>document.title = "hacked"</script><b>Internal error</b>';
const EVENTS = ['quiz.created', 'quiz.published'];

inBrowser('webhook pages in a browser', () => {
  let browsing: Browsing;
  let receiver: Receiver;
  let worker: { close(): Promise<void> } | undefined;
  beforeAll(async () => {
    receiver = await startReceiver();
    browsing = await startBrowsing({
      WEBHOOK_ALLOW_INSECURE: 'true',
      WEBHOOK_RETRY_DELAYS: '1m,10m',
      MODERATION: 'auto',
    });
  });
  afterAll(async () => {
    await worker?.close();
    await browsing.close();
    await receiver.close();
  });

  const addFor = async ({ accountId }: TestAccount, url: string) =>
    (await browsing.service.app.get(EndpointsService).add(accountId, { url, events: EVENTS }))
      .endpoint.id;

  /** A script looks again by itself; without one, people do. */
  const arrival = (page: Page, javaScript: boolean) =>
    eventually(async () => {
      const arrived = await page.getByText('delivered', { exact: true }).isVisible();
      const again = page.getByRole('link', { name: 'Refresh' });
      if (!arrived && !javaScript && (await again.isVisible())) await again.click();
      expect(arrived).toBe(true);
    });

  test('webhook pages without endpoints show the next step, and without a worker that events wait', async () => {
    const { page, go } = await browsing.visitor(await browsing.member('pro', { isAdmin: true }));
    await go('/dashboard/webhooks');
    expect(await page.getByRole('heading', { name: 'No endpoints yet' }).isVisible()).toBe(true);
    expect(await page.getByRole('link', { name: 'Add endpoint' }).isVisible()).toBe(true);
    expect(await page.getByText('No worker is running').isVisible()).toBe(true);
    await inspect(page, 'webhooks-empty');
    await follow(page.getByRole('link', { name: 'Deliveries' }));
    await inspect(page, 'deliveries-empty');
    await go('/dashboard/webhooks/new');
    await inspect(page, 'endpoint-new-administrator');
  });

  describe('webhook pages with a worker', () => {
    beforeAll(async () => {
      worker = await startWorkerBeside(browsing.service);
    });

    test.each(MODES)('%s: an endpoint is added and tested', async (mode, options) => {
      const look = (name: string) => (options.javaScript ? inspect(page, name) : Promise.resolve());
      const { page, go } = await browsing.visitor(await browsing.member(), options);
      const path = `/quiz-events/${mode.replaceAll(' ', '-')}`;

      await go('/dashboard/webhooks');
      await follow(page.getByRole('link', { name: 'Add endpoint' }));
      await page.getByLabel('URL').fill('hooks.example.com/quiz-events');
      await page.getByLabel('quiz.published').check();
      await follow(page.getByRole('button', { name: 'Add endpoint' }));
      expect(await page.getByText('is not a valid absolute URL').isVisible()).toBe(true);
      expect(await page.getByLabel('quiz.published').isChecked()).toBe(true);
      await look('endpoint-new-refused');
      await page.getByLabel('URL').fill(receiver.url(path));
      await follow(page.getByRole('button', { name: 'Add endpoint' }));
      expect(await page.getByLabel('Signing secret').textContent()).toMatch(/^whsec_/);
      await look('endpoint-added');

      await follow(page.getByRole('link', { name: 'I have copied it' }));
      await follow(page.getByRole('button', { name: 'Send test event' }));
      await arrival(page, options.javaScript);
      await page.getByRole('heading', { name: 'Attempt 1' }).waitFor();
      const marker = await page
        .getByText('Request headers')
        .evaluate((summary) => getComputedStyle(summary, '::before').content);
      expect(marker).toContain('▸');
      await look('delivery-test');
    });

    test.each(MODES)(
      '%s: an endpoint is edited, disabled and deleted, and its secret rotated',
      async (mode, options) => {
        const look = (name: string) =>
          options.javaScript ? inspect(page, name) : Promise.resolve();
        const member = await browsing.member();
        const { page, go } = await browsing.visitor(member, options);
        const path = `/quiz-events/${mode.replaceAll(' ', '-')}`;
        await addFor(member, receiver.url(path));
        await go('/dashboard/webhooks');
        await follow(page.getByRole('link', { name: path }));
        await follow(page.getByRole('link', { name: 'Edit' }));
        expect(await page.getByLabel('quiz.created').isChecked()).toBe(true);
        await page.getByLabel('quiz.created').uncheck();
        await look('endpoint-edit');
        await follow(page.getByRole('button', { name: 'Save' }));
        expect(await page.getByRole('status').textContent()).toContain('The settings are saved.');

        await follow(page.getByRole('button', { name: 'Stage a new secret' }));
        expect(await page.getByLabel('Signing secret').textContent()).toMatch(/^whsec_/);
        await look('secret-staged');
        await follow(page.getByRole('link', { name: 'I have copied it' }));
        await look('endpoint-staged');
        await follow(page.getByRole('button', { name: 'Promote the new secret' }));
        await page.getByRole('button', { name: 'Retire the old secret' }).click();
        await follow(page.getByRole('button', { name: 'Retire it' }));
        expect(await page.getByRole('status').textContent()).toContain('is retired');

        await page.getByRole('button', { name: 'Disable', exact: true }).click();
        await follow(page.getByRole('button', { name: 'Disable endpoint' }));
        expect(await page.getByText('This endpoint is disabled').isVisible()).toBe(true);
        await look('endpoint-disabled');
        await follow(page.getByRole('button', { name: 'Enable endpoint' }));
        expect(await page.getByText('This endpoint is disabled').isVisible()).toBe(false);

        await page.getByRole('button', { name: 'Delete endpoint' }).first().click();
        await look('endpoint-delete');
        await follow(page.getByRole('dialog').getByRole('button', { name: 'Delete endpoint' }));
        expect(await page.getByRole('status').textContent()).toContain('is deleted.');
      },
    );

    test.each(MODES)(
      '%s: deliveries are filtered by status, and failed ones retried',
      async (mode, options) => {
        const { clock, database } = browsing.service;
        const member = await browsing.member();
        const { page, go } = await browsing.visitor(member, options);
        const look = (name: string) =>
          options.javaScript ? inspect(page, name) : Promise.resolve();
        const place = mode.replaceAll(' ', '-');
        const [good, bad, long] = [`/good/${place}`, `/bad/${place}`, `/${'long/'.repeat(80)}`];
        receiver.answers(bad, { status: 500, body: HOSTILE });
        const [, badId] = [
          await addFor(member, receiver.url(good)),
          await addFor(member, receiver.url(bad)),
        ];
        const bodies = [quizBody(), quizBody({ title: 'Lakes of Europe' })];
        await member.post('/quizzes', bodies[0]).expect(201);
        // Both its events have had so many attempts, and the last of them is written.
        const attempted = (attempts: number) =>
          eventually(async () => {
            const rows = await database.query<{ job: string | null }[]>(
              `SELECT attempt_job AS job FROM webhook_deliveries WHERE endpoint_id = $1 AND attempts = $2`,
              [badId, attempts],
            );
            expect(rows).toEqual([{ job: null }, { job: null }]);
          });
        await attempted(1);
        clock.advance(2 * 60_000);
        await attempted(2);
        clock.advance(12 * 60_000);
        await attempted(3);
        await member.post('/quizzes', bodies[1]).expect(201);
        await attempted(1);
        const longId = await addFor(member, receiver.url(long));
        await browsing.service.app
          .get(EndpointsService)
          .disable({ accountId: member.accountId }, longId);

        await go('/dashboard');
        await look('overview-failing');
        await go('/dashboard/webhooks');
        const table = page.getByRole('table');
        expect(await table.getByText('failing', { exact: true }).isVisible()).toBe(true);
        await look('webhooks');
        await follow(table.getByRole('link', { name: bad }));
        await look('endpoint-failing');
        await go('/dashboard/webhooks/deliveries');
        await look('deliveries');
        const failure = page.getByRole('alert').getByText('The list could not be filtered');
        if (options.javaScript) {
          // The list stays as it was and says so, and the address stays too.
          await page.route('**/deliveries?**', (route) => route.fulfill({ status: 503 }));
          const refused = page.waitForResponse((response) => response.status() === 503);
          await page.getByLabel('Status').selectOption('delivered');
          await refused;
          await failure.waitFor();
          await look('deliveries-not-filtered');
          await page.unroute('**/deliveries?**');
        }
        await page.getByLabel('Status').selectOption('failed');
        if (!options.javaScript) await follow(page.getByRole('button', { name: 'Filter' }));
        await page.getByText('delivered', { exact: true }).nth(1).waitFor({ state: 'detached' });
        await page.waitForURL(/status=failed/);
        expect(await failure.count()).toBe(0);
        if (options.javaScript) {
          await page.goBack();
          expect(page.url()).toMatch(/\/deliveries$/);
          await go('/dashboard/webhooks/deliveries?status=failed');
        }
        expect(await page.locator('#deliveries tbody tr').count()).toBe(2);

        await follow(page.getByRole('link', { name: 'quiz.created' }));
        expect(await page.getByLabel('Response to attempt 3').textContent()).toBe(HOSTILE);
        expect(await page.title()).not.toBe('hacked');
        await look('delivery-failed');
        receiver.answers(bad, {});
        await follow(page.getByRole('button', { name: 'Retry now' }));
        await arrival(page, options.javaScript);
        await page.getByRole('heading', { name: 'Attempt 4 manual' }).waitFor();

        await go('/dashboard/webhooks/deliveries');
        await follow(page.getByRole('link', { name: 'Retry failed' }));
        await look('retry-failed');
        await follow(page.getByRole('button', { name: 'Retry' }));
        expect(await page.getByRole('status').textContent()).toContain('1 delivery is attempted');
      },
    );

    test('the page of a delivery shows its result without a reload', async () => {
      const member = await browsing.member();
      const { page, go } = await browsing.visitor(member);
      const id = await addFor(member, receiver.url('/slow'));
      let respond = () => {};
      const delay = new Promise<void>((resolve) => (respond = resolve));
      receiver.answers('/slow', { delay });
      await go(`/dashboard/webhooks/${id}`);
      await page.getByRole('button', { name: 'Send test event' }).click();
      await page.getByText('An attempt is under way.').waitFor();
      await inspect(page, 'delivery-under-way');
      await page.evaluate('window.wasNotReloaded = true');
      const copy = page.getByRole('button', { name: 'Copy' }).first();
      await copy.click();
      const copied = page.getByRole('button', { name: 'Copied' });
      await copied.waitFor();
      // An update of the page, which can come at any time in the two seconds for which the button says so.
      const label = await page.evaluate(`htmx
        .ajax('GET', location.href, { target: '#main', select: '#main', swap: 'outerMorph' })
        .then(() => document.querySelector('[data-copy]').textContent)`);
      expect(label).toBe('Copied');
      await copied.click();
      respond();
      await page.getByRole('heading', { name: 'Attempt 1 test' }).waitFor();
      expect(await page.evaluate('window.wasNotReloaded')).toBe(true);
      expect(await page.getByText('delivered', { exact: true }).isVisible()).toBe(true);
      expect(await page.getByText('An attempt is under way.').count()).toBe(0);
      await copied.waitFor({ state: 'detached' });
      expect(await copy.isVisible()).toBe(true);
    });

    test('what is open on the page of a delivery stays open while the page updates itself', async () => {
      const member = await browsing.member();
      const { page, go } = await browsing.visitor(member);
      const id = await addFor(member, receiver.url('/again'));
      let respond = () => {};
      const delay = new Promise<void>((resolve) => (respond = resolve));
      receiver.answers('/again', { status: 204 }, { delay });
      await go(`/dashboard/webhooks/${id}`);
      await follow(page.getByRole('button', { name: 'Send test event' }));
      await page.getByText('delivered', { exact: true }).waitFor();
      // Updates of a page have no button to send it again.
      await page.reload();
      await follow(page.getByRole('button', { name: 'Retry now' }));
      await page.getByText('An attempt is under way.').waitFor();
      const first = page.locator('li', { hasText: 'Attempt 1' }).locator('details').first();
      await first.locator('summary').click();
      const updated = `new Promise((done) => document.addEventListener('htmx:after:swap', () => done(), { once: true }))`;
      for (let updates = 0; updates < 2; updates++) {
        await page.evaluate(updated);
        expect(await first.getAttribute('open')).toBe('');
      }
      respond();
      const second = page.locator('li', { hasText: 'Attempt 2' });
      await second.waitFor();
      expect(await first.getAttribute('open')).toBe('');
      expect(await second.locator('details').first().getAttribute('open')).toBeNull();
    });
  });
});
