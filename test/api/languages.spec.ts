import { createHash } from 'node:crypto';
import request from 'supertest';
import { SessionsService } from '../../src/access/sessions/sessions.service';
import { CountersService } from '../../src/catalog/discovery/counters.service';
import { SORT_UP_TO } from '../../src/catalog/questions/shuffle.queries';
import { MINUTE } from '../../src/platform/durations';
import { type MadeQuiz, makeQuiz, queryOf } from '../support/content';
import { signIn } from '../support/dashboard';
import { keepOpen } from '../support/locks';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { cookieOf, Visitor, wordsOf } from '../support/visitor';
import { errorsIn } from '../support/writing';

/** `language` of a quiz (BCP 47): set, read, filtered by, counted, drawn, and kept by copies. */
describe('the language of a quiz', () => {
  let service: Service;
  let owner: TestAccount;
  let reader: TestAccount;
  const made: Record<string, MadeQuiz> = {};

  beforeAll(async () => {
    service = await startService({ MODERATION: 'auto' });
    owner = await service.account('pro', { isAdmin: true });
    reader = await service.account('pro');
    const quiz = async (title: string, fields: object, questions = 3, account = owner) => {
      made[title] = await makeQuiz(
        account,
        { title, published: true, difficulty: 'EASY', category: 'Rivers', ...fields },
        questionBodies(questions),
      );
    };
    await quiz('German', { language: 'DE', tags: ['a'] });
    await quiz('Austrian', { language: 'de-at', tags: ['a', 'b'], difficulty: 'HARD' });
    await quiz('Low German', { language: 'nds', tags: ['b'], category: 'Seas' });
    await quiz('Hebrew', { language: 'iw', tags: ['b'] });
    await quiz('Unsaid', { tags: ['a'] });
    await quiz('Draft', { language: 'de', published: false });
    await quiz('Own draft', { language: 'de-CH', published: false }, 2, reader);
  });
  afterAll(() => service.close());

  const titles = async (account: TestAccount, query: Record<string, string | string[]>) => {
    const { body } = await account
      .get(`/quizzes${queryOf({ sort: 'title', ...query })}`)
      .expect(200);
    const listed = body.data as { title: string }[];
    expect(body.meta.total).toBe(listed.length);
    return listed.map(({ title }) => title);
  };

  it('is stored in canonical form, and shown with include=language and in responses of changes', async () => {
    const { id } = made.Austrian!;
    const { body: plain } = await owner.get(`/quizzes/${id}`).expect(200);
    expect(plain.data).not.toHaveProperty('language');
    for (const include of ['language', 'html,language']) {
      const { body } = await owner.get(`/quizzes/${id}?include=${include}`).expect(200);
      expect(body.data.language).toBe('de-AT');
    }
    const { body: list } = await reader
      .get('/quizzes?include=language&sort=title&limit=3')
      .expect(200);
    expect((list.data as { language: string | null }[]).map(({ language }) => language)).toEqual([
      'de-AT',
      'de',
      'he',
    ]);
    const { body: without } = await reader.get('/quizzes').expect(200);
    expect(JSON.stringify(without)).not.toContain('"language"');
    const { body: created } = await owner
      .post('/quizzes', { title: 'New', difficulty: 'EASY', language: 'fr' })
      .expect(201);
    expect(created.data).not.toHaveProperty('language');
    const of = `/quizzes/${created.data.id as string}`;
    const patched = (language: unknown) => owner.patch(of, { language }).expect(200);
    expect((await owner.patch(of, { title: 'Newer' }).expect(200)).body.data.language).toBe('fr');
    expect((await patched('sr-latn')).body.data.language).toBe('sr-Latn');
    expect((await patched('')).body.data.language).toBeNull();
    expect((await patched('pt-br')).body.data.language).toBe('pt-BR');
    expect((await patched(null)).body.data.language).toBeNull();
    await owner.delete(of).expect(204);
  });

  it.each(['german', 'de_AT', 'x-klingon', 'de-u-co-phonebk', 7, ['de']])(
    'is refused as %j',
    async (language) => {
      const body = { title: 'Wrong', difficulty: 'EASY', language };
      const refused = await owner.post('/quizzes', body).expect(422);
      expect(errorsIn(refused)).toEqual(['language language']);
      expect(refused.body.error).toContain(
        'language must be a language tag (BCP 47), such as de or pt-BR, or null',
      );
    },
  );

  it('filters lists: de finds de-AT as well, and not nds', async () => {
    expect(await titles(reader, { language: 'de' })).toEqual(['Austrian', 'German', 'Own draft']);
    expect(await titles(reader, { language: 'DE-at' })).toEqual(['Austrian']);
    expect(await titles(reader, { language: 'de-CH', mine: 'true' })).toEqual(['Own draft']);
    expect(await titles(reader, { language: 'iw,de-AT,de' })).toEqual([
      'Austrian',
      'German',
      'Hebrew',
      'Own draft',
    ]);
    expect(await titles(reader, { language: ['nds', 'he'] })).toEqual(['Hebrew', 'Low German']);
    expect(await titles(reader, { language: 'fr' })).toEqual([]);
    expect(await titles(reader, { language: 'de', difficulty: 'HARD' })).toEqual(['Austrian']);
  });

  it.each([
    [{ tags: 'a' }, ['Austrian', 'German']],
    [{ tags: 'a,b' }, ['Austrian', 'German']],
    [{ tags: 'a,b', tags_match: 'all' }, ['Austrian']],
    [{ tags: 'b', language: 'de,he' }, ['Austrian', 'Hebrew']],
    [{ tags: 'a,b', language: 'nds,he,de-AT' }, ['Austrian', 'Hebrew', 'Low German']],
    [{ category: 'Seas', language: 'nds' }, ['Low German']],
    [{ category: 'Seas,Rivers', language: 'nds,he' }, ['Hebrew', 'Low German']],
    [{ topic: 'erman' }, ['German']],
    [{ topic: 'a', tags: 'a' }, ['Austrian', 'German']],
  ] as [Record<string, string>, string[]][])(
    'filters lists and questions together with %j',
    async (filter, expected) => {
      const query = { language: 'de', ...filter };
      expect((await titles(reader, query)).filter((title) => title !== 'Own draft')).toEqual(
        expected,
      );
      const { body } = await owner
        .get(`/questions${queryOf({ ...query, limit: '50' })}`)
        .expect(200);
      const found = body.data as { quizTitle: string }[];
      const public_ = found.filter(({ quizTitle }) => quizTitle !== 'Draft');
      expect([...new Set(public_.map(({ quizTitle }) => quizTitle))].sort()).toEqual(expected);
      expect(body.meta.total).toBe(found.length);
      const { body: counts } = await owner.get(`/questions/counts${queryOf(query)}`).expect(200);
      expect(counts.data.total).toBe(found.length);
    },
  );

  it('filters questions in every page, count, draw and search', async () => {
    const total = 6;
    const { body: page } = await reader
      .get('/questions?language=de&limit=4&include=language')
      .expect(200);
    expect(page.meta.total).toBe(total + 2);
    expect(page.meta.links.next).toContain('language=de&');
    const next = (page.meta.links.next as string).replace('/api/v1', '');
    const { body: second } = await reader.get(next).expect(200);
    const all = [...page.data, ...second.data] as { id: string; language: string }[];
    expect(new Set(all.map(({ id }) => id)).size).toBe(total + 2);
    expect([...new Set(all.map(({ language }) => language))].sort()).toEqual([
      'de',
      'de-AT',
      'de-CH',
    ]);
    const { body: counts } = await reader.get('/questions/counts?language=de,he').expect(200);
    expect(counts.data).toMatchObject({
      total: total + 2 + 3,
      byCategory: { Rivers: total + 2 + 3 },
    });
    const { body: drawn } = await reader
      .get('/questions?language=de&random=true&limit=50')
      .expect(200);
    expect((drawn.data as { id: string }[]).map(({ id }) => id).sort()).toEqual(
      all.map(({ id }) => id).sort(),
    );
    const { body: searched } = await reader
      .get('/questions?language=he&text=' + encodeURIComponent(made.Hebrew!.questions[0]!.text))
      .expect(200);
    // Questions in other languages have the same text.
    expect((searched.data as { quizTitle: string }[]).map(({ quizTitle }) => quizTitle)).toEqual([
      'Hebrew',
    ]);
    const { body: ofQuiz } = await reader
      .get(`/questions?quiz_id=${made.Hebrew!.id}&include=language`)
      .expect(200);
    expect(ofQuiz.data[0].language).toBe('he');
    const { body: one } = await reader.get(`/questions/${made.Hebrew!.questions[0]!.id}`);
    expect(one.data.language).toBe('he');
  });

  it.each(['/quizzes', '/questions', '/questions/counts'])(
    'a filter of %s that is no language is refused, and an empty one ignored',
    async (path) => {
      const refused = await reader.get(`${path}?language=german`).expect(400);
      expect(refused.body.error).toContain(
        'each value of language must be a language tag (BCP 47), such as de or pt-BR',
      );
      await reader.get(`${path}?language=`).expect(200);
    },
  );

  it('metadata lists the languages of public quizzes, as the filter counts them', async () => {
    const { body } = await service.get('/metadata?include=languages').expect(200);
    expect(body.data.languages).toEqual([
      { language: 'de', quizzes: 2 },
      { language: 'de-AT', quizzes: 1 },
      { language: 'he', quizzes: 1 },
      { language: 'nds', quizzes: 1 },
    ]);
    expect((await service.get('/metadata').expect(200)).body.data).not.toHaveProperty('languages');
    expect(body.data.tags.sort()).toEqual(['a', 'b']);
  });

  it('counters follow a change of the language, and of what is public', async () => {
    const { id } = made['Low German']!;
    await owner.patch(`/quizzes/${id}`, { language: 'nl' }).expect(200);
    expect(await titles(reader, { language: 'nds' })).toEqual([]);
    expect(await titles(reader, { language: 'nl' })).toEqual(['Low German']);
    await owner.patch(`/quizzes/${id}`, { published: false }).expect(200);
    const languages = async () =>
      (await service.get('/metadata?include=languages').expect(200)).body.data.languages as {
        language: string;
      }[];
    expect((await languages()).map(({ language }) => language)).not.toContain('nl');
    await owner.patch(`/quizzes/${id}`, { published: true, language: 'nds' }).expect(200);
    const counters = service.app.get(CountersService);
    for (const { counter, wrong } of await counters.verify())
      expect([counter, wrong]).toEqual([counter, 0]);
    await counters.rebuild();
    expect(await titles(reader, { language: 'nds' })).toEqual(['Low German']);
  });

  it('a copy and its attempts have it', async () => {
    const { body } = await reader.post(`/quizzes/${made.Austrian!.id}/copy`, {}).expect(201);
    const copy = `/quizzes/${body.data.id as string}`;
    expect((await reader.get(`${copy}?include=language`).expect(200)).body.data.language).toBe(
      'de-AT',
    );
    const started = await reader.post(`${copy}/attempts`, { player: 'ada' }).expect(201);
    expect(started.body.data.questions[0].language).toBe('de-AT');
    await reader.delete(copy).expect(204);
  });

  it('an attempt draws questions in the languages of its filter, and each has its own', async () => {
    const draw = (language: unknown) =>
      reader.post('/attempts', { player: 'ada', count: 50, filter: { language } });
    const { body: drawn } = await draw(['he', 'de']).expect(201);
    const languages = (drawn.data.questions as { language: string }[]).map((it) => it.language);
    expect([...new Set(languages)].sort()).toEqual(['de', 'de-AT', 'de-CH', 'he']);
    const refused = await draw('german').expect(422);
    expect(refused.body.error).toContain('must be a language tag (BCP 47)');
  });

  it('the player and its result have the language and direction of the quiz on every text', async () => {
    const { id, questions } = made.Hebrew!;
    await owner
      .patch(`/questions/${questions[0]!.id}`, { explanation: 'Because it does.' })
      .expect(200);
    const visitor = new Visitor(service);
    const { body } = await owner.get(`/quizzes/${id}`).expect(200);
    const home = `/play/${body.data.slug as string}`;
    const start = await visitor.get(home).expect(200);
    expect(start.text).toContain('<h1 lang="he" dir="rtl">Hebrew</h1>');
    expect(start.text).toMatch(/<html lang="en" dir="ltr"/);
    const started = await visitor.post(home, { name: 'Ada', reveal: 'yes' }).expect(303);
    visitor.cookie = cookieOf(started)!;
    const at = started.headers.location!;
    const question = await visitor.get(at).expect(200);
    expect(question.text).toContain('<h1 class="question-text" lang="he" dir="rtl" id="question">');
    expect(question.text.match(/<span lang="he" dir="rtl">The /g)).toHaveLength(3);
    await visitor.post(at, { answer: questions[0]!.answers[1]!.id }).expect(303);
    const review = await visitor.get(at).expect(200);
    expect(review.text).toContain('<div class="explanation" lang="he" dir="rtl">Because it does.');
    const attempt = at.replace(/\/\d+$/, '');
    await visitor.post(attempt).expect(303);
    const result = await visitor.get(attempt).expect(200);
    expect(result.text).toContain('<bdi lang="he" dir="rtl">Hebrew</bdi>');
    expect(result.text.match(/<bdi lang="he" dir="rtl">Question/g)).toHaveLength(3);
    const window = await signIn(service, owner);
    const results = await window.open(`/quizzes/${id}/results`).expect(200);
    expect(results.text.match(/<bdi lang="he" dir="rtl">Question \d/g)).toHaveLength(3);
    expect(results.text).toContain('<div lang="he" dir="rtl">The Danube</div>');
    const unsaid = await owner.get(`/quizzes/${made.Unsaid!.id}`).expect(200);
    const without = await visitor.get(`/play/${unsaid.body.data.slug as string}`).expect(200);
    expect(without.text).toContain('<h1 dir="auto">Unsaid</h1>');
  });

  it('the catalogue filters by it, and its cards have it', async () => {
    const visitor = new Visitor(service);
    const page = await visitor.get('/play?language=de').expect(200);
    expect(page.text).toContain('<bdi lang="de" dir="ltr">German</bdi>');
    expect(page.text).toContain('<bdi lang="de-AT" dir="ltr">Austrian</bdi>');
    expect(page.text).not.toContain('>Hebrew</bdi>');
    expect(page.text).toMatch(/<option value="de" selected>German<\/option>/);
    expect(page.text).toContain('<option value="de-AT">Austrian German</option>');
    expect((await visitor.get('/play?language=xx').expect(200)).text).toContain('>Hebrew</bdi>');
  });

  it('the editor offers the languages of the author first, and a new quiz begins with the last one', async () => {
    const window = await signIn(service, reader);
    const blank = (await window.open('/quizzes/new')).text;
    expect(blank).toMatch(
      /<option[^>]*>Not said<\/option><option value="de-CH" selected>[^<]+<\/option>/,
    );
    expect(blank).toContain('<option value="he">Hebrew</option>');
    const fields = { title: 'Written', difficulty: 'EASY' };
    const save = (language: string) => window.send('/quizzes', { ...fields, language });
    expect((await save('de')).status).toBe(303);
    const shown = await reader.get('/quizzes?mine=true&topic=written').expect(200);
    expect(shown.body.data).toMatchObject([{ language: 'de' }]);
    const { id } = shown.body.data[0] as { id: string };
    expect(wordsOf(await window.open(`/quizzes/${id}`))).toContain('German');
    expect((await window.open(`/quizzes/${id}/edit`)).text).toContain(
      '<option value="de" selected>German</option>',
    );
    const refused = await save('german');
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('must be a language tag (BCP 47)');
    await reader.delete(`/quizzes/${id}`).expect(204);
  });

  it('more questions than are sorted are drawn by rank, each once in a seeded walk', async () => {
    const many = Math.ceil((SORT_UP_TO + 100) / 2);
    for (const [title, language] of [
      ['Many', 'eo'],
      ['More', 'eo-XX'],
    ])
      await makeQuiz(owner, { title, language, published: true }, questionBodies(many));
    const ids: string[] = [];
    for (let offset = 0; offset < 2 * many; offset += 50) {
      const { body } = await owner
        .get(`/questions?language=eo&random=true&seed=s&limit=50&offset=${offset}`)
        .expect(200);
      expect(body.meta.total).toBe(2 * many);
      ids.push(...(body.data as { id: string }[]).map(({ id }) => id));
    }
    expect(new Set(ids).size).toBe(2 * many);
    // A set that is sorted has this order.
    const hash = (id: string) => createHash('md5').update(`s${id}`).digest('hex');
    expect(ids).not.toEqual(ids.toSorted((a, b) => (hash(a) < hash(b) ? -1 : 1)));
  });
});

