import { RegistrationService } from '../../src/access/administration/registration.service';
import {
  type Browsing,
  follow,
  inBrowser,
  inspect,
  MODES,
  PASSWORD,
  startBrowsing,
} from './support/browser';

inBrowser('signing in with a browser', () => {
  let browsing: Browsing;
  beforeAll(async () => {
    browsing = await startBrowsing();
  });
  afterAll(() => browsing.close());

  test('the set-up link creates the first administrator, once', async () => {
    const { page, go } = await browsing.visitor();
    const token = await browsing.service.app.get(RegistrationService).newSetUpToken();
    await go('/dashboard/sign-in');
    await inspect(page, 'sign-in-before-set-up');
    await go(`/dashboard/set-up?token=${token}`);
    await inspect(page, 'set-up');
    await page.getByLabel('E-mail address').fill('root@example.com');
    await page.getByLabel('Password').fill('short');
    await follow(page.getByRole('button', { name: 'Create administrator' }));
    expect(await page.getByText('Use at least 10 characters.').isVisible()).toBe(true);
    expect(await page.getByLabel('E-mail address').inputValue()).toBe('root@example.com');
    await inspect(page, 'set-up-refused');
    await page.getByLabel('Password').fill(PASSWORD);
    await follow(page.getByRole('button', { name: 'Create administrator' }));
    expect(page.url()).toBe(`${browsing.service.url}/dashboard`);
    expect(await page.getByRole('heading', { name: 'Administration' }).isVisible()).toBe(true);

    await go(`/dashboard/set-up?token=${token}`);
    expect(
      await page.getByRole('heading', { name: 'This one-time link does not work' }).isVisible(),
    ).toBe(true);
    await inspect(page, 'set-up-used');
  });

  test.each(MODES)(
    '%s: a wrong password is refused, the correct one signs in, and sign-out works',
    async (_, mode) => {
      const { email } = await browsing.member();
      const { page, go } = await browsing.visitor(null, mode);
      await go('/dashboard/keys');
      expect(page.url()).toContain('/dashboard/sign-in?next=%2Fdashboard%2Fkeys');
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password').fill('not the password');
      await follow(page.getByRole('button', { name: 'Sign in' }));
      expect(await page.getByRole('alert').textContent()).toContain(
        'The e-mail address or the password is wrong.',
      );
      expect(await page.getByLabel('E-mail address').inputValue()).toBe(email);
      if (mode.javaScript) await inspect(page, 'sign-in-refused');
      await page.getByLabel('Password').fill(PASSWORD);
      await follow(page.getByRole('button', { name: 'Sign in' }));
      expect(page.url()).toBe(`${browsing.service.url}/dashboard/keys`);
      await follow(page.getByRole('button', { name: 'Sign out' }));
      await go('/dashboard/keys');
      expect(page.url()).toContain('/dashboard/sign-in');
    },
  );

  test('a sign-in that is sent offline says so, and keeps what was typed', async () => {
    const { email } = await browsing.member();
    const { page, context } = await browsing.visitor();
    // Not the browser's own host, which is reached also offline.
    const site = browsing.service.url.replace('127.0.0.1', 'quiz.localhost');
    for (const path of ['sign-up', 'sign-in']) {
      await page.goto(`${site}/dashboard/${path}`);
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password').fill(PASSWORD);
      await context.setOffline(true);
      await page.locator('.plain-card button').click();
      await page.getByRole('alert').getByText('You are offline, so nothing was sent.').waitFor();
      await inspect(page, `${path}-offline`);
      expect(await page.getByLabel('E-mail address').inputValue()).toBe(email);
      await context.setOffline(false);
    }
    await follow(page.getByRole('button', { name: 'Sign in' }));
    expect(page.url()).toBe(`${site}/dashboard`);
  });

  test.each(MODES)('%s: a visitor signs up when SIGN_UP is on', async (mode, options) => {
    const { page, go } = await browsing.visitor(null, options);
    await go('/dashboard/sign-up');
    if (options.javaScript) await inspect(page, 'sign-up');
    await page.getByLabel('E-mail address').fill(`${mode.replace(' ', '-')}@example.com`);
    await page.getByLabel('Password').fill(PASSWORD);
    await follow(page.getByRole('button', { name: 'Create account' }));
    expect(await page.getByRole('heading', { name: 'Free plan' }).isVisible()).toBe(true);
  });

  test.each(MODES)(
    '%s: an invited user sets a password with the one-time link and signs in',
    async (mode, options) => {
      const administrator = await browsing.member('pro', { isAdmin: true });
      const { page, go } = await browsing.visitor(administrator, options);
      const email = `invited-${mode.replace(' ', '-')}@example.com`;
      await go('/dashboard/admin/accounts/new');
      await page.getByLabel('E-mail address').fill(email);
      await page.getByRole('button', { name: 'Create account' }).click();
      const link = await page.getByText('/dashboard/sign-in/link?token=').innerText();
      const user = await browsing.visitor(null, options);
      await user.page.goto(link);
      await user.page.getByLabel('New password').fill(PASSWORD);
      const [sent] = await Promise.all([
        user.page.waitForRequest((request) => request.method() === 'POST'),
        user.page.getByRole('button', { name: 'Set password' }).click(),
      ]);
      // With PUBLIC_URL, a form whose origin is `null` is refused.
      expect(await sent.headerValue('origin')).toBe(browsing.service.url);
      // The page that follows begins in its first field.
      await user.page.locator('input[type="email"]:focus').waitFor();
      await user.page.keyboard.type(email);
      await user.page.getByLabel('Password').fill(PASSWORD);
      await user.page.getByRole('button', { name: 'Sign in' }).click();
      await user.page.waitForURL('**/dashboard');
    },
  );
});
