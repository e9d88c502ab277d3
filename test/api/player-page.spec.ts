import sharp from 'sharp';
import request from 'supertest';
import { ReviewService } from '../../src/authoring/review/review.service';
import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { LIMITS } from '../../src/platform/limits/limits';
import { AttemptRetention } from '../../src/play/submission/attempt-retention.service';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { signIn } from '../support/dashboard';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** What the player's page promises where no browser is needed to see it (docs/playing.md). */
describe("the player's page", () => {
  let service: Service;
  let owner: TestAccount;
  let quiz: MadeQuiz;

  beforeAll(async () => {
    service = await startService();
    owner = await service.account('pro', { isAdmin: true });
    const questions = questionBodies(2);
    quiz = await makeQuiz(
      owner,
      { title: 'Page' },
      questions.map((it, index) => ({ ...it, explanation: `Reason ${index + 1}.` })),
    );
  });
  afterAll(() => service.close());

  const SAME = { 'Sec-Fetch-Site': 'same-origin' };
  const get = (path: string, cookie = '') => request(service.url).get(path).set('Cookie', cookie);
  const post = (
    path: string,
    fields: object,
    cookie = '',
    headers: Record<string, string> = SAME,
  ) => request(service.url).post(path).type('form').set('Cookie', cookie).set(headers).send(fields);
  const cookieIn = (response: { headers: Record<string, unknown> }, name: string) =>
    (response.headers['set-cookie'] as string[]).find((line) => line.startsWith(`${name}=`)) ?? '';
  /** Where an attempt that is expired, or not this browser's, leads. */
  const GONE = '/play/page?gone=attempt';
  /** An attempt by a browser of its own, or by the one with this cookie. */
  const start = async (fields: object = {}, cookie = '') => {
    const response = await post('/play/page', fields, cookie).expect(303);
    const address = String(response.headers.location);
    const [player = ''] = cookieIn(response, 'quiz_player').split(';');
    return { address: address.replace(/\/1$/, ''), cookie: player };
  };
  const play = async (attempt: { address: string; cookie: string }, right: number) => {
    for (const [index, question] of quiz.questions.entries()) {
      const answer = question.answers.find((each) => each.isCorrect === index < right)?.id;
      await post(`${attempt.address}/${index + 1}`, { answer }, attempt.cookie).expect(303);
    }
    return get(attempt.address, attempt.cookie).expect(200);
  };
  const eventsOf = async (name: string) =>
    (
      await service.database.query<{ body: string }[]>(
        `SELECT body FROM outbox_events WHERE name = $1 ORDER BY id`,
        [name],
      )
    ).map(({ body }) => JSON.parse(body).data as Record<string, unknown>);

  it("the player's page shows public quizzes only, and others get 404", async () => {
    await get('/play/page').expect(200, /2 questions/);
    await makeQuiz(owner, { title: 'Draft', published: false }, questionBodies(1));
    const draft = await get('/play/draft').expect(404);
    const none = await get('/play/none').expect(404);
    const text = (html: string) => html.replace(/Request-Id.*/, '');
    expect(text(draft.text)).toBe(text(none.text));
    await post('/play/draft', { name: 'Ada' }).expect(404);
  });

  it("the dashboard links to the player's page of a public quiz only", async () => {
    const window = await signIn(service, owner);
    const hidden = { title: 'Unlinked', published: false };
    const { id } = await makeQuiz(owner, hidden, questionBodies(1));
    const pageOf = async (quizId: string) => (await window.open(`/quizzes/${quizId}`)).text;
    expect(await pageOf(quiz.id)).toContain('href="/play/page"');
    expect(await pageOf(id)).not.toContain('/play/');
  });

  it("a play through the page emits its events and enters the leaderboard under the player's name", async () => {
    const attempt = await start({ name: '  Ada \u202e Lovelace ' });
    const result = await play(attempt, 2);
    expect(result.text).toContain('All correct!');
    const [{ userId, score }] = (await owner.get(`/quizzes/${quiz.id}/leaderboard`)).body.data;
    expect([userId, score]).toEqual([expect.stringMatching(/^web:[a-z2-7]{20}:Ada Lovelace$/), 2]);
    for (const name of ['attempt.submitted', 'quiz.completed'])
      expect(await eventsOf(name)).toEqual([
        expect.objectContaining({ quiz_id: quiz.id, user_id: userId, score: 2 }),
      ]);
    expect(await eventsOf('leaderboard.updated')).toHaveLength(1);
    expect((await owner.get(`/quizzes/${quiz.id}`)).body.data.plays).toBe(1);
  });

  it('each browser has its own leaderboard row, also under the same name', async () => {
    const rows = async () =>
      (await get('/play/page')).text.match(/<bdi>Twice<\/bdi>/g)?.length ?? 0;
    const first = await start({ name: 'Twice' });
    await play(first, 0);
    await play(await start({ name: 'Twice' }, first.cookie), 1);
    expect(await rows()).toBe(1);
    await play(await start({ name: 'Twice' }), 1);
    expect(await rows()).toBe(2);
  });

  it('what was answered wrong can be practised, which counts nowhere', async () => {
    const attempt = await start({ name: 'Practising' });
    const result = await play(attempt, 1);
    expect(result.text).toContain(`formaction="${attempt.address}/practise"`);
    expect(result.text).toContain('Practise the wrong one');
    const counts = async () => ({
      plays: (await owner.get(`/quizzes/${quiz.id}`)).body.data.plays as number,
      results: (await owner.get(`/quizzes/${quiz.id}/statistics`).expect(200)).body.data as unknown,
      submitted: (await eventsOf('attempt.submitted')).length,
    });
    const before = await counts();
    const stranger = (await start()).cookie;
    await post(`${attempt.address}/practise`, {}, stranger).expect(404);
    const practise = async (of: string) =>
      String((await post(`${of}/practise`, {}, attempt.cookie).expect(303)).headers.location);
    const first = await practise(attempt.address);
    expect(first).toMatch(/^\/play\/page\/[\da-f-]{36}\/1$/);
    const practice = first.replace(/\/1$/, '');
    const wrong = quiz.questions[1]!;
    expect((await get(first, attempt.cookie)).text).toContain(wrong.text);
    await get(`${practice}/2`, attempt.cookie).expect(404);
    // Not yet submitted.
    await post(`${practice}/practise`, {}, attempt.cookie).expect(404);
    const answer = (isCorrect: boolean) =>
      wrong.answers.find((it) => it.isCorrect === isCorrect)?.id;
    await post(first, { answer: answer(false) }, attempt.cookie).expect(303);
    const again = await practise(practice);
    await post(again, { answer: answer(true) }, attempt.cookie).expect(303);
    const done = await get(again.replace(/\/1$/, ''), attempt.cookie).expect(200);
    expect(done.text).toContain(', practice');
    expect(done.text).toContain('All correct!');
    expect(done.text).not.toContain('Practise the');
    expect(done.text).not.toContain('data-share');
    const { text } = await post(again.replace(/1$/, 'practise'), {}, attempt.cookie).expect(422);
    expect(text).toContain('Every question of this attempt was answered correctly.');
    expect(await counts()).toEqual(before);
    await owner.patch(`/quizzes/${quiz.id}`, { published: false }).expect(200);
    await post(`${attempt.address}/practise`, {}, attempt.cookie).expect(404);
    await owner.patch(`/quizzes/${quiz.id}`, { published: true }).expect(200);
    await service.app.get(ReviewService).approve(quiz.id);
  });

  it('an attempt is visible only to the browser that started it', async () => {
    const { address, cookie } = await start({ name: 'Grace' });
    const stranger = (await start()).cookie;
    const noCookie = '/play/page?gone=cookies';
    const others = [
      ['', noCookie],
      [stranger, GONE],
      ['quiz_player=', noCookie],
      [`quiz_player=${'A'.repeat(43)}`, GONE],
    ] as const;
    for (const [other, led] of others) {
      await get(address, other).expect(303).expect('Location', led);
      await get(`${address}/1`, other).expect(303).expect('Location', led);
      for (const path of [address, `${address}/1`])
        await post(path, {}, other).expect(303).expect('Location', led);
    }
    // Nor by the key of another account; and not at another quiz's address.
    const id = address.split('/').at(-1) ?? '';
    const neighbour = await service.account();
    await neighbour.post(`/attempts/${id}/submit`).expect(404);
    await makeQuiz(owner, { title: 'Elsewhere' }, questionBodies(1));
    await post(`/play/elsewhere/${id}`, {}, cookie)
      .expect(303)
      .expect('Location', '/play/elsewhere?gone=attempt');
    const { text } = await get(`${address}/1`, cookie).expect(200);
    expect(text).not.toContain('data-is=');
  });

  it("a player of an account's application is never taken for the visitor of the page", async () => {
    const { address, cookie } = await start({ name: 'Copied' });
    await play({ address, cookie }, 0);
    const copied = await service.database.query<[{ player: string }]>(
      `SELECT player FROM quiz_attempts WHERE id = $1`,
      [address.split('/').at(-1)],
    );
    const neighbour = await service.account();
    const startAs = (player: string) => neighbour.post(`/quizzes/${quiz.id}/attempts`, { player });
    await startAs(copied[0].player).expect(422);
    const forged = await startAs('Copied').expect(201);
    for (const question of quiz.questions)
      await neighbour
        .post(`/attempts/${forged.body.data.id}/answers`, {
          questionId: question.id,
          answerIds: question.answers.filter((each) => each.isCorrect).map(({ id }) => id),
        })
        .expect(200);
    await neighbour.post(`/attempts/${forged.body.data.id}/submit`).expect(200);
    const page = (await get(address, cookie).expect(200)).text;
    expect(
      page.match(/<bdi>Copied<\/bdi><span class="sr-only">, <\/span><span class="you small">/g),
    ).toHaveLength(1);
    expect(page.match(/<td><bdi>Copied<\/bdi>/g)).toHaveLength(2);
    const itsPage = `/play/page/${forged.body.data.id}`;
    await get(itsPage, cookie).expect(303).expect('Location', GONE);
  });

  it('the page counts one play a day per browser and network, and none without an answer', async () => {
    const { id } = await makeQuiz(owner, { title: 'Popular' }, questionBodies(1));
    const plays = async () => (await owner.get(`/quizzes/${id}`)).body.data.plays as number;
    const playOnce = async (cookie = '', answers = true) => {
      const started = await post('/play/popular', {}, cookie).expect(303);
      const at = String(started.headers.location);
      const [player = ''] = cookieIn(started, 'quiz_player').split(';');
      const own = player || cookie;
      const page = await get(at, own).expect(200);
      const answer = /name="answer" value="([\w-]+)"/.exec(page.text)?.[1];
      if (answers) await post(at, { answer }, own).expect(303);
      else await post(at.replace(/\/1$/, ''), {}, own).expect(303);
      return own;
    };
    await playOnce('', false);
    expect(await plays()).toBe(0);
    const cookie = await playOnce();
    expect(await plays()).toBe(1);
    await playOnce(cookie);
    await playOnce();
    expect(await plays()).toBe(1);
    expect((await eventsOf('attempt.submitted')).filter((it) => it.quiz_id === id)).toHaveLength(4);
    service.clock.advance(24 * 3_600_000 + 1_000);
    await playOnce();
    expect(await plays()).toBe(2);
  });

  it('an attempt without an answer is kept for an hour, a submitted one for a day', async () => {
    const exists = async ({ address }: { address: string }) =>
      (
        await service.database.query<unknown[]>(`SELECT FROM quiz_attempts WHERE id = $1`, [
          address.split('/').at(-1),
        ])
      ).length === 1;
    const [open, answered, submitted] = [await start(), await start(), await start()];
    const answer = quiz.questions[0]?.answers[0]?.id;
    await post(`${answered.address}/1`, { answer }, answered.cookie).expect(303);
    await post(submitted.address, {}, submitted.cookie).expect(303);
    const retention = service.app.get(AttemptRetention);
    const left = async () => {
      await retention.prune();
      return Promise.all([open, answered, submitted].map(exists));
    };
    expect(await left()).toEqual([true, true, true]);
    service.clock.advance(3_601_000);
    expect(await left()).toEqual([false, true, true]);
    await get(`${open.address}/1`, open.cookie).expect(303).expect('Location', GONE);
    service.clock.advance(24 * 3_600_000);
    expect(await left()).toEqual([false, true, false]);
  });

  it("the leaderboard shows a browser's first attempt, under whatever name it plays again", async () => {
    const first = await start({ name: 'Mallory' });
    await play(first, 0);
    await play(await start({ name: 'Mallory II' }, first.cookie), 2);
    const { text } = await get('/play/page');
    expect(text).toContain('<bdi>Mallory</bdi>');
    expect(text).not.toContain('Mallory II');
  });

  it("the page's cookies are HttpOnly, opaque and limited to their path", async () => {
    const response = await post('/play/page', { name: 'Grace Hopper' }).expect(303);
    expect(cookieIn(response, 'quiz_player')).toMatch(
      /^quiz_player=[\w-]{43}; Max-Age=15552000; Path=\/play; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    );
    expect(cookieIn(response, 'quiz_attempt')).toMatch(
      /^quiz_attempt=[0-9a-f-]{36}; Max-Age=86400; Path=\/play\/page; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    );
    expect((await get('/play/page')).headers).not.toHaveProperty('set-cookie');
    const rows = await service.database.query<unknown[]>(
      `SELECT FROM quiz_attempts WHERE player LIKE '%' || $1 || '%'`,
      [cookieIn(response, 'quiz_player').slice(12, 55)],
    );
    expect(rows).toEqual([]);
  });

  it("the player's page refuses forms of other sites", async () => {
    const { address, cookie } = await start();
    const origins: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'https://evil.example' },
      {},
    ];
    for (const from of origins)
      for (const path of ['/play/page', address, `${address}/1`])
        await post(path, {}, cookie, from).expect(403);
  });

  it("the page reveals no correct answer before the visitor's own, and then only that question's", async () => {
    for (const reveal of ['', 'yes'])
      for (const place of [0, 1]) {
        const { address, cookie } = await start({ reveal });
        const shownAt = async (page: string) => {
          const { text } = await get(page, cookie);
          const reasons = [1, 2].filter((number) => text.includes(`Reason ${number}.`));
          return { page, reasons, isJudged: /data-is="(?:correct|wrong)"/.test(text) };
        };
        const nothingAt = (page: string) => ({ page, reasons: [] as number[], isJudged: false });
        for (const page of [`${address}/1`, `${address}/1?after=1`, `${address}/2?after=2`])
          expect(await shownAt(page)).toEqual(nothingAt(page));
        const answer = quiz.questions[0]?.answers[place]?.id;
        const { headers } = await post(`${address}/1`, { answer }, cookie).expect(303);
        for (const page of [`${address}/1`, String(headers.location), `${address}/2?after=1`])
          expect(await shownAt(page)).toEqual(
            reveal === 'yes' ? { page, reasons: [1], isJudged: true } : nothingAt(page),
          );
        for (const page of [`${address}/2`, address, `${address}/2?after=2`, `${address}?after=x`])
          expect(await shownAt(page)).toEqual(nothingAt(page));
      }
  });

  it('the URL after an answer names it if it was recorded, and not if it was repeated, too late or empty', async () => {
    const timed = await makeQuiz(owner, { title: 'Timed', timeLimit: 60 }, questionBodies(3));
    const answer = timed.questions[0]!.answers[0]!.id;
    for (const reveal of ['', 'yes']) {
      const started = await post('/play/timed', { reveal }).expect(303);
      const address = String(started.headers.location).replace(/\/1$/, '');
      const [cookie = ''] = cookieIn(started, 'quiz_player').split(';');
      const sent = async (number: number, fields: object) => {
        const { headers } = await post(`${address}/${number}`, fields, cookie).expect(303);
        return String(headers.location).replace(address, '');
      };
      expect(await sent(1, { answer })).toBe('/2?after=1');
      // Until it is revealed whether it is correct, an answer can be changed.
      expect(await sent(1, { answer })).toBe(reveal ? '/1' : '/2?after=1');
      // The countdown sends what is there.
      const other = await post('/play/timed', { reveal }, cookie).expect(303);
      const { headers } = await post(String(other.headers.location), { over: 'yes' }, cookie);
      expect(headers.location).toBe(String(other.headers.location).replace(/\/1$/, ''));
      service.clock.advance(120_000);
      const late = timed.questions[1]!.answers[0]!.id;
      expect(await sent(2, { answer: late })).toBe('');
      expect(await sent(2, { answer: late })).toBe('');
    }
  });

  it('a long answer beyond the limit of its attempt is refused with the limit, and stays in the form', async () => {
    const answers = ['yes', 'no'].map((text) => ({ text, isCorrect: true }));
    const questions = questionBodies(5, { type: 'OPEN_ENDED', answers });
    await makeQuiz(owner, { title: 'Essays' }, questions);
    const response = await post('/play/essays', { name: 'Ada' }).expect(303);
    const [cookie = ''] = cookieIn(response, 'quiz_player').split(';');
    const address = String(response.headers.location).replace(/\/1$/, '');
    for (const number of [1, 2, 3, 4])
      await post(`${address}/${number}`, { text: '😀'.repeat(1_000) }, cookie).expect(303);
    const { text } = await post(`${address}/5`, { text: 'long '.repeat(80) }, cookie).expect(422);
    expect(text).toContain('Your long answers have reached the limit of 16 KB for one attempt.');
    expect(text).toContain('long long');
    await post(`${address}/5`, { text: 'short' }, cookie).expect(303);
  });

  it('the fields of a typed answer and of a report take as many emoji as characters, and a longer answer gets the limit', async () => {
    const answers = ['yes', 'no'].map((text) => ({ text, isCorrect: true }));
    await makeQuiz(owner, { title: 'Owls' }, questionBodies(2, { type: 'OPEN_ENDED', answers }));
    const response = await post('/play/owls', { name: 'Ada', reveal: 'yes' }).expect(303);
    const [cookie = ''] = cookieIn(response, 'quiz_player').split(';');
    const address = String(response.headers.location).replace(/\/1$/, '');
    const longest = (html: string, field: string) =>
      Number(new RegExp(`<${field}[^>]* maxlength="(\\d+)"`, 'i').exec(html)?.[1]);
    const question = await get(`${address}/1`, cookie).expect(200);
    expect(longest(question.text, 'input')).toBe('🦉'.repeat(1_000).length);
    const { text } = await post(`${address}/1`, { text: 'n'.repeat(1_001) }, cookie).expect(422);
    expect(text).toContain('Use at most 1,000 characters.');
    await post(`${address}/1`, { text: '🦉'.repeat(1_000) }, cookie).expect(303);
    const verdict = await get(`${address}/1`, cookie).expect(200);
    expect(longest(verdict.text, 'textarea')).toBe('🦉'.repeat(500).length);
  });

  it('the search of the catalogue takes no text that it would ignore', async () => {
    const { text } = await get('/play').expect(200);
    const [, most] = /name="q"[^>]* maxlength="(\d+)"/i.exec(text) ?? [];
    expect(Number(most)).toBe(LIMITS.requests.queryText.value);
  });

  it('an accepted answer with several spellings is shown once', async () => {
    const texts = ['Bayes’ rule', 'bayes-rule', 'Bayes theorem', 'BAYES RULE!'];
    const question = questionBody({
      type: 'OPEN_ENDED',
      answers: texts.map((text) => ({ text, isCorrect: true })),
    });
    await makeQuiz(owner, { title: 'Spelled' }, [question]);
    const response = await post('/play/spelled', { name: 'Ada' }).expect(303);
    const [cookie = ''] = cookieIn(response, 'quiz_player').split(';');
    const address = String(response.headers.location);
    await post(address, { text: 'no idea' }, cookie).expect(303);
    const result = await get(address.replace(/\/1$/, ''), cookie).expect(200);
    expect(result.text).toContain('>Bayes’ rule<');
    expect(result.text).toContain('Also accepted: <bdi dir="auto">Bayes theorem</bdi>');
    // Other quizzes of the category follow, and never the one that was played.
    expect(result.text).toMatch(/More in Geography.*href="\/play\/[\w-]+"/);
    expect(result.text).not.toContain('class="option" href="/play/spelled"');
  });

  it('the accepted spelling of a typing error is shown in the format of its question', async () => {
    const question = questionBody({
      type: 'OPEN_ENDED',
      format: 'markdown',
      answers: ['_Canberra_', 'Canberra, Australia'].map((text) => ({ text, isCorrect: true })),
    });
    await makeQuiz(owner, { title: 'Formatted', acceptTypos: true }, [question]);
    const response = await post('/play/formatted', { name: 'Ada' }).expect(303);
    const [cookie = ''] = cookieIn(response, 'quiz_player').split(';');
    const address = String(response.headers.location);
    await post(address, { text: 'Canbera' }, cookie).expect(303);
    const { text } = await get(address.replace(/\/1$/, ''), cookie).expect(200);
    expect(text).toContain('<bdi dir="auto"><span class="markdown"><em>Canberra</em></span></bdi>');
    expect(text).not.toContain('_Canberra_');
  });

  it('after a quiz that is alone in its category others of its topic are offered, or else any', async () => {
    const taxonomy = service.app.get(TaxonomyService);
    const topic = { slug: 'numbers', name: 'Numbers', position: 0, icon: null };
    const categories = ['Sums', 'Primes'].map((name) => ({ name, slug: name.toLowerCase() }));
    await service.database.transaction((tx) => taxonomy.seed(tx, topic, categories));
    const offered = async (title: string, category: string) => {
      await makeQuiz(owner, { title, category }, questionBodies(1));
      service.clock.advance(6_000);
      const response = await post(`/play/${title.toLowerCase()}`, {}).expect(303);
      const [cookie = ''] = cookieIn(response, 'quiz_player').split(';');
      const address = String(response.headers.location).replace(/\/1$/, '');
      await post(address, {}, cookie).expect(303);
      const { text } = await get(address, cookie).expect(200);
      return [/<h2 id="more">([^<]*)/, /href="([^"]*)">All quizzes/].map(
        (it) => it.exec(text)?.[1],
      );
    };
    expect(await offered('Lonely', 'Nowhere')).toEqual(['More quizzes', '/play']);
    await makeQuiz(owner, { title: 'Primes', category: 'Primes' }, questionBodies(1));
    expect(await offered('Addition', 'Sums')).toEqual(['More in Numbers', '/play?topic=numbers']);
    expect(await offered('Subtraction', 'Sums')).toEqual(['More in Sums', '/play?category=Sums']);
  });

  it('after a quiz others are offered, however many quizzes of its category are more popular and have no questions', async () => {
    for (let count = 1; count <= 6; count++)
      await makeQuiz(owner, { title: `Emptied ${count}`, category: 'Emptied' });
    await service.database.query(`UPDATE quizzes SET plays = 9 WHERE category = 'Emptied'`);
    await makeQuiz(owner, { title: 'Filled', category: 'Emptied' }, questionBodies(1));
    await makeQuiz(owner, { title: 'Played', category: 'Emptied' }, questionBodies(1));
    const response = await post('/play/played', {}).expect(303);
    const [cookie = ''] = cookieIn(response, 'quiz_player').split(';');
    const address = String(response.headers.location).replace(/\/1$/, '');
    await post(address, {}, cookie).expect(303);
    const { text } = await get(address, cookie).expect(200);
    const offered = [...text.matchAll(/class="option" href="\/play\/([\w-]+)"/g)];
    expect(offered.map(([, slug]) => slug)).toEqual(['filled']);
  });

  it('the page of a public quiz links to its category, has a card for sharing and names its canonical URL', async () => {
    const { text } = await get('/play/page?utm_source=letter').expect(200);
    expect(text).toContain(`<link rel="canonical" href="${service.url}/play/page"/>`);
    expect(text).not.toContain('noindex');
    for (const other of ['/play/page/', '/Play/page']) {
      const { text: same } = await get(other).expect(200);
      expect(same).toContain(`<link rel="canonical" href="${service.url}/play/page"/>`);
      expect(same).not.toContain('noindex');
    }
    const inGerman = await get('/play/page?from=where?&lang=de').expect(200);
    expect(inGerman.text).toContain(
      `<link rel="canonical" href="${service.url}/play/page?lang=de"/>`,
    );
    const [, card = ''] = /property="og:image" content="([^"]+)"/.exec(text) ?? [];
    expect(card).toBe(`${service.url}/covers/page.png`);
    expect(text).toContain('<a href="/play?category=Geography">Geography</a>');
    expect((await get('/embed/page').expect(200)).text).not.toContain('/play?category');
  });

  it('a public quiz has a picture for sharing, unlike others in pattern and colour, and a draft has none', async () => {
    for (const title of ['Shared', 'Shared too'])
      await makeQuiz(owner, { title, category: 'Primes' }, questionBodies(1));
    await makeQuiz(owner, { title: 'Hidden', published: false }, questionBodies(1));
    const image = (slug: string) => get(`/covers/${slug}.png`).buffer(true);
    const [one, other] = [await image('page').expect(200), await image('shared').expect(200)];
    expect(one.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=86400',
      'cross-origin-resource-policy': 'cross-origin',
    });
    const size = await sharp(one.body as Buffer).metadata();
    expect(size).toMatchObject({ format: 'png', width: 1200, height: 630 });
    // Sites refuse pictures of many hundreds of kilobytes.
    expect((one.body as Buffer).length).toBeLessThan(60_000);
    const dominant = async ({ body }: { body: unknown }) =>
      (await sharp(body as Buffer).stats()).dominant;
    expect(await dominant(one)).not.toEqual(await dominant(other));
    expect((await image('shared-too').expect(200)).body).not.toEqual(other.body);
    expect((await image('page')).body).toEqual(one.body);
    await image('none').expect(404);
    // The draft has a picture as soon as it is published, so no cache may keep either form of the error.
    for (const accept of ['image/png', 'text/html'])
      await image('hidden').set('Accept', accept).expect(404).expect('Cache-Control', 'no-store');
  });

  it('an invalid answer or a name that is too long is refused with a message', async () => {
    const { address, cookie } = await start();
    const said = async (fields: object) =>
      (await post(`${address}/1`, fields, cookie).expect(422)).text;
    expect(await said({})).toContain('Choose an answer, or skip the question.');
    expect(await said({ answer: 'unknown' })).toContain('This answer cannot be taken.');
    const foreign = quiz.questions[1]?.answers[0]?.id;
    expect(await said({ answer: foreign })).toContain('This answer cannot be taken.');
    await get(`${address}/3`, cookie).expect(404);
    await get(`${address}/01`, cookie).expect(404);
    await post('/play/page', { name: 'n'.repeat(40) }).expect(303);
    // Browsers count an emoji as two characters.
    await post('/play/page', { name: '🦉'.repeat(40) }).expect(303);
    const [, most] =
      /name="name"[^>]* maxlength="(\d+)"/i.exec((await get('/play/page')).text) ?? [];
    expect(Number(most)).toBe('🦉'.repeat(40).length);
    const long = await post('/play/page', { name: 'n'.repeat(41) }).expect(422);
    expect(long.text).toContain('A name may have at most 40 characters.');
    expect(long.headers).not.toHaveProperty('set-cookie');
  });

  it('the footer of public pages leads to the licence, the status and the documentation', async () => {
    for (const path of ['/', '/play']) {
      const [, footer = ''] = (await get(path).expect(200)).text.split('<footer');
      const links = [...footer.matchAll(/href="([^"]+)"/g)].map(([, href]) => href);
      expect(links).toEqual(expect.arrayContaining(['/license.txt', '/health/ready', '/docs']));
    }
  });

  it('the landing page has the commands that start the service', async () => {
    const { text } = await get('/').expect(200);
    expect(text).toContain('npm ci\nnpm start');
  });

  it("hostile names, titles, questions and answers are escaped on the player's and landing pages", async () => {
    const hostile = '<script>alert(1)</script>';
    const answers = ['right', 'wrong'].map((text) => ({
      text: hostile + text,
      isCorrect: text === 'right',
    }));
    const texts = { text: `${hostile}?`, explanation: hostile, answers };
    const evil = await makeQuiz(owner, { title: hostile, description: hostile }, [
      { ...questionBodies(1)[0], ...texts },
    ]);
    const [{ slug }] = await service.database.query<[{ slug: string }]>(
      `SELECT slug FROM quizzes WHERE id = $1`,
      [evil.id],
    );
    const response = await post(`/play/${slug}`, { name: hostile }).expect(303);
    const [cookie = ''] = cookieIn(response, 'quiz_player').split(';');
    const answer = evil.questions[0]?.answers[0]?.id;
    const address = String(response.headers.location);
    const question = await get(address, cookie).expect(200);
    await post(address, { answer }, cookie).expect(303);
    const result = await get(address.replace(/\/1$/, ''), cookie).expect(200);
    // The landing page is a few seconds old.
    service.clock.advance(6_000);
    for (const page of [result, question, await get(`/play/${slug}`), await get('/')]) {
      expect(page.text).not.toContain(hostile);
      expect(page.text).toContain('&lt;script>alert(1)');
    }
    expect(result.text.match(/&lt;script>/g)?.length).toBeGreaterThan(4);
  });

  it('an answer to an attempt that was deleted meanwhile leads back to the start', async () => {
    for (const slug of ['/play/page', `/embed/page/~${'A'.repeat(43)}`]) {
      const response = await post(slug, {}).expect(303);
      const address = String(response.headers.location);
      const [cookie = ''] = slug.startsWith('/play')
        ? cookieIn(response, 'quiz_player').split(';')
        : [];
      const [id] = /[\da-f-]{36}/.exec(address) ?? [];
      await service.database.query(`DELETE FROM quiz_attempts WHERE id = $1`, [id]);
      for (const path of [address, address.replace(/\/1$/, '')])
        await post(path, {}, cookie).expect(303).expect('Location', `${slug}?gone=attempt`);
    }
  });

  it('the page of a deleted quiz gets 404, and an expired attempt leads back to the start', async () => {
    const gone = await makeQuiz(owner, { title: 'Gone' }, questionBodies(1));
    const response = await post('/play/gone', { name: 'Late' }).expect(303);
    const [cookie = ''] = cookieIn(response, 'quiz_player').split(';');
    const address = String(response.headers.location);
    await service.database.query(`DELETE FROM quizzes WHERE id = $1`, [gone.id]);
    await get('/play/gone').expect(404);
    const answer = gone.questions[0]?.answers[0]?.id;
    await post(address, { answer }, cookie).expect(303);
    const result = await get(address.replace(/\/1$/, ''), cookie).expect(200);
    expect(result.text).toContain('you got 1 of 1 correct');
    expect(result.text).not.toContain('Play again');

    const late = await start();
    service.clock.advance(24 * 3_600_000);
    for (const path of [late.address, `${late.address}/1`]) {
      await get(path, late.cookie).expect(303).expect('Location', GONE);
      await post(path, {}, late.cookie).expect(303).expect('Location', GONE);
    }
  });

  it('an attempt that leads back to the start says there why: it is gone, or no cookie came with it', async () => {
    const [expired, blocked] = [
      'This attempt has expired, or it was started in another browser.',
      'This attempt was started in another browser, or yours blocks cookies. To play here, allow cookies for this site.',
    ];
    const late = await start();
    service.clock.advance(24 * 3_600_000);
    const led = async (path: string, cookie: string) => {
      const { headers } = await get(path, cookie).expect(303);
      return (await get(String(headers.location), cookie).expect(200)).text;
    };
    const back = await led(`${late.address}/1`, late.cookie);
    expect(back).toContain(`<p class="error" role="alert">${expired}</p>`);
    expect(back).toContain('>Start</button>');
    // A browser that blocks cookies starts, and is led back by the first question.
    const { address } = await start();
    expect(await led(`${address}/1`, '')).toContain(blocked);
    for (const plain of ['', '?gone=', '?gone=constructor', '?gone=no-such-reason'])
      expect((await get(`/play/page${plain}`).expect(200)).text).not.toContain('role="alert"');
  });

  it('a begun attempt can be continued after the quiz has lost its last question', async () => {
    const emptied = await makeQuiz(owner, { title: 'Emptied' }, questionBodies(1));
    const response = await post('/play/emptied', {}).expect(303);
    const address = String(response.headers.location);
    const cookie = ['quiz_player', 'quiz_attempt']
      .map((name) => cookieIn(response, name).split(';', 1)[0])
      .join('; ');
    for (const { id } of emptied.questions) await owner.delete(`/questions/${id}`).expect(204);
    const page = (await get('/play/emptied', cookie).expect(200)).text;
    expect(page).toContain('This quiz has no questions yet.');
    expect(page).toMatch(new RegExp(`href="${address}"[^>]*>\\s*Continue where you left off`));
    expect(page).not.toContain('name="reveal"');
    await get(address, cookie).expect(200, /<form/);
    const others = (await get('/play/emptied').expect(200)).text;
    expect(others).toContain('This quiz has no questions yet.');
    expect(others).not.toContain('Continue where you left off');
  });

  it('an address can start 2,000 attempts in 15 minutes, then gets 429 with Retry-After', async () => {
    await post('/play/page', {}).expect(303);
    await service.database.query(`UPDATE attempt_limits SET attempts = 1999`);
    await post('/play/page', {}).expect(303);
    const refused = await post('/play/page', { name: 'One more' }).expect(429);
    expect(refused.text).toMatch(/Too many attempts\. Try again in \d+ minutes?\./);
    expect(refused.text).toContain('value="One more"');
    service.clock.advance(15 * 60_000);
    await post('/play/page', {}).expect(303);
  });
});
