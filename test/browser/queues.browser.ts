import { startWorkerBeside } from '../support/worker-beside';
import { type Browsing, inBrowser, startBrowsing } from './support/browser';

inBrowser('the queues in a browser', () => {
  let browsing: Browsing;
  let worker: { close(): Promise<void> } | undefined;
  beforeAll(async () => {
    browsing = await startBrowsing();
    worker = await startWorkerBeside(browsing.service);
  });
  afterAll(async () => {
    await worker?.close();
    await browsing.close();
  });

  test.each(['light', 'dark'] as const)(
    'an administrator opens the queues from the menu, finds a scheduled task, and can only read it (%s)',
    async (colorScheme) => {
      const { page, go } = await browsing.visitor(await browsing.member('pro', { isAdmin: true }));
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const shoot = async (name: string) => {
        const folder = process.env.SCREENSHOTS;
        if (folder) await page.screenshot({ path: `${folder}/queues-${name}.${colorScheme}.png` });
      };
      await go('/dashboard');
      await page.getByRole('link', { name: 'Queues' }).click();
      await page.getByText('webhook-deliveries').first().waitFor();
      await shoot('overview');
      await page.getByText('scheduled-tasks').first().click();
      await page.waitForURL('**/queue/scheduled-tasks*');
      await go('/dashboard/admin/queues/queue/scheduled-tasks?status=delayed');
      await page.getByText('retention of deliveries').first().waitFor();
      await shoot('tasks');
      // The menu of a queue, with Pause and Add job.
      expect(await page.locator('main [aria-haspopup="menu"]').count()).toBe(0);
      for (const act of ['Promote', 'Clean'])
        expect([act, await page.getByRole('button', { name: act, exact: false }).count()]).toEqual([
          act,
          0,
        ]);
      await page.locator('header button').last().click();
      await page.getByText('Back to the dashboard').click();
      await page.waitForURL(/\/dashboard$/);
    },
  );
});
