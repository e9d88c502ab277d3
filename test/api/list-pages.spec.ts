import request from 'supertest';
import { ImportRunnerService } from '../../src/import-export/imports/running/import-runner.service';
import { makeQuiz } from '../support/content';
import { signIn, textOf } from '../support/dashboard';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** Lists in pages, on the dashboard and in the catalogue. */
let service: Service;
let owner: TestAccount;

beforeAll(async () => {
  service = await startService();
  owner = await service.account('pro', { isAdmin: true });
});
afterAll(() => service.close());

it('the search of every list takes 200 characters, and no half of one', async () => {
  await makeQuiz(owner, {}, []);
  const mine = await signIn(service, owner);
  const longest = 'a' + '\u{1f600}'.repeat(199);
  const query = `?q=${encodeURIComponent(longest)}b`;
  for (const list of ['quizzes', 'questions', 'admin/quizzes', 'admin/accounts', 'admin/audit']) {
    const { text } = await mine.open(`/${list}${query}`).expect(200);
    const [field = ''] = /<input[^>]* name="q"[^>]*>/.exec(text) ?? [];
    expect([list, field]).toEqual([list, expect.stringContaining(`value="${longest}"`)]);
    expect([list, field]).toEqual([list, expect.stringContaining('maxlength="200"')]);
  }
  const { text } = await request(service.url).get(`/play${query}`).expect(200);
  expect(text).toContain(`value="${longest}"`);
});

/** What an empty list says. */
const EMPTY =
  /No quiz matches|No quizzes yet|No questions yet|It has no questions|No attempts yet|No accounts|No account has|No keys yet|No imports yet|created no quizzes|None of this kind/;

const toLast = (html: string): string =>
  /href="([^"]*)">To the last page/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';

it('a page after the last one of a list says so and leads to the last, and does not call the list empty', async () => {
  const { id, questions } = await makeQuiz(owner, { title: 'Paged' }, questionBodies(1));
  const attempt = await owner.post(`/quizzes/${id}/attempts`, { player: 'Ada' }).expect(201);
  const answers = { questionId: questions[0]?.id, answerIds: [questions[0]?.answers[0]?.id] };
  await owner.post(`/attempts/${attempt.body.data.id}/answers`, answers).expect(200);
  await owner.post(`/attempts/${attempt.body.data.id}/submit`).expect(200);
  // Two pages of 50 errors, and one more.
  const rows = ['Which river?,Danube,Rhine'];
  for (let number = 1; number <= 101; number++) rows.push(`Which lake ${number}?,,Ladoga`);
  const sent = await owner
    .post('/imports?title=Imported')
    .set('Content-Type', 'text/csv')
    .send(`question,correct_answer,wrong_answer_1\n${rows.join('\n')}`)
    .expect(202);
  const imported = String(sent.body.data.id);
  await service.app.get(ImportRunnerService).run(imported);

  const mine = await signIn(service, owner);
  for (const list of [
    '/keys?',
    '/quizzes?',
    `/quizzes/${id}?`,
    `/quizzes/${id}/results?`,
    '/imports?',
    `/imports/${imported}?kind=error&`,
    `/imports/${imported}/quizzes?`,
    '/admin/accounts?q=&',
    '/admin/quizzes?',
    `/admin/review/${id}?`,
  ]) {
    const page = textOf((await mine.open(`${list}page=99`).expect(200)).text);
    expect([list, page]).toEqual([list, expect.stringContaining('There is no page 99')]);
    expect([list, EMPTY.exec(page)]).toEqual([list, null]);
  }
  const beyond = await mine.open('/keys?page=99').expect(200);
  expect(toLast(beyond.text)).toBe('/dashboard/keys?page=1');
  expect(textOf(beyond.text)).not.toContain('Create a key');
  const report = `/imports/${imported}?kind=error`;
  const errors = await mine.open(`${report}&page=99`).expect(200);
  expect(toLast(errors.text)).toBe(`/dashboard${report}&page=3#report`);
  const lastErrors = await mine.open(`${report}&page=3`).expect(200);
  expect(textOf(lastErrors.text)).toContain('101 to 101 of 101');

  const catalogue = await request(service.url).get('/play?page=99').expect(200);
  expect(catalogue.text).toContain('There is no page 99');
  expect(catalogue.text).toContain('href="/play?page=1"');
  expect(catalogue.text).not.toContain('No quizzes found');
  // An empty list has no pages.
  const none = await request(service.url).get('/play?q=nothing+like+it&page=2').expect(200);
  expect(none.text).toContain('No quizzes found');
  expect(none.text).not.toContain('There is no page');
});
