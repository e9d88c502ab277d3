import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { AccountsService } from '../../src/access/accounts/accounts.service';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { png } from '../support/pictures';
import { questionBody } from '../support/samples';
import type { TestAccount } from '../support/service';
import { type Browsing, inBrowser, inspect, startBrowsing } from './support/browser';

const QUESTIONS = [
  questionBody({ explanation: 'It flows through ten countries.' }),
  questionBody({
    text: 'Which river made Egypt?',
    type: 'OPEN_ENDED',
    answers: [
      { text: 'Nile', isCorrect: true },
      { text: 'The Nile', isCorrect: true },
    ],
  }),
];

/** Pages of another site than the service's: `localhost` and `127.0.0.1` are two. */
inBrowser('a quiz in a page of another site', () => {
  let browsing: Browsing;
  let owner: TestAccount;
  let site: Server;
  let page: string;
  let at: string;

  beforeAll(async () => {
    browsing = await startBrowsing();
    owner = await browsing.member('pro', { isAdmin: true });
    await makeQuiz(owner, { title: 'Far waters' }, QUESTIONS);
    site = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page);
    }).listen(0);
    const { port } = site.address() as AddressInfo;
    const host = new URL(browsing.service.url).hostname;
    at = `http://${host === 'localhost' ? '127.0.0.1' : 'localhost'}:${port}`;
  });
  afterAll(async () => {
    site.close();
    await browsing.close();
  });

  /** A browser without third-party cookies, and where it sent requests. @param quiet whether errors on its console are expected */
  const visit = async (quiet = false) => {
    const { page: first, context } = await browsing.visitor();
    const tab = quiet ? await context.newPage() : first;
    const session = await context.newCDPSession(tab);
    await session.send('Network.enable');
    await session.send('Network.setCookieControls', { enableThirdPartyCookieRestriction: true });
    const hosts = new Set<string>();
    tab.on('request', (request) => hosts.add(new URL(request.url()).origin));
    return { tab, context, hosts };
  };
  const lines = (src = `${browsing.service.url}/play/far-waters`) =>
    `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>A blog</title><main><h1>A blog</h1>
<script async src="${browsing.service.url}/embed.js"></script>
<quiz-player src="${src}">
<a href="${src}">Far waters</a></quiz-player></main>
<script>window.seen = []; for (const name of ['quiz-start', 'quiz-answer', 'quiz-finish'])
  document.addEventListener(name, ({ detail }) => seen.push([name, detail]));</script></html>`;

  test('three lines of HTML play a quiz to its result without cookies, with events, verdicts and focus', async () => {
    page = lines();
    const { tab, context, hosts } = await visit();
    await tab.goto(at);
    await tab.getByLabel('Your name').fill('Ada');
    await inspect(tab, 'embed-start');
    await tab.getByRole('button', { name: 'Start' }).click();
    await tab.getByRole('heading', { name: 'Which river flows through Vienna?' }).waitFor();
    await inspect(tab, 'embed-question');
    // Digits belong to the page around it.
    expect(await tab.locator('quiz-player kbd').first().isVisible()).toBe(false);
    await tab.getByRole('button', { name: 'The Rhine', exact: true }).click();
    await tab.getByRole('heading', { name: 'Which river made Egypt?' }).waitFor();
    expect(await tab.locator('.sr-only[role=status]').textContent()).toBe(
      'Not quite. Question 2 of 2',
    );
    const focused = `document.querySelector('quiz-player').shadowRoot.activeElement.textContent`;
    expect(await tab.evaluate(focused)).toMatch(/Correct answer: The Danube.*ten countries/);
    await inspect(tab, 'embed-told');
    // A reload continues, by the storage of the page's own site.
    await tab.reload();
    await tab.getByRole('heading', { name: 'Which river made Egypt?' }).waitFor();
    await tab.getByRole('button', { name: 'Finish' }).click();
    await tab.getByRole('alert').filter({ hasText: 'Type an answer' }).waitFor();
    await tab.getByRole('textbox').fill('nile');
    await tab.getByRole('button', { name: 'Finish' }).click();
    await tab.getByText('Ada, you got 1 of 2 correct').waitFor();
    await inspect(tab, 'embed-result');
    expect(await tab.evaluate('seen')).toEqual([
      ['quiz-answer', { number: 2, correct: true }],
      ['quiz-finish', { score: 1, total: 2, seconds: expect.any(Number) }],
    ]);
    await tab.getByRole('button', { name: 'Play again' }).click();
    await tab
      .getByRole('heading', { level: 1, name: 'Which river flows through Vienna?' })
      .waitFor();
    expect(await tab.evaluate('seen.at(-1)')).toEqual(['quiz-start', { total: 2 }]);
    expect([...hosts].sort()).toEqual([at, browsing.service.url].sort());
    expect(await context.cookies()).toEqual([]);
  });

  test('what was answered wrong is practised in the element, which starts no further attempt', async () => {
    await makeQuiz(owner, { title: 'Home waters', maxAttempts: 2 }, QUESTIONS);
    page = lines(`${browsing.service.url}/play/home-waters`);
    const { tab } = await visit();
    await tab.goto(at);
    await tab.getByRole('button', { name: 'Start' }).click();
    await tab.getByRole('button', { name: 'The Danube', exact: true }).click();
    await tab.getByRole('textbox').fill('Rhine');
    await tab.getByRole('button', { name: 'Finish' }).click();
    await tab.getByText('you got 1 of 2 correct').waitFor();
    await tab.evaluate('seen.length = 0');
    await tab.getByRole('button', { name: 'Practise the wrong one' }).click();
    await tab.getByRole('heading', { level: 1, name: 'Which river made Egypt?' }).waitFor();
    expect(await tab.evaluate('seen')).toEqual([['quiz-start', { total: 1, practice: true }]]);
    await tab.getByRole('textbox').fill('Nile');
    await tab.getByRole('button', { name: 'Finish' }).click();
    await tab.getByRole('button', { name: 'Play again (1 try left)' }).waitFor();
    expect(await tab.evaluate('seen.slice(1)')).toEqual([
      ['quiz-answer', { number: 1, correct: true, practice: true }],
      ['quiz-finish', { score: 1, total: 1, seconds: expect.any(Number), practice: true }],
    ]);
  });

  test('pictures of questions are shown in a page of another site whose policy allows the service', async () => {
    const upload = (shade: number) =>
      owner
        .post('/media')
        .type('application/octet-stream')
        .send(png({ width: 400, height: 300, shade }))
        .expect(201);
    const [map, again] = [await upload(1), await upload(2)].map((it) => it.body.data.id as string);
    await makeQuiz(owner, { title: 'Mapped waters' }, [
      questionBody({
        format: 'markdown',
        text: `Which river?\n\n![A map](media:${map})`,
        explanation: `![The same map](media:${again})`,
      }),
      ...QUESTIONS.slice(1),
    ]);
    const { url } = browsing.service;
    page = lines(`${url}/play/mapped-waters`).replace(
      '<title>',
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${url} 'unsafe-inline'; connect-src ${url}; img-src ${url}"><title>`,
    );
    const { tab, hosts } = await visit();
    const missing: string[] = [];
    tab.on('response', (it) => void (it.status() >= 400 && missing.push(it.url())));
    await tab.goto(at);
    await tab.getByRole('button', { name: 'Start' }).click();
    const shown = async (name: string, id: string) => {
      const picture = tab.getByRole('img', { name, exact: true });
      await picture.scrollIntoViewIfNeeded();
      expect(await picture.getAttribute('src')).toBe(`${url}/media/${id}`);
      await eventually(async () =>
        expect(await picture.evaluate((it) => (it as HTMLImageElement).naturalWidth)).toBe(400),
      );
    };
    await shown('A map', map!);
    await tab.getByRole('button', { name: 'The Rhine', exact: true }).click();
    await shown('The same map', again!);
    await tab.getByRole('textbox').fill('nile');
    await tab.getByRole('button', { name: 'Finish' }).click();
    await tab.getByText('you got 1 of 2 correct').waitFor();
    expect([...hosts].sort()).toEqual([at, url].sort());
    expect(missing.filter((it) => !it.endsWith('/favicon.ico'))).toEqual([]);
  });

  test('the focus moves to the question after Skip, Back and a retry', async () => {
    page = lines();
    const { tab } = await visit();
    const focused = () =>
      tab.evaluate(`(() => {
        const { activeElement: it } = document.querySelector('quiz-player').shadowRoot;
        return it && it.tagName + ' ' + it.textContent;
      })()`);
    await tab.goto(at);
    await tab.getByRole('button', { name: 'Start' }).waitFor();
    // Nobody asked for it: the focus stays in the page around the element.
    expect(await focused()).toBe(null);
    await tab.getByRole('button', { name: 'Start' }).click();
    await tab.getByRole('link', { name: 'Skip' }).click();
    await tab.getByRole('textbox').waitFor();
    expect(await focused()).toBe('INPUT ');
    expect(await tab.locator('.sr-only[role=status]').textContent()).toBe('Question 2 of 2');
    await tab.context().setOffline(true);
    await tab.getByRole('link', { name: 'Back' }).click();
    await tab.getByRole('alert').waitFor();
    expect(await focused()).toBe('BUTTON Try again');
    await tab.context().setOffline(false);
    await tab.getByRole('button', { name: 'Try again' }).click();
    await tab.getByRole('heading', { name: 'Which river flows through Vienna?' }).waitFor();
    expect(await focused()).toBe('H1 Which river flows through Vienna?');
    await tab.getByRole('link', { name: 'Skip' }).click();
    await tab.getByRole('link', { name: 'Back' }).click();
    await tab.getByRole('heading', { name: 'Which river flows through Vienna?' }).waitFor();
    expect(await focused()).toBe('H1 Which river flows through Vienna?');
  });

  test('a response that does not come within ten seconds is not waited for longer', async () => {
    page = lines();
    const { tab } = await visit();
    await tab.goto(at);
    const neverAnswered = () => {};
    await tab.route('**/embed/**', neverAnswered, { times: 1 });
    await tab.getByRole('button', { name: 'Start' }).click();
    await tab.getByText('The quiz cannot be reached.').waitFor({ timeout: 15_000 });
    await tab.getByRole('button', { name: 'Try again' }).click();
    await tab.getByRole('heading', { name: 'Which river flows through Vienna?' }).waitFor();
  });

  test('the page sets colours, theme and quiz, and a quiz of another origin is not shown', async () => {
    page = lines().replace('<main>', '<main style="--quiz-accent: rgb(0, 100, 0)">');
    const { tab } = await visit();
    await tab.goto(at);
    await tab.getByRole('button', { name: 'Start' }).waitFor();
    const element = `document.querySelector('quiz-player')`;
    const background = (of: string) =>
      tab.evaluate(
        `getComputedStyle(${element}.shadowRoot.querySelector('${of}')).backgroundColor`,
      );
    const set = (name: string, value: string) =>
      tab.evaluate(`${element}.setAttribute('${name}', '${value}')`);
    expect(await background('.btn-big')).toBe('rgb(0, 100, 0)');
    expect(await background('.player')).toBe('rgb(255, 255, 255)');
    await set('theme', 'dark');
    expect(await background('.player')).not.toBe('rgb(255, 255, 255)');
    await set('src', 'https://elsewhere.example/play/x');
    await tab.getByText('src must be').waitFor();
    await set('src', `${browsing.service.url}/play/none`);
    await tab.getByText('This quiz is not available.').waitFor();
  });

  test('a changed src replaces the quiz, also while one is loading or no longer exists', async () => {
    await makeQuiz(owner, { title: 'Next waters' }, QUESTIONS);
    const { url } = browsing.service;
    page = lines();
    const { tab } = await visit();
    await tab.goto(at);
    await tab.getByRole('button', { name: 'Start' }).waitFor();
    // The URL that was kept of the next quiz leads nowhere any more.
    await tab.evaluate(
      `localStorage.setItem('quiz-player ${url}/embed/next-waters', '${url}/embed/next-waters/no/such/page/left')`,
    );
    const set = (src: string) =>
      tab.evaluate(`document.querySelector('quiz-player').setAttribute('src', '${src}')`);
    await set(`${url}/play/next-waters`);
    await tab.getByRole('heading', { name: 'Next waters' }).waitFor();
    // An invalid one, while a quiz is loading.
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await tab.route('**/embed/far-waters', (route) => held.then(() => route.continue()));
    const asked = tab.waitForRequest('**/embed/far-waters');
    await set(`${url}/play/far-waters`);
    await asked;
    await set('https://elsewhere.example/play/x');
    const message = tab.getByRole('alert').filter({ hasText: `src must be ${url}/play/` });
    await message.waitFor();
    const came = tab.waitForResponse('**/embed/far-waters');
    release();
    await (await came).finished();
    await tab.waitForTimeout(100);
    expect(await message.isVisible()).toBe(true);
    expect(await tab.getByRole('button').count()).toBe(0);
    expect(await tab.locator('quiz-player [aria-busy=true]').count()).toBe(0);
    // What the site wrote into the element stands for the quiz again.
    expect(await tab.getByRole('link', { name: 'Far waters' }).isVisible()).toBe(true);
    await set(`${url}/play/next-waters`);
    await tab.getByRole('heading', { name: 'Next waters' }).waitFor();
    expect(await message.count()).toBe(0);
  });

  test('an element that is made after its script loads once, in the language of its place', async () => {
    const { url } = browsing.service;
    const asked: string[] = [];
    page = `<!doctype html><html lang="de"><head><title>Ein Blog</title><script src="${url}/embed.js"></script></head><body>
<quiz-player src="${url}/play/far-waters"></quiz-player>
<div></div><script>
  const player = document.createElement('quiz-player');
  player.setAttribute('src', '${url}/play/far-waters');
  document.body.append(player);
</script></body></html>`;
    const { tab } = await visit();
    tab.on('request', (it) => void (it.url().includes('/embed/') && asked.push(it.url())));
    await tab.goto(at);
    const starts = tab.getByRole('button', { name: 'Los geht’s' });
    await eventually(async () => expect(await starts.count()).toBe(2));
    // Another place loads nothing again.
    await tab.evaluate(`document.querySelector('div').append(player)`);
    await tab.waitForTimeout(100);
    expect(await starts.count()).toBe(2);
    expect(asked).toEqual([`${url}/embed/far-waters`, `${url}/embed/far-waters`]);
  });

  test('an error page of the service has a margin in the element', async () => {
    const { id } = await makeQuiz(owner, { title: 'Drained waters' }, QUESTIONS);
    page = lines(`${browsing.service.url}/play/drained-waters`);
    // The browser writes the 404 to its console.
    const { tab } = await visit(true);
    await tab.goto(at);
    const start = tab.getByRole('button', { name: 'Start' });
    await start.waitFor();
    await owner.patch(`/quizzes/${id}`, { published: false }).expect(200);
    await start.click();
    await tab.getByRole('heading', { name: 'Page not found' }).waitFor();
    const left = async (of: string) => (await tab.locator(of).boundingBox())?.x ?? 0;
    expect((await left('.plain-card h1')) - (await left('.plain-card'))).toBeGreaterThan(15);
    await inspect(tab, 'embed-error');
  });

  test('an answer that is sent again, and one to an expired attempt, dispatch no events', async () => {
    await makeQuiz(owner, { title: 'Twice waters' }, QUESTIONS);
    page = lines(`${browsing.service.url}/play/twice-waters`);
    const { tab, context } = await visit();
    await tab.goto(at);
    await tab.getByRole('button', { name: 'Start' }).click();
    const answer = (of: Page) => of.getByRole('button', { name: 'The Danube', exact: true });
    await answer(tab).waitFor();
    // The same attempt in another tab.
    const other = await context.newPage();
    await other.goto(at);
    await answer(other).waitFor();
    await answer(tab).click();
    await tab.getByRole('textbox').waitFor();
    await answer(other).click();
    await other.getByRole('link', { name: 'Next', exact: true }).click();
    await other.getByRole('textbox').fill('Rhine');
    expect(await other.evaluate('seen')).toEqual([]);
    expect(await tab.evaluate('seen')).toEqual([
      ['quiz-start', { total: 2 }],
      ['quiz-answer', { number: 1, correct: true }],
    ]);
    browsing.service.clock.advance(25 * 3_600_000);
    await other.getByRole('button', { name: 'Finish' }).click();
    await other.getByRole('button', { name: 'Start' }).waitFor();
    expect(await other.evaluate('seen')).toEqual([]);
    // The reason has the focus, and a reload does not repeat it.
    const reason = other.getByText('This attempt has expired');
    expect(await reason.evaluate((it) => it.matches(':focus'))).toBe(true);
    await other.reload();
    await other.getByRole('button', { name: 'Start' }).waitFor();
    expect(await reason.count()).toBe(0);
  });

  test('without verdicts each recorded answer dispatches an event, and a changed one another', async () => {
    await makeQuiz(owner, { title: 'Silent waters' }, QUESTIONS);
    page = lines(`${browsing.service.url}/play/silent-waters`);
    const { tab } = await visit();
    await tab.goto(at);
    await tab.getByRole('checkbox').uncheck();
    await tab.getByRole('button', { name: 'Start' }).click();
    await tab.getByRole('button', { name: 'The Rhine', exact: true }).click();
    await tab.getByRole('link', { name: 'Back' }).click();
    await tab.getByRole('button', { name: 'The Danube', exact: true }).click();
    await tab.getByRole('textbox').fill('nile');
    await tab.getByRole('button', { name: 'Finish' }).click();
    await tab.getByText('you got 2 of 2 correct').waitFor();
    expect(await tab.evaluate('seen')).toEqual([
      ['quiz-start', { total: 2 }],
      ['quiz-answer', { number: 1, correct: null }],
      ['quiz-answer', { number: 1, correct: null }],
      ['quiz-answer', { number: 2, correct: null }],
      ['quiz-finish', { score: 2, total: 2, seconds: expect.any(Number) }],
    ]);
  });

  test('the countdown of a quiz with a time limit ends the attempt in the page of another site', async () => {
    await makeQuiz(owner, { title: 'Quick waters', timeLimit: 120 }, QUESTIONS);
    page = lines(`${browsing.service.url}/play/quick-waters`);
    const { tab } = await visit();
    await tab.clock.install();
    await tab.goto(at);
    await tab.getByRole('button', { name: 'Start' }).click();
    await tab.getByRole('button', { name: 'The Danube', exact: true }).click();
    await tab.getByRole('textbox').fill('nile');
    expect(await tab.getByRole('timer').textContent()).toMatch(/^(2:00|1:5\d) left$/);
    browsing.service.clock.advance(121_000);
    await tab.clock.fastForward(121_000);
    await tab.getByText('you got 2 of 2 correct in 2 min. Your time was up.').waitFor();
    expect(await tab.evaluate('seen.at(-1)')).toEqual([
      'quiz-finish',
      { score: 2, total: 2, seconds: 120 },
    ]);
  });

  test('the countdown ends an attempt whose last answer did not arrive', async () => {
    await makeQuiz(owner, { title: 'Lost waters', timeLimit: 120 }, QUESTIONS);
    page = lines(`${browsing.service.url}/play/lost-waters`);
    const { tab } = await visit();
    await tab.clock.install();
    await tab.goto(at);
    await tab.getByRole('button', { name: 'Start' }).click();
    await tab.getByRole('timer').waitFor();
    await tab.context().setOffline(true);
    await tab.getByRole('button', { name: 'The Danube', exact: true }).click();
    await tab.getByRole('alert').waitFor();
    await tab.context().setOffline(false);
    browsing.service.clock.advance(121_000);
    await tab.clock.fastForward(121_000);
    await tab.getByText('you got 0 of 2 correct in 2 min. Your time was up.').waitFor();
  });

  test('the countdown ends an attempt whose last answer fails only after the end', async () => {
    await makeQuiz(owner, { title: 'Late waters', timeLimit: 120 }, QUESTIONS);
    page = lines(`${browsing.service.url}/play/late-waters`);
    const { tab } = await visit();
    await tab.clock.install();
    await tab.goto(at);
    await tab.getByRole('button', { name: 'Start' }).click();
    await tab.getByRole('timer').waitFor();
    let fail = () => {};
    const held = new Promise<void>((resolve) => (fail = resolve));
    const answers = '**/embed/late-waters/**';
    await tab.route(answers, (route) => held.then(() => route.abort()), { times: 1 });
    const sent = tab.waitForRequest(answers);
    await tab.getByRole('button', { name: 'The Danube', exact: true }).click();
    await sent;
    browsing.service.clock.advance(121_000);
    await tab.clock.fastForward(121_000);
    await tab.getByText('0:00 left').waitFor();
    fail();
    await tab.getByText('you got 0 of 2 correct in 2 min. Your time was up.').waitFor();
  });

  test('a frame plays a quiz on a website that the owner allows, and on no other', async () => {
    page = `<!doctype html><title>A blog</title><iframe src="${browsing.service.url}/embed/far-waters" title="Quiz" width="600" height="600"></iframe>`;
    // It logs the frame that it does not show.
    const { tab, context } = await visit(true);
    const frame = tab.frameLocator('iframe');
    const blocked = tab.waitForEvent('console', (it) => it.text().includes('frame-ancestors'));
    await tab.goto(at);
    await blocked;
    await browsing.service.app.get(AccountsService).setEmbedOrigins(owner.accountId, [at]);
    await tab.goto(at);
    await frame.getByRole('button', { name: 'Start' }).click();
    await frame.getByRole('button', { name: 'The Danube', exact: true }).click();
    await frame.getByRole('textbox').fill('nile');
    await frame.getByRole('button', { name: 'Finish' }).click();
    await frame.getByText('you got 2 of 2 correct').waitFor();
    expect(await context.cookies()).toEqual([]);
    // Without storage, as in a sandbox, the page has no error that would stop its script.
    page = page.replace('<iframe', '<iframe sandbox="allow-scripts"');
    const errors: string[] = [];
    tab.on('pageerror', ({ message }) => errors.push(message));
    await tab.goto(at);
    await frame.getByRole('button', { name: 'Start' }).waitFor();
    await tab.waitForLoadState('networkidle');
    expect(errors).toEqual([]);
  });
});
