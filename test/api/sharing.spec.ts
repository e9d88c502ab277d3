import crypto from 'node:crypto';
import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { AccountsService } from '../../src/access/accounts/accounts.service';
import { AccountAdministrationService } from '../../src/access/administration/account-administration.service';
import { AttemptLimits } from '../../src/access/attempt-limits/attempt-limits.service';
import { OPERATOR } from '../../src/access/audit/actor';
import { Unavailable } from '../../src/platform/errors/domain-errors';
import { eventually } from '../support/clock';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { signIn, textOf, type Window } from '../support/dashboard';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** Preview and unlisted links: what the owner of a quiz can show before it is public (docs/playing.md). */
let service: Service;
let owner: TestAccount;
let window: Window;
let draft: MadeQuiz;

beforeAll(async () => {
  service = await startService();
  owner = await service.account('pro');
  window = await signIn(service, owner);
  draft = await makeQuiz(owner, { title: 'Private waters', published: false }, questionBodies(2));
});
afterAll(() => service.close());

const get = (path: string, cookie = '') => request(service.url).get(path).set('Cookie', cookie);
const post = (path: string, fields: object = {}, cookie = '') =>
  request(service.url)
    .post(path)
    .type('form')
    .set({ Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' })
    .send(fields);
const rightOf = (number: number) =>
  draft.questions[number - 1]?.answers.find(({ isCorrect }) => isCorrect)?.id ?? '';
const rows = async (table: string) =>
  (await service.database.query<unknown[]>(`SELECT FROM ${table}`)).length;

/** A new link of the draft, as the path that its page shows. */
async function share(fields: Record<string, string> = {}, quizId = draft.id): Promise<string> {
  await window.send(`/quizzes/${quizId}/links`, fields).expect(303);
  const { text } = await window.open(`/quizzes/${quizId}/share`).expect(200);
  return /\/play\/~[\w-]{22}/.exec(text)?.[0] ?? '';
}
const revoke = async (quizId = draft.id) => {
  const { text } = await window.open(`/quizzes/${quizId}/share`).expect(200);
  const action = /links\/[\w-]{36}\/revoke/.exec(text)?.[0] ?? '';
  await window.send(`/quizzes/${quizId}/${action}`).expect(303);
};
/** An attempt by a browser of its own. */
async function start(path: string, fields: object = { name: 'Ada' }) {
  const response = await post(path, fields).expect(303);
  const cookies = response.headers['set-cookie'] as unknown as string[];
  const cookie = cookies.find((line) => line.startsWith('quiz_player='))?.split(';')[0] ?? '';
  return { at: String(response.headers.location).replace(/\/1$/, ''), cookie };
}
async function finish({ at, cookie }: { at: string; cookie: string }) {
  for (const number of [1, 2])
    await post(`${at}/${number}`, { answer: rightOf(number) }, cookie).expect(303);
  return (await get(at, cookie).expect(200)).text;
}

it('an owner plays a draft to its result without a count, an event or a leaderboard entry', async () => {
  const at = `/quizzes/${draft.id}/preview`;
  const before = [await rows('outbox_events'), await rows('leaderboard_entries')];
  const page = await window.open(at).expect(200, /This is a preview/);
  expect(page.text).toContain('2 questions');
  expect(page.text).toMatch(/^<!doctype html>\n<html lang/);
  const started = await window.send(at, { name: 'Author' }).expect(303);
  const [, attempt = ''] =
    /^\/dashboard(\/quizzes\/[\w-]+\/preview\/[\w-]+)\/1$/.exec(String(started.headers.location)) ??
    [];
  await window.send(`${attempt}/1`, { answer: rightOf(1) }).expect(303);
  await window.send(`${attempt}/2`, { answer: rightOf(2) }).expect(303);
  const result = await window.open(attempt).expect(200);
  expect(result.text).toContain('you got 2 of 2 correct');
  expect(result.text).not.toContain('Leaderboard');
  expect([await rows('outbox_events'), await rows('leaderboard_entries')]).toEqual(before);
  expect((await owner.get(`/quizzes/${draft.id}`)).body.data.plays).toBe(0);
  expect(
    await service.database.query(`SELECT FROM quiz_attempts WHERE quiz_id = $1`, [draft.id]),
  ).toEqual([]);
  const neighbour = await signIn(service, await service.account('pro'));
  await neighbour.open(at).expect(404);
  await neighbour.open(attempt).expect(404);
  await neighbour.send(`${attempt}/1`, { answer: rightOf(1) }).expect(404);
  await get(`/dashboard${at}`).expect(303, '');
});

it('an unlisted link plays a draft to its result, for whoever has it and nobody else', async () => {
  const entries = await rows('leaderboard_entries');
  const path = await share();
  const page = await get(path).expect(200, /Private waters/);
  expect(page.text).toContain('<meta name="robots" content="noindex"/>');
  expect(page.text).not.toContain('Leaderboard');
  const attempt = await start(path);
  const result = await finish(attempt);
  expect(result).toContain('you got 2 of 2 correct');
  expect(result).not.toContain('Leaderboard');
  expect(await rows('leaderboard_entries')).toBe(entries);
  // Attempts belong to the quiz, and its owner gets their events.
  const [event] = await service.database.query<{ body: string; account_id: string }[]>(
    `SELECT body, account_id FROM outbox_events WHERE name = 'attempt.submitted' ORDER BY id DESC LIMIT 1`,
  );
  expect(event?.account_id).toBe(owner.accountId);
  expect(JSON.parse(event?.body ?? '')).toMatchObject({ data: { quiz_id: draft.id, score: 2 } });
  // Others do not find the quiz, nor the attempt.
  const other = await service.account('pro');
  await other.get(`/quizzes/${draft.id}`).expect(404);
  expect((await other.get('/quizzes?topic=waters')).body.data).toEqual([]);
  await get('/play/private-waters').expect(404);
  await get(attempt.at).expect(303);
  for (const odd of ['~', '~x', `~${'A'.repeat(22)}`, '~%00', `${path.slice(6)}x`])
    await get(`/play/${odd}`).expect(404);
  await get(attempt.at.replace(/~[\w-]+/, 'private-waters'), attempt.cookie).expect(404);
  await revoke();
});

it('a revoked link starts nothing more, and an attempt in progress can be finished', async () => {
  const path = await share();
  const attempt = await start(path);
  await revoke();
  const dead = async (of: string, language: string) =>
    textOf((await get(of).set('Accept-Language', language).expect(404)).text);
  expect(await dead(path, 'en')).toContain(
    'This link does not work, or no longer does. Ask the author of the quiz for another one.',
  );
  expect(await dead(path, 'de')).toContain('Dieser Link geht nicht, oder nicht mehr.');
  // A stranger learns nothing from it: a link that never was is answered in the same way.
  expect(await dead(`/play/~${'A'.repeat(22)}`, 'en')).toBe(await dead(path, 'en'));
  await post(path, { name: 'Late' }).expect(404);
  const result = await finish(attempt);
  expect(result).toContain('you got 2 of 2 correct');
  expect(result).not.toContain('Play again');
});

it('the page of a draft says by how many links it is open, and no longer that only its owner sees it', async () => {
  const { id } = await makeQuiz(owner, { title: 'Half open', published: false }, questionBodies(1));
  const show = async () => {
    const { text } = await window.open(`/quizzes/${id}`).expect(200);
    const [, copied] = /data-copy="([^"]*\/play\/[^"]*)"/.exec(text) ?? [];
    return { text: text.replace(/<[^>]*>/g, ''), copied };
  };
  const closed = await show();
  expect(closed.text).toContain('Only you see it.');
  expect(closed.text).not.toContain('unlisted link');
  expect(closed.copied).toBeUndefined();
  const create = async (fields = {}) =>
    (await owner.post(`/quizzes/${id}/links`, fields).expect(201)).body.data as { path: string };
  const soon = new Date(service.clock.now().getTime() + 60_000).toISOString();
  const first = await create();
  const second = await create({ closesAt: soon });
  const open = await show();
  expect(open.text).toContain('Draft. Open by 2 unlisted links.');
  expect(open.text).toContain('only people with a link can play it');
  expect(open.text).not.toContain('Only you see it');
  expect(open.copied).toBe(service.url + second.path);
  service.clock.advance(61_000);
  const left = await show();
  expect(left.text).toContain('Draft. Open by 1 unlisted link.');
  const list = await window.open('/quizzes').expect(200);
  expect(list.text).toContain('open by 1 unlisted link');
  expect(list.text).not.toContain('open by 2 unlisted links');
  expect(left.copied).toBe(service.url + first.path);
});

it('a link closes at its date, says so, and takes no date in the past', async () => {
  const at = (minutes: number) =>
    new Date(service.clock.now().getTime() + minutes * 60_000).toISOString().slice(0, 16);
  for (const [closesAt, message] of [
    [at(-5), 'The closing time must be in the future.'],
    ['tomorrow', 'Give a time such as'],
  ] as const) {
    const refused = await window.send(`/quizzes/${draft.id}/links`, { closesAt }).expect(422);
    expect(refused.text).toContain(message);
    expect(refused.text).toContain(`value="${closesAt}"`);
  }
  const path = await share({ closesAt: at(30) });
  const attempt = await start(path);
  service.clock.advance(31 * 60_000);
  await get(path).expect(410, /This link has closed/);
  await post(path).expect(410);
  expect(await finish(attempt)).toContain('you got 2 of 2 correct');
  await revoke();
});

it('a link ends with its quiz, with its owner’s account and with UNLISTED_LINKS=off', async () => {
  const other = await makeQuiz(owner, { title: 'Going', published: false }, questionBodies(1));
  const gone = await share({}, other.id);
  await owner.delete(`/quizzes/${other.id}`).expect(204);
  await get(gone).expect(404);

  const accounts = service.app.get(AccountAdministrationService);
  const author = await service.account('pro');
  const authors = await signIn(service, author);
  const quiz = await makeQuiz(author, { title: 'Withheld', published: false }, questionBodies(1));
  await authors.send(`/quizzes/${quiz.id}/links`).expect(303);
  const { text } = await authors.open(`/quizzes/${quiz.id}/share`);
  const path = /\/play\/~[\w-]{22}/.exec(text)?.[0] ?? '';
  await get(path).expect(200);
  await accounts.setDisabled(OPERATOR, author.accountId, true);
  await get(path).expect(404);

  const closed = await startService({ UNLISTED_LINKS: 'off' });
  const member = await closed.account('pro');
  const pages = await signIn(closed, member);
  const { id } = await makeQuiz(member, { published: false }, questionBodies(1));
  const page = await pages
    .open(`/quizzes/${id}/share`)
    .expect(200, /does not allow unlisted links/);
  expect(page.text).not.toContain('Create a link');
  await pages.send(`/quizzes/${id}/links`).expect(403);
  await member.post(`/quizzes/${id}/links`, {}).expect(403, /UNLISTED_LINKS/);
  await closed.database.query(
    `INSERT INTO quiz_links (id, quiz_id, token, created_at) VALUES (gen_random_uuid(), $1, $2, now())`,
    [id, 'A'.repeat(22)],
  );
  await request(closed.url)
    .get(`/play/~${'A'.repeat(22)}`)
    .expect(404);
  // It does not work, so the page of the quiz does not offer it.
  const shown = await pages.open(`/quizzes/${id}`).expect(200, /Only you see it/);
  expect(shown.text).not.toContain('unlisted link');
  const listed = await pages.open(`/quizzes/${id}/share`).expect(200, /Revoke link/);
  const revoking = /\/quizzes\/[\w-]+\/links\/[\w-]{36}\/revoke/.exec(listed.text)?.[0] ?? '';
  await pages.send(revoking).expect(303);
  expect((await member.get(`/quizzes/${id}/links`).expect(200)).body.data).toEqual([]);
  // Nor do the pages of a Free account, and the one where it signs up.
  const free = await closed.account('free');
  const draft = await makeQuiz(member, { published: false }, questionBodies(1));
  await closed.database.query('UPDATE quizzes SET owner_id = $1 WHERE id = $2', [
    free.accountId,
    draft.id,
  ]);
  const limited = await signIn(closed, free);
  for (const path of ['/quizzes', `/quizzes/${draft.id}`, '/account', '/sign-up']) {
    const { text } = await (
      path === '/sign-up' ? request(closed.url).get(`/dashboard${path}`) : limited.open(path)
    ).expect(200);
    expect(text).not.toMatch(/share (it|them) by|that you share/i);
  }
  await closed.close();
});

it('the API creates, lists and revokes the links that the dashboard shows', async () => {
  const { id } = await makeQuiz(owner, { title: 'By key', published: false }, questionBodies(2));
  const at = `/quizzes/${id}/links`;
  const closesAt = new Date(service.clock.now().getTime() + 60_000).toISOString();
  const { body } = await owner.post(at, { closesAt }).expect(201);
  expect(body).toEqual({
    success: true,
    data: {
      id: expect.any(String),
      path: expect.stringMatching(/^\/play\/~[\w-]{22}$/),
      name: null,
      code: expect.stringMatching(/^[2-9B-DF-HJKMNP-TV-Z]{6}$/),
      closesAt,
      names: [],
      notHandedIn: [],
      timeFactor: 1,
      createdAt: expect.any(String),
    },
  });
  const open = await owner.post(at, {}).expect(201);
  expect(open.body.data.closesAt).toBeNull();
  expect((await owner.get(at).expect(200)).body.data).toEqual([open.body.data, body.data]);
  const page = await window.open(`/quizzes/${id}/share`).expect(200);
  expect(page.text).toContain(body.data.path);
  await get(open.body.data.path).expect(200);
  await owner.delete(`${at}/${open.body.data.id}`).expect(204);
  await owner.delete(`${at}/${open.body.data.id}`).expect(404, /Link not found/);
  await get(open.body.data.path).expect(404);
  const past = new Date(service.clock.now().getTime() - 1).toISOString();
  for (const odd of [past, 'tomorrow', 7, '2027-01-31T25:00:00Z', '2027-02-31T12:00:00Z'])
    await owner.post(at, { closesAt: odd }).expect(422, /closesAt/);
  const other = await service.account('pro', { isAdmin: true });
  await other.get(at).expect(404);
  await other.delete(`${at}/${body.data.id}`).expect(403, /Only its owner shares it/);
  await get(body.data.path).expect(200);
});

it('the page for sharing reads the account only for a public quiz, which its settings of embedding belong to', async () => {
  const read = jest.spyOn(service.app.get(AccountsService), 'get');
  try {
    await window.open(`/quizzes/${draft.id}/share`).expect(200);
    expect(read).not.toHaveBeenCalled();
  } finally {
    read.mockRestore();
  }
});

it('the name and the closing time of a link can be changed, by API and on the dashboard', async () => {
  const { id } = await makeQuiz(owner, { title: 'Named', published: false }, questionBodies(1));
  const at = `/quizzes/${id}/links`;
  const inMinutes = (minutes: number) =>
    new Date(service.clock.now().getTime() + minutes * 60_000).toISOString();
  const link = (await owner.post(at, { name: ' Class 7b ', closesAt: inMinutes(10) }).expect(201))
    .body.data as { id: string; path: string; closesAt: string };
  expect(link).toMatchObject({ name: 'Class 7b' });
  service.clock.advance(11 * 60_000);
  await get(link.path).expect(410);
  // Its closing time is over, and its name can be changed.
  const named = await owner.patch(`${at}/${link.id}`, { name: 'Class 8a' }).expect(200);
  expect(named.body).toEqual({ success: true, data: { ...link, name: 'Class 8a' } });
  const closesAt = inMinutes(10);
  await owner.patch(`${at}/${link.id}`, { closesAt }).expect(200);
  await get(link.path).expect(200);
  for (const odd of [{}, { closesAt: inMinutes(-1) }, { closesAt: 'x' }, { name: 'x'.repeat(101) }])
    await owner.patch(`${at}/${link.id}`, odd).expect(422);
  const noTime = await owner.post(at, { closesAt: 'tomorrow' }).expect(422);
  expect(noTime.body.error).toContain('must be a time such as 2026-03-01T12:30:00Z, or null');
  const past = await owner.post(at, { closesAt: inMinutes(-1) }).expect(422);
  expect(past.body.error).toBe('The body is not valid: closesAt must be in the future.');
  // The field shows no seconds, and saving the form changes none: neither of an open link, nor of one that has closed.
  for (const minutes of [0, 11]) {
    service.clock.advance(minutes * 60_000);
    const same = { name: `After ${minutes}`, closesAt: closesAt.slice(0, 16) };
    await window.send(`${at}/${link.id}/edit`, same).expect(303);
    const [renamed] = (await owner.get(at).expect(200)).body.data as object[];
    expect(renamed).toMatchObject({ name: same.name, closesAt });
  }
  const form = await window.open(`${at}/${link.id}/edit`).expect(200);
  expect(form.text).toContain('value="After 11"');
  expect(form.text).toContain(`value="${closesAt.slice(0, 16)}"`);
  const typed = { name: '', closesAt: inMinutes(60).slice(0, 16) };
  await window.send(`${at}/${link.id}/edit`, typed).expect(303);
  const [saved] = (await owner.get(at).expect(200)).body.data as { closesAt: string }[];
  expect(saved).toMatchObject({ name: null, closesAt: `${typed.closesAt}:00.000Z` });
  const refused = await window.send(`${at}/${link.id}/edit`, { closesAt: 'soon' }).expect(422);
  expect(refused.text).toContain('Give a time such as');
  await window.send(`${at}/${link.id}/edit`, { closesAt: '' }).expect(303);
  expect((await owner.get(at)).body.data[0].closesAt).toBeNull();
  const other = await service.account('pro');
  const others = await signIn(service, other);
  await other.patch(`${at}/${link.id}`, { name: 'Mine' }).expect(403);
  await others.send(`${at}/${link.id}/edit`, { name: 'Mine' }).expect(404);
  await owner.patch(`${at}/${other.accountId}`, { name: 'None' }).expect(404, /Link not found/);
});

describe('short codes', () => {
  const open = (code: string) => get(`/play?code=${encodeURIComponent(code)}`);
  const codeOn = (page: { text: string }) =>
    /class="code-letters"[^>]*>(\w{6})</.exec(page.text)?.[1];

  it('the big page of a link shows its code, which opens the link however it is typed, until it ends', async () => {
    const { id } = await makeQuiz(owner, { title: 'Big', published: false }, questionBodies(1));
    const at = `/quizzes/${id}/links`;
    const closesAt = new Date(service.clock.now().getTime() + 600_000).toISOString();
    const { body } = await owner.post(at, { closesAt }).expect(201);
    const { path, code, id: link } = body.data as { path: string; code: string; id: string };
    const big = await window.open(`/quizzes/${id}/share/big?link=${link}`).expect(200);
    expect([codeOn(big), big.text.includes(`QR code of ${service.url}${path}`)]).toEqual([
      code,
      true,
    ]);
    for (const typed of [code, ` ${code.toLowerCase()} `, `${code.slice(0, 3)}-${code.slice(3)}`])
      await open(typed).expect(303).expect('Location', path);
    const wrong = await open('BBBBBB').expect(422);
    expect(wrong.text).toContain('No quiz has this code now.');
    expect(wrong.text).toContain('value="BBBBBB"');
    for (const odd of ['0O1IL5', '%00', 'x'.repeat(500), `${code}2`]) await open(odd).expect(422);
    // A link from before codes existed gets one when it is shown.
    await service.database.query('UPDATE quiz_links SET code = NULL WHERE id = $1', [link]);
    const late =
      codeOn(await window.open(`/quizzes/${id}/share/big?link=${link}`).expect(200)) ?? '';
    await open(late).expect(303).expect('Location', path);
    await open(code).expect(422);
    service.clock.advance(601_000);
    await open(late).expect(422, /This link has closed/);
    await owner.delete(`${at}/${link}`).expect(204);
    await open(late).expect(422);
    const others = await signIn(service, await service.account('pro'));
    await others.open(`/quizzes/${id}/share/big?link=${link}`).expect(404);
  });

  it('a code that another link has is not given again', async () => {
    const { id } = await makeQuiz(owner, { title: 'Twice', published: false }, questionBodies(1));
    const create = async () =>
      (await owner.post(`/quizzes/${id}/links`, {}).expect(201)).body.data.code as string;
    const drawn = [8, 9, 10, 11, 12, 13, 8, 9, 10, 11, 12, 13, 8, 9, 10, 11, 12, 14];
    const real = crypto.randomInt;
    const random = jest.spyOn(crypto, 'randomInt');
    // One of 28 letters; ids draw other numbers.
    random.mockImplementation((most: number) => (most === 28 ? drawn.shift() : real(most)));
    try {
      expect(await create()).toBe('BCDFGH');
      expect(await create()).toBe('BCDFGJ');
    } finally {
      random.mockRestore();
    }
  });

  it('the code of a public quiz opens its page while it is public, and is no unlisted link', async () => {
    const admin = await service.account('pro', { isAdmin: true });
    const own = await signIn(service, admin);
    const { id } = await makeQuiz(admin, { title: 'Open to all' }, questionBodies(1));
    const show = async () => codeOn(await own.open(`/quizzes/${id}/share/big`).expect(200)) ?? '';
    const code = await show();
    expect(await show()).toBe(code);
    await open(code).expect(303).expect('Location', '/play/open-to-all');
    expect((await admin.get(`/quizzes/${id}/links`).expect(200)).body.data).toEqual([]);
    const [row] = await service.database.query<{ id: string; token: string }[]>(
      'SELECT id, token FROM quiz_links WHERE quiz_id = $1',
      [id],
    );
    await get(`/play/~${row?.token}`).expect(404);
    await admin.delete(`/quizzes/${id}/links/${row?.id}`).expect(404);
    await admin.patch(`/quizzes/${id}`, { published: false }).expect(200);
    await open(code).expect(422);
    await own.open(`/quizzes/${id}/share/big`).expect(409, /not public/);
    await admin.patch(`/quizzes/${id}`, { published: true }).expect(200);
    await open(code).expect(303);
  });

  it('short codes are limited to 300 tries of an address', async () => {
    await service.database.query('DELETE FROM attempt_limits');
    await open('BBBBBB').expect(422);
    // As if this had been its 280th.
    await service.database.query('UPDATE attempt_limits SET attempts = 280 WHERE attempts = 1');
    await Promise.all(Array.from({ length: 20 }, () => open('BBBBBB').expect(422)));
    const refused = await open('BBBBBB').expect(429, /Too many codes/);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await service.database.query('DELETE FROM attempt_limits');
  });

  it('a short code gets 503 while the database is away, not 429', async () => {
    const limits = service.app.get(AttemptLimits, { strict: false });
    const take = jest.spyOn(limits, 'take').mockRejectedValueOnce(new Unavailable());
    const before = service.log.length;
    try {
      await open('BBBBBB').expect(503);
    } finally {
      take.mockRestore();
      // Other tests find no error in the log.
      service.log.splice(before);
    }
  });

  it('a short code is not in the log', async () => {
    await get('/play?code=7KQ2WX&q=a');
    await eventually(() => expect(service.log.join('')).toContain('"/play?code=[redacted]&q=a"'));
    expect(service.log.join('')).not.toContain('7KQ2WX');
  });
});

it('a quiz can have 20 unlisted links, and a further one is refused', async () => {
  const { id } = await makeQuiz(owner, { title: 'Many', published: false }, questionBodies(1));
  const sent = await Promise.all(
    Array.from({ length: 22 }, () => window.send(`/quizzes/${id}/links`)),
  );
  expect(sent.map(({ status }) => status).sort()).toEqual([
    ...Array<number>(20).fill(303),
    422,
    422,
  ]);
  expect(sent.find(({ status }) => status === 422)?.text).toContain('Revoke one');
});

it('the worksheet shows no correct answer, and the key marks them by the letters of the sheet', async () => {
  const { id, questions } = await makeQuiz(owner, { published: false }, questionBodies(12));
  const at = `/quizzes/${id}/print`;
  const lettersOf = (text: string) =>
    [
      ...text.matchAll(
        /<li(?: (data-correct))?><span class="letter">(\w)\)<\/span> <bdi dir="auto">([^<]+)/g,
      ),
    ].map(
      ([, isRight, letter, answer]) => [`${letter}) ${answer}`, isRight !== undefined] as const,
    );
  // Short answers stand side by side.
  expect((await window.open(at)).text).toContain('<ul class="short">');
  const textsOf = (text: string) => [...text.matchAll(/Question (\d+)\?/g)].map(([, n]) => n);
  const pages: string[][] = [];
  for (const version of ['A', 'B']) {
    const sheet = (await window.open(`${at}?version=${version}`).expect(200)).text;
    const key = (await window.open(`${at}?version=${version}&key=yes`).expect(200)).text;
    expect(sheet).not.toMatch(/data-correct|✓|\(correct\)|flows through ten countries/);
    expect(key).toContain(`version ${version}`);
    expect(key).toContain('flows through ten countries');
    expect(lettersOf(key).map(([line]) => line)).toEqual(lettersOf(sheet).map(([line]) => line));
    const marked = lettersOf(key).filter(([, isRight]) => isRight);
    expect(marked.map(([line]) => line.slice(3))).toEqual(questions.map(() => 'The Danube'));
    expect(textsOf(key)).toEqual(textsOf(sheet));
    expect(textsOf(sheet).toSorted()).toEqual(questions.map((_, n) => String(n + 1)).toSorted());
    pages.push([textsOf(sheet).join(), lettersOf(sheet).join()]);
  }
  expect(pages[0]?.[0]).toBe(questions.map((_, n) => n + 1).join());
  expect(pages[1]?.[0]).not.toBe(pages[0]?.[0]);
  expect(pages[1]?.[1]).not.toBe(pages[0]?.[1]);
  expect((await window.open(at)).text).toContain('<h1 dir="auto">');
});

it('version B of a worksheet with two questions has another order than A', async () => {
  const { id } = await makeQuiz(owner, { published: false }, questionBodies(2));
  const { text } = await window.open(`/quizzes/${id}/print?version=B`).expect(200);
  expect(text.indexOf('Question 2?')).toBeLessThan(text.indexOf('Question 1?'));
});

describe('embedding', () => {
  let live: MadeQuiz;
  beforeAll(async () => {
    const author = await service.account('pro', { isAdmin: true });
    live = await makeQuiz(author, { title: 'Waters & <b>' }, questionBodies(2));
    await service.app.get(AccountsService).setEmbedOrigins(author.accountId, ['https://a.example']);
  });
  const elsewhere = (path: string) =>
    request(service.url).get(path).set('Origin', 'https://elsewhere.example');
  const policyOf = async (path: string) =>
    (await get(path)).headers['content-security-policy'] as string;

  it('a quiz is played by another origin without a cookie, and its token is not in the log', async () => {
    const page = await elsewhere('/embed/waters-b').expect(200);
    const place = /action="(\/embed\/waters-b\/~[\w-]{43})"/;
    const [, home = ''] = place.exec(page.text) ?? [];
    expect((await elsewhere('/Embed/waters-b').expect(200)).text).toMatch(place);
    const sent = (path: string, fields: object) =>
      request(service.url)
        .post(path)
        .type('form')
        .set({ Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' })
        .send(fields)
        .expect(303)
        .expect('Access-Control-Allow-Origin', '*');
    const started = await sent(home, { name: 'Ada', reveal: 'yes' });
    let at = String(started.headers.location);
    expect(at.startsWith(`${home}/`)).toBe(true);
    for (const [index, { answers }] of live.questions.entries()) {
      const asked = await elsewhere(at).expect(200).expect('Access-Control-Allow-Origin', '*');
      expect(asked.headers).not.toHaveProperty('set-cookie');
      expect(asked.text).toContain(`${index + 1} of 2`);
      const next = await sent(at, { answer: answers.find((it) => it.isCorrect)?.id });
      expect(next.headers).not.toHaveProperty('set-cookie');
      at = String(next.headers.location);
    }
    const result = await elsewhere(at).expect(200);
    expect(result.text).toContain('data-score="2" data-total="2"');
    const [token = ''] = /~[\w-]{43}/.exec(at) ?? [];
    await eventually(() => expect(service.log.join('')).toContain('/embed/waters-b/[redacted]/'));
    expect(service.log.join('')).not.toContain(token);
    // Nobody else can see it: another token leads to the start, as another browser does.
    const other = at.replace(/~[\w-]{43}/, `~${'A'.repeat(43)}`);
    await get(other)
      .expect(303)
      .expect('Location', `/embed/waters-b/~${'A'.repeat(43)}?gone=attempt`);
    await elsewhere('/embed/none').expect(404).expect('Access-Control-Allow-Origin', '*');
  });

  it('only origins that the owner allows may show a quiz in a frame, at first none', async () => {
    expect(await policyOf('/embed/waters-b')).toMatch(/frame-ancestors https:\/\/a\.example$/);
    expect((await get('/embed/waters-b')).headers).not.toHaveProperty('x-frame-options');
    expect(await policyOf('/play/waters-b')).toMatch(/frame-ancestors 'none'$/);
    expect(await policyOf('/embed/none')).toMatch(/frame-ancestors 'none'$/);
    const path = (await share()).replace('/play/', '/embed/');
    expect(await policyOf(path)).toMatch(/frame-ancestors 'none'$/);
    const save = (origins: string) => window.send(`/quizzes/${draft.id}/embed`, { origins });
    await save('https://b.example, http://localhost:8000').expect(303);
    expect(await policyOf(path)).toMatch(/ancestors https:\/\/b\.example http:\/\/localhost:8000$/);
    await save('https://*.example.com').expect(303);
    expect(await policyOf(path)).toMatch(/frame-ancestors https:\/\/\*\.example\.com$/);
    await save('*').expect(303);
    expect(await policyOf(path)).toMatch(/frame-ancestors \*$/);
    await save('').expect(303);
    expect(await policyOf(path)).toMatch(/frame-ancestors 'none'$/);
  });

  it('a website that is none is refused, and the error does not speak of a key', async () => {
    const { accountId } = await service.account();
    const saved = service.app.get(AccountsService).setEmbedOrigins(accountId, ['https://*']);
    await expect(saved).rejects.toThrow(
      'The list of websites is not valid: origins: “https://*” is not a web origin',
    );
  });

  it('no website that an owner gives or that is stored adds a directive to the policy of a page', async () => {
    const at = '/embed/waters-b';
    const before = await policyOf(at);
    for (const origin of ['https://a;script-src', "https://a;sandbox'", 'https://a,b']) {
      const origins = `https://b.example ${origin}`;
      await window.send(`/quizzes/${draft.id}/embed`, { origins }).expect(422);
      // As an earlier version stored it.
      await service.database.query(
        `UPDATE accounts SET embed_origins = array_append(embed_origins, $1)
         WHERE id = (SELECT owner_id FROM quizzes WHERE id = $2)`,
        [origin, live.id],
      );
      await get(at).expect(200);
      expect(await policyOf(at)).toBe(before);
    }
  });

  it('the element is one file of at most 15 kB, compressed, that every origin may load', async () => {
    const { headers, text } = await elsewhere('/embed.js')
      .set('Accept-Encoding', 'gzip')
      .expect(200)
      .expect('Content-Type', /^text\/javascript/)
      .expect('Access-Control-Allow-Origin', '*')
      .expect('Cross-Origin-Resource-Policy', 'cross-origin');
    expect(headers['content-encoding']).toBe('gzip');
    expect(gzipSync(text).length).toBeLessThan(15_000);
    expect(text).not.toMatch(/@import|url\(/);
  });

  it('oEmbed returns the HTML of a public quiz, which its page announces', async () => {
    const page = await get('/play/waters-b').expect(200);
    const [, link = ''] =
      /<link rel="alternate" type="application\/json\+oembed" href="([^"]+)"/.exec(page.text) ?? [];
    const { pathname, search } = new URL(link.replaceAll('&amp;', '&'));
    const { body } = await elsewhere(pathname + search).expect(200);
    expect(body).toEqual({
      version: '1.0',
      type: 'rich',
      title: 'Waters & <b>',
      provider_name: 'Quiz Question Service',
      provider_url: service.url,
      html: `<iframe src="${service.url}/embed/waters-b" title="Waters &amp; &lt;b&gt;" width="640" height="720" style="border: 0"></iframe>`,
      width: 640,
      height: 720,
      thumbnail_url: `${service.url}/covers/waters-b.png`,
      thumbnail_width: 1200,
      thumbnail_height: 630,
    });
    const small = await get(`${pathname}${search}&maxwidth=300&maxheight=x`).expect(200);
    expect([small.body.width, small.body.height]).toEqual([300, 720]);
    // Where the owner allows no frames, the element works.
    await makeQuiz(await service.account('pro', { isAdmin: true }), { title: 'Unframed' });
    const unframed = await get(`/oembed?url=${service.url}/play/unframed`).expect(200);
    expect(unframed.body.html).toContain(`<quiz-player src="${service.url}/play/unframed">`);
  });

  it.each([
    ['format=xml&url=/play/waters-b', 501],
    ['url=/play/none', 404],
    ['url=/docs', 404],
    ['format=json', 400],
    ['url=https://elsewhere.example/play/waters-b', 404],
  ])('oEmbed responds to %s with %i', async (query, status) => {
    const response = await get(`/oembed?${query.replace('url=/', `url=${service.url}/`)}`);
    expect([response.status, response.body.success]).toEqual([status, false]);
    expect(response.body.error).toEqual(expect.any(String));
    // Pino's level of a warning: a format that is not supported is no fault of the service.
    if (status === 501)
      await eventually(() =>
        expect(service.log.some((line) => /"level":40.+"status":501/.test(line))).toBe(true),
      );
    expect(service.log.join('')).not.toContain('"level":50');
  });

  it('an unlisted link has neither oEmbed nor a picture', async () => {
    const path = await share({}, (await makeQuiz(owner, { title: 'L' }, questionBodies(1))).id);
    expect((await get(path).expect(200)).text).not.toContain('oembed');
    await get(`/oembed?url=${service.url}${path}`).expect(404);
    await get(`${path.replace('/play/', '/covers/')}.png`).expect(404);
  });

  it('the share page of a public quiz has the lines to copy', async () => {
    const author = await service.account('pro', { isAdmin: true });
    const { id } = await makeQuiz(author, { title: 'Copied' }, questionBodies(1));
    const mine = await signIn(service, author);
    const page = await mine.open(`/quizzes/${id}/share`).expect(200);
    expect(page.text).toContain(`&lt;quiz-player src=&quot;${service.url}/play/copied&quot;>`);
    const at = `/quizzes/${id}/embed`;
    await mine.send(at, { origins: 'https://b.example/x' }).expect(422, /is not a web origin/);
    const hidden = await window.open(`/quizzes/${draft.id}/share`).expect(200);
    expect(hidden.text).not.toContain('quiz-player');
  });
});
