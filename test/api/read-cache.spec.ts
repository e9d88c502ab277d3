import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'supertest';
import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { ContentChanges } from '../../src/platform/database/content-changes';
import { LIMITS } from '../../src/platform/limits/limits';
import { questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { createQuiz } from '../support/writing';

/** Responses that are sent again without a database: whether PostgreSQL was asked shows in rows changed unnoticed. */

let service: Service;
let author: TestAccount;
let reader: TestAccount;
let quizId: string;
let changes: ContentChanges;

beforeAll(async () => {
  service = await startService({ MODERATION: 'auto' });
  author = await service.account('pro', { isAdmin: true });
  reader = await service.account();
  const taxonomy = service.app.get(TaxonomyService);
  const actor = { accountId: author.accountId };
  const { id: topicId } = await taxonomy.saveTopic(actor, null, { name: 'Earth' });
  await taxonomy.saveCategory(actor, null, { topicId, name: 'Geography' });
  quizId = await createQuiz(author, { title: 'Rivers' });
  const questions = Array.from({ length: 5 }, (_, n) => questionBody({ text: `Question ${n}` }));
  await author.post(`/quizzes/${quizId}/questions/batch`, { questions }).expect(201);
  changes = service.app.get(ContentChanges);
  while (!changes.isCurrent) await sleep(10);
});
beforeEach(async () => {
  await changeUnnoticed('Rivers');
  changes.revision++;
});
afterAll(() => service.close());

/** Changes rows without the triggers that notify. */
const unnoticed = (statement: string, values: unknown[]): Promise<void> =>
  service.database.transaction(async (tx) => {
    await tx.query(`SET LOCAL session_replication_role = replica`);
    await tx.query(statement, values);
  });
const changeUnnoticed = (title: string, id = quizId): Promise<void> =>
  unnoticed(`UPDATE quizzes SET title = $1 WHERE id = $2`, [title, id]);

/** Changes, unnoticed, what each of the responses shows of the quiz: its title, its questions, or counts. */
async function changeAllUnnoticed(title: string, by: number): Promise<void> {
  await changeUnnoticed(title);
  await unnoticed(`UPDATE questions SET text = $1 WHERE quiz_id = $2`, [title, quizId]);
  await unnoticed(
    `UPDATE catalog_counts
     SET quizzes = quizzes + $1, question_count = question_count + $1, counts_by_kind[1] = counts_by_kind[1] + $1`,
    [by],
  );
}

const paths = () => [
  '/quizzes?sort=title',
  `/quizzes/${quizId}`,
  '/questions?category=geography',
  `/questions?quiz_id=${quizId}`,
  '/questions/counts',
  '/metadata',
  '/categories',
];

const titleIn = ({ body }: Response) => (body as { data: { title: string } }).data.title;
const detail = (account: TestAccount) => account.get(`/quizzes/${quizId}`).expect(200);

const PASSING = ['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-reset'];

/** All headers but those that differ between any two responses. */
const lasting = ({ headers }: Response) =>
  Object.entries(headers as Record<string, string>)
    .filter(([name]) => !PASSING.includes(name))
    .sort();

describe('a repeated read', () => {
  it('a repeated read gets the same bytes and headers, in each encoding, while nothing has changed', async () => {
    for (const path of paths())
      for (const encoding of ['identity', 'gzip', 'br']) {
        const get = () => reader.get(path).set('Accept-Encoding', encoding).buffer(true);
        changes.revision++;
        const first = await get().expect(200);
        await changeAllUnnoticed('Changed unnoticed', 1);
        const again = await get().expect(200);
        expect(again.text).toBe(first.text);
        expect(lasting(again)).toEqual(lasting(first));
        const etag = first.headers.etag as string;
        for (const control of ['no-cache', 'max-age=0'])
          await get().set('If-None-Match', etag).set('Cache-Control', control).expect(304);
        expect(Number(again.headers['ratelimit-remaining'])).toBeLessThan(
          Number(first.headers['ratelimit-remaining']),
        );
        changes.revision++;
        expect((await get().expect(200)).text).not.toBe(first.text);
        await changeAllUnnoticed('Rivers', -1);
      }
  });

  it('a repeated read needs the key, its scope, its web origin and an Accept with JSON, and is logged', async () => {
    const path = `/quizzes/${quizId}`;
    const before = service.log.length;
    await detail(reader);
    await detail(reader);
    const lines = service.log
      .slice(before)
      .filter((line) => line.includes(path))
      .map((line) => JSON.parse(line) as object);
    const request = {
      accountId: reader.accountId,
      method: 'GET',
      url: `/api/v1${path}`,
      status: 200,
    };
    expect(lines).toEqual([1, 2].map(() => expect.objectContaining(request) as object));

    await service.get(path).expect(401);
    await reader.get(path).set('Accept', 'text/html').expect(406);
    const playKey = await service.keyOf(reader, { scopes: ['play'] });
    await playKey.get(path).expect(403);
    await playKey.get('/quizzes').expect(200);
    await playKey.get('/quizzes?mine=true').expect(403);
    const page = await service.keyOf(reader, { origins: ['https://quiz.example'] });
    const allowed = () => page.get(path).set('Origin', 'https://quiz.example').expect(200);
    expect(lasting(await allowed())).toEqual(lasting(await allowed()));
    await page.get(path).set('Origin', 'https://other.example').expect(403);
    await service.database.query(`UPDATE accounts SET disabled_at = now() WHERE id = $1`, [
      reader.accountId,
    ]);
    service.clock.advance(5_001);
    await reader.get(path).expect(401);
    await service.database.query(`UPDATE accounts SET disabled_at = NULL WHERE id = $1`, [
      reader.accountId,
    ]);
  });

  it('a shuffled page and a response to a URL with a key are made anew each time', async () => {
    const shuffled = async () => (await reader.get('/questions?random=true')).text;
    expect(await shuffled()).not.toBe(await shuffled());
    const inUrl = () => service.get(`/quizzes/${quizId}?api_key=${reader.key}`).expect(200);
    await inUrl();
    await changeUnnoticed('In the URL');
    expect(titleIn(await inUrl())).toBe('In the URL');
  });
});

describe('a change', () => {
  it('a change by this process is in every response after its own, without a notification', async () => {
    service.noticesChanges = false;
    try {
      for (let n = 0; n < 20; n++) {
        await Promise.all([detail(reader), detail(author)]);
        await author.patch(`/quizzes/${quizId}`, { title: `Rivers ${n}` }).expect(200);
        expect(titleIn(await detail(reader))).toBe(`Rivers ${n}`);
        expect(titleIn(await detail(author))).toBe(`Rivers ${n}`);
      }
    } finally {
      service.noticesChanges = true;
    }
  });

  it('a change by another process is in every response a second later', async () => {
    service.noticesChanges = false;
    try {
      await detail(reader);
      await service.database.query(`UPDATE quizzes SET title = 'Elsewhere' WHERE id = $1`, [
        quizId,
      ]);
      await sleep(1_000);
      expect(titleIn(await detail(reader))).toBe('Elsewhere');
    } finally {
      service.noticesChanges = true;
    }
  });

  it('the first draft of an account is at once in its own list, and in no other', async () => {
    const [writer, other] = [await service.account(), await service.account()];
    const titles = async (account: TestAccount) => {
      const { body } = await account.get('/quizzes?topic=secret').expect(200);
      return (body as { data: { title: string }[] }).data.map(({ title }) => title);
    };
    expect(await titles(writer)).toEqual([]);
    expect(await titles(other)).toEqual([]);
    service.noticesChanges = false;
    try {
      await createQuiz(writer, { title: 'Secret draft', published: false });
      for (let n = 0; n < 3; n++) {
        expect(await titles(writer)).toEqual(['Secret draft']);
        expect(await titles(other)).toEqual([]);
      }
    } finally {
      service.noticesChanges = true;
    }
  });

  it('while notifications cannot arrive, every read asks the database', async () => {
    await detail(reader);
    await service.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'quiz-changes' AND datname = current_database()`,
    );
    await sleep(50);
    for (const title of ['While it was lost', 'Again', 'And again']) {
      await changeUnnoticed(title);
      expect(titleIn(await detail(reader))).toBe(title);
    }
  });
});

test('the cache is limited in number and length: the oldest responses are dropped first', async () => {
  while (!changes.isCurrent) await sleep(10);
  const { cachedResponses, cachedBytes } = LIMITS.requests;
  const titleAt = async (path: string) => titleIn(await reader.get(path).expect(200));
  const path = (n: number) => `/quizzes/${quizId}?n=${n}`;
  changes.revision++;
  for (let n = 0; n < cachedResponses.value; n++) await titleAt(path(n));
  await changeUnnoticed('Renamed');
  expect(await titleAt(path(0))).toBe('Rivers');
  // One more takes the place of the oldest.
  expect(await titleAt(path(cachedResponses.value))).toBe('Renamed');
  expect(await titleAt(path(0))).toBe('Renamed');
  expect(await titleAt(path(cachedResponses.value - 1))).toBe('Rivers');

  const questions = Array.from({ length: 9 }, () => questionBody({ text: 'x'.repeat(4_000) }));
  const long = await createQuiz(author, { title: 'Long' });
  await author.post(`/quizzes/${long}/questions/batch`, { questions }).expect(201);
  const { text } = await reader.get(`/quizzes/${long}`).expect(200);
  expect(text.length).toBeGreaterThan(cachedBytes.value);
  await changeUnnoticed('Read again', long);
  expect(await titleAt(`/quizzes/${long}`)).toBe('Read again');
});

test('a response with fewer characters but more bytes than the cache takes is read again', async () => {
  while (!changes.isCurrent) await sleep(10);
  const { value: most } = LIMITS.requests.cachedBytes;
  const questions = Array.from({ length: 5 }, () => questionBody({ text: 'é'.repeat(4_000) }));
  const quiz = await createQuiz(author, { title: 'Accents' });
  await author.post(`/quizzes/${quiz}/questions/batch`, { questions }).expect(201);
  const read = async () => (await reader.get(`/questions?quiz_id=${quiz}`).expect(200)).text;
  const text = await read();
  expect(text.length).toBeLessThan(most);
  expect(Buffer.byteLength(text)).toBeGreaterThan(most);
  await unnoticed("UPDATE questions SET explanation = 'Read again' WHERE quiz_id = $1", [quiz]);
  expect(await read()).toContain('Read again');
});
