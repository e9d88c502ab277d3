import request from 'supertest';
import { makeQuiz } from '../support/content';
import { signIn, type Window } from '../support/dashboard';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** The list of names of an unlisted link: who has not handed in (docs/playing.md). */
let service: Service;
let owner: TestAccount;
let window: Window;

beforeAll(async () => {
  service = await startService();
  owner = await service.account('pro');
  window = await signIn(service, owner);
});
afterAll(() => service.close());

const post = (path: string, fields: object, cookie = '') =>
  request(service.url)
    .post(path)
    .type('form')
    .set({ Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' })
    .send(fields);

const makeDraft = (title: string) =>
  makeQuiz(owner, { title, published: false }, questionBodies(1));

/** The first question of an attempt, in a browser of its own. */
async function start(path: string, name: string) {
  const started = await post(path, { name }).expect(303);
  const cookies = started.headers['set-cookie'] as unknown as string[];
  const cookie = cookies.find((line) => line.startsWith('quiz_player='))?.split(';')[0] ?? '';
  return { at: String(started.headers.location), cookie };
}

/** The text of a page, without its tags. */
const textOf = ({ text }: { text: string }) => text.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ');

it('a link tells who of its list of names has not handed in, whatever the case and the spaces', async () => {
  const quiz = await makeDraft('Class test');
  const { id } = quiz;
  const answer = quiz.questions[0]?.answers[0]?.id;
  const play = async (path: string, name: string) => {
    const { at, cookie } = await start(path, name);
    await post(at, { answer }, cookie).expect(303);
  };
  const at = `/quizzes/${id}/links`;
  const names = [' Ada ', 'Ben', 'ada', '', 'Zoë  Kahlo', 'Ödön', 'Eve'];
  const { body } = await owner.post(at, { name: 'Class 7b', names }).expect(201);
  const link = body.data as { id: string; path: string };
  const listed = ['Ada', 'Ben', 'Zoë Kahlo', 'Ödön', 'Eve'];
  expect(link).toMatchObject({ names: listed, notHandedIn: listed });
  // The same name by another link is somebody else's.
  const other = (await owner.post(at, {}).expect(201)).body.data as { id: string; path: string };
  expect(other).toMatchObject({ names: [], notHandedIn: [] });
  await play(other.path, 'Ben');
  await play(link.path, ' ADA');
  await play(link.path, 'zoë kahlo');
  await play(link.path, 'ödön');
  await play(link.path, 'A guest');
  await start(link.path, 'Eve');
  const [, first] = (await owner.get(at).expect(200)).body.data as object[];
  expect(first).toMatchObject({ id: link.id, names: listed, notHandedIn: ['Ben', 'Eve'] });
  const results = textOf(await window.open(`/quizzes/${id}/results`).expect(200));
  expect(results).toContain('Class 7b. Handed in: 3 of 5. Not handed in: Ben, Eve');
  expect(results.match(/Handed in:/g)).toHaveLength(1);
  expect(textOf(await window.open(`/quizzes/${id}/share`))).toContain('Handed in: 3 of 5');
  await play(link.path, 'ben');
  await play(link.path, 'Eve');
  const complete = textOf(await window.open(`/quizzes/${id}/results`).expect(200));
  expect(complete).toContain('Class 7b. Handed in: 5 of 5.');
  expect(complete).not.toContain('Not handed in');
  // Players read neither the names nor who is missing.
  const page = await request(service.url).get(link.path).expect(200);
  expect(page.text).not.toContain('Kahlo');
});

it('a name that has handed in is found among more players than a page of them holds', async () => {
  const { id, questions } = await makeDraft('Open to everybody');
  const names = ['Ada', 'Guest 1', 'Guest 15000', 'Guest 9999', 'Eve'];
  const at = `/quizzes/${id}/links`;
  const { body } = await owner.post(at, { names }).expect(201);
  const started = await start(body.data.path, 'Ada');
  const answer = questions[0]?.answers[0]?.id;
  await post(started.at, { answer }, started.cookie).expect(303);
  await service.database.query(
    `INSERT INTO quiz_attempts SELECT (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'player', 'web:aaaaaaaaaaaaaaaaaaaa:Guest ' || n))).*
     FROM quiz_attempts a, generate_series(1, 25000) AS n WHERE quiz_id = $1`,
    [id],
  );
  const [link] = (await owner.get(at).expect(200)).body.data as object[];
  expect(link).toMatchObject({ notHandedIn: ['Eve'] });
});

it('the list of names is set, changed and removed by API and in the dashboard', async () => {
  const { id } = await makeDraft('Lists');
  const at = `/quizzes/${id}/links`;
  const fields = { name: '7c', names: ' Ada\r\n\r\nBen\tBrown \r\nADA\r\n' };
  await window.send(at, fields).expect(303);
  const read = async () => (await owner.get(at).expect(200)).body.data[0];
  const link = await read();
  expect(link.names).toEqual(['Ada', 'Ben Brown']);
  const form = await window.open(`${at}/${link.id}/edit`).expect(200);
  expect(form.text).toContain('>Ada\nBen Brown</textarea>');
  await owner.patch(`${at}/${link.id}`, { name: '7d' }).expect(200);
  expect((await read()).names).toEqual(['Ada', 'Ben Brown']);
  const changed = await owner.patch(`${at}/${link.id}`, { names: ['Cid'] }).expect(200);
  expect(changed.body.data).toMatchObject({ name: '7d', names: ['Cid'], notHandedIn: ['Cid'] });
  for (const names of [null, []]) {
    await owner.patch(`${at}/${link.id}`, { names }).expect(200);
    expect((await read()).names).toEqual([]);
    await owner.patch(`${at}/${link.id}`, { names: ['Cid'] }).expect(200);
  }
  await window.send(`${at}/${link.id}/edit`, { name: '7d', names: '' }).expect(303);
  expect(await read()).toMatchObject({ name: '7d', names: [], notHandedIn: [] });
  const stranger = await service.account('pro');
  await stranger.patch(`${at}/${link.id}`, { names: ['Mine'] }).expect(403);
});

it('a link takes 200 names of 40 characters, and no more', async () => {
  const { id } = await makeDraft('Long lists');
  const at = `/quizzes/${id}/links`;
  const many = Array.from({ length: 201 }, (_, index) => `${index}`.padEnd(40, 'ö'));
  const full = await owner.post(at, { names: [...many.slice(1), many[1]] }).expect(201);
  expect(full.body.data.names).toHaveLength(200);
  await owner.post(at, { names: many }).expect(422, /names must hold at most 200 names/);
  const long = `Ada ${'x'.repeat(40)}`;
  await owner.post(at, { names: ['Ben', long] }).expect(422, /names\[1\].*longer than 40/);
  // Blank and repeated names count as items of the request.
  await owner.post(at, { names: ['', 'Ben', 'ben', long] }).expect(422, /names\[3\].*longer/);
  for (const odd of ['Ada', 7, ['Ada', 7], [['Ada']], [null], { 0: 'Ada' }])
    await owner.post(at, { names: odd }).expect(422, /names/);
  for (const [names, message] of [
    [many.join('\n'), 'at most 200 names'],
    [`Ben\n\n${long}`, `“${long}” is longer than 40 characters`],
    [`$$${long}`, `“$$${long}” is longer than 40 characters`],
  ] as const) {
    const refused = await window.send(at, { names }).expect(422);
    expect(refused.text).toContain(message);
    expect(refused.text).toContain(`${names}</textarea>`);
  }
});
