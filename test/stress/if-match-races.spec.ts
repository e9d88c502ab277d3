import { makeQuiz } from '../support/content';
import { questionBody } from '../support/samples';
import { type Service, startService } from '../support/service';

/** Two writers that change the same resource with the same ETag. */

const RACES = 1_000;

let service: Service;
beforeAll(async () => {
  service = await startService({ MODERATION: 'auto' });
});
afterAll(() => service.close());

test('of two changes with one ETag exactly one is made, in 1,000 races on a quiz and its question', async () => {
  const account = await service.account();
  const { id, questions } = await makeQuiz(account, {}, [questionBody()]);
  const resources = [
    { path: `/quizzes/${id}`, field: 'description' },
    { path: `/questions/${questions[0]?.id}`, field: 'explanation' },
  ];
  const outcomes = new Map<string, number>();
  for (let race = 0; race < RACES; race++) {
    const { path, field } = resources[race % 2]!;
    const seen = (await account.get(path).expect(200)).headers.etag ?? '';
    const writers = [`A ${race}`, `B ${race}`];
    const replies = await Promise.all(
      writers.map((text) => account.patch(path, { [field]: text }).set('If-Match', seen)),
    );
    const outcome = replies
      .map(({ status }) => status)
      .sort()
      .join();
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const winner = replies.findIndex(({ status }) => status === 200);
    const now = await account.get(path).expect(200);
    expect(now.body.data[field]).toBe(writers[winner]);
    for (const { headers } of replies) expect(headers.etag).toBe(now.headers.etag);
  }
  expect([...outcomes]).toEqual([['200,412', RACES]]);
}, 600_000);

test('a counter that two writers increment with If-Match loses no increment', async () => {
  const account = await service.account();
  const { id } = await makeQuiz(account, { description: '0' });
  const path = `/quizzes/${id}`;
  let refused = 0;
  const increment = async () => {
    for (;;) {
      const { body, headers } = await account.get(path).expect(200);
      const description = String(Number(body.data.description) + 1);
      const reply = await account.patch(path, { description }).set('If-Match', headers.etag ?? '');
      if (reply.status === 200) return;
      expect(reply.status).toBe(412);
      refused++;
    }
  };
  const write = async () => {
    for (let step = 0; step < 100; step++) await increment();
  };
  await Promise.all([write(), write()]);
  expect((await account.get(path).expect(200)).body.data.description).toBe('200');
  expect(refused).toBeGreaterThan(0);
}, 600_000);