/** What the page of a request is written in. */
describe('the language of pages', () => {
  let service: Service;
  let account: TestAccount;
  beforeAll(async () => {
    service = await startService();
    account = await service.account('pro');
    await makeQuiz(account, { title: 'Rivers', category: 'Rivers' }, questionBodies(2));
  });
  afterAll(() => service.close());

  /** `lang` and `dir` of the page. */
  const languageAt = async (path: string, headers: Record<string, string> = {}) => {
    const page = await request(service.url).get(path).set(headers);
    return /<html lang="([\w-]+)" dir="(\w+)"/.exec(page.text)?.slice(1, 3).join(' ');
  };

  const storedLanguage = async ({ accountId }: TestAccount) => {
    const read = 'SELECT language FROM accounts WHERE id = $1';
    const [row] = await service.database.query<{ language: string | null }[]>(read, [accountId]);
    return row?.language ?? null;
  };

  it.each([
    ['nothing', '/play', {}, 'en ltr'],
    ['the URL', '/play?lang=de', {}, 'de ltr'],
    ['the URL before a cookie', '/play?lang=fr', { Cookie: 'quiz_language=de' }, 'fr ltr'],
    ['the cookie', '/play', { Cookie: 'quiz_language=ar' }, 'ar rtl'],
    [
      'the cookie before the browser',
      '/play',
      { Cookie: 'quiz_language=pl', 'Accept-Language': 'it' },
      'pl ltr',
    ],
    ['the browser', '/', { 'Accept-Language': 'es-MX,en;q=0.8' }, 'es ltr'],
    ['the first that the browser has here', '/', { 'Accept-Language': 'ja, pt;q=0.7' }, 'pt ltr'],
    ['an unknown language', '/play?lang=xx', {}, 'en ltr'],
    ['an unknown cookie', '/play', { Cookie: 'quiz_language=__proto__' }, 'en ltr'],
    ['only unknown languages', '/play', { 'Accept-Language': 'ja, xx-YY' }, 'en ltr'],
    ['several values', '/play?lang=de&lang=fr', {}, 'en ltr'],
    ['signing in', '/dashboard/sign-in?lang=it', {}, 'it ltr'],
    ['an error page', '/play/unknown?lang=fr', {}, 'fr ltr'],
    ['the cookie, also on an embedded page', '/embed/x', { Cookie: 'quiz_language=ar' }, 'ar rtl'],
    ['the documentation, which is in English', '/docs?lang=de', {}, 'en ltr'],
  ])('is chosen by %s', async (_, path, headers, expected) => {
    expect(await languageAt(path, headers)).toBe(expected);
  });

  it('is kept by a cookie only where the URL names a known one', async () => {
    const cookieAt = async (path: string, cookie = '') =>
      (await request(service.url).get(path).set('Cookie', cookie)).get('Set-Cookie') ?? [];
    const [set] = await cookieAt('/play?lang=de');
    expect(set).toMatch(/^quiz_language=de; Max-Age=31536000; Path=\/; .*HttpOnly; SameSite=Lax$/);
    expect(await cookieAt('/play?lang=xx')).toEqual([]);
    expect(await cookieAt('/play')).toEqual([]);
    expect(await cookieAt('/play?lang=de', 'quiz_language=de')).toEqual([]);
  });

  it('is that of constant pages too, and their headers keep caches from mixing languages', async () => {
    const page = await request(service.url).get('/dashboard/sign-in?lang=de');
    expect(page.text).toContain('Anmelden');
    const landing = await request(service.url).get('/').set('Accept-Language', 'de');
    expect(landing.get('Content-Language')).toBe('de');
    expect(landing.get('Vary')).toMatch(/Cookie, ?Accept-Language/);
  });

  it('the dashboard is in German or English, whatever else is asked for', async () => {
    const window = await signIn(service, account);
    const at = async (path: string, accept = '') =>
      (await window.open(path).set('Accept-Language', accept).expect(200)).text;
    expect(await at('/quizzes?lang=de')).toMatch(/<html lang="de" dir="ltr"/);
    expect(await at('/quizzes', 'de-AT')).toContain('<h1>Meine Quizze</h1>');
    expect(await at('/quizzes', 'fr, de;q=0.5')).toContain('<h1>Meine Quizze</h1>');
    expect(await at('/quizzes', 'ar')).toContain('<html lang="en" dir="ltr"');
    expect(await at('/quizzes?lang=fr', 'de')).toContain('<h1>Meine Quizze</h1>');
    const switches = [...(await at('/quizzes')).matchAll(/href="\?lang=(\w+)"/g)];
    expect(switches.map(([, language]) => language)).toEqual(['en', 'de']);
  });

  it('the language of the account is written only when another one is asked for', async () => {
    const own = await service.account('pro');
    const window = await signIn(service, own);
    const storing = jest.spyOn(service.app.get(SessionsService), 'rememberLanguage');
    const open = async (language: string) => {
      await window.open('/quizzes').set('Accept-Language', language).expect(200);
      return storedLanguage(own);
    };
    try {
      expect(await open('en')).toBeNull();
      expect(storing.mock.calls).toEqual([]);
      // The dashboard has no Italian, and e-mails have.
      for (const language of ['it', 'it', 'de', 'de', 'en', 'en'])
        expect(await open(language)).toBe(language);
      expect(storing.mock.calls.map(([, language]) => language)).toEqual(['it', 'de', 'en']);
    } finally {
      storing.mockRestore();
    }
  });

  it('a page waits for no lock of the account, and the next one stores its language', async () => {
    const own = await service.account('pro');
    const window = await signIn(service, own);
    const open = () => window.open('/quizzes').set('Accept-Language', 'de').expect(200);
    // The last use of the account is written too.
    service.clock.advance(2 * MINUTE);
    await service.database.transaction(async (tx) => {
      await keepOpen(tx);
      await tx.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [own.accountId]);
      expect((await open()).text).toContain('<h1>Meine Quizze</h1>');
      expect(await storedLanguage(own)).toBeNull();
    });
    await open();
    expect(await storedLanguage(own)).toBe('de');
  });

  it('the language of an account that has been deleted meanwhile is not written, without an error', async () => {
    const own = await service.account('pro');
    await own.delete('/me').send({ quizzes: 'delete' }).expect(202);
    await service.app.get(SessionsService).rememberLanguage(own.accountId, 'de');
    expect(await storedLanguage(own)).toBeNull();
  });

  it('the dashboard says in German what it has done, and what it refuses', async () => {
    const window = await signIn(service, account);
    const send = (path: string, fields: Record<string, string>) =>
      window.send(path, fields).set('Accept-Language', 'de');
    const refused = await send('/quizzes', { title: ' ', difficulty: 'EASY', timeLimit: '9999' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('<title>Fehler: Neues Quiz');
    expect(refused.text).toContain('Das darf nicht leer sein.');
    expect(refused.text).toContain(
      'Möglich sind 10 Sekunden bis 24 Stunden: Gib die Zeit in Minuten ein',
    );
    // A link to another language would lose what was typed.
    expect(refused.text).not.toContain('language-switch');
    const made = await send('/quizzes', { title: 'Flüsse', difficulty: 'EASY' }).expect(303);
    const page = await window
      .open(made.get('Location')!.replace('/dashboard', ''))
      .set('Accept-Language', 'de')
      .expect(200);
    expect(wordsOf(page)).toContain('„Flüsse“ ist als Entwurf angelegt.');
    expect(wordsOf(page)).toContain('Nur du siehst es.');
  });
});
