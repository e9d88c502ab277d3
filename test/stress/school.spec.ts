import request from 'supertest';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { questionBodies } from '../support/samples';
import { type Service, startService } from '../support/service';

/** A school behind one address, with the default limits (docs/playing.md). */

let service: Service;
let quiz: MadeQuiz;
const QUESTIONS = 2;
const PUPILS = 1_000;

beforeEach(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '60' });
  const owner = await service.account('free', { isAdmin: true });
  quiz = await makeQuiz(owner, { title: 'School' }, questionBodies(QUESTIONS));
});
afterEach(() => service.close());

const statuses = new Map<number, number>();
const send = async (method: 'get' | 'post', path: string, form = {}, cookie = '') => {
  const sent = request(service.url)[method](path).set('Cookie', cookie).set('Accept', 'text/html');
  if (method === 'post') void sent.set('Sec-Fetch-Site', 'same-origin').type('form').send(form);
  const response = await sent;
  statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  return response;
};

/** Plays as a browser does: every second pupil in a page of another site, without cookies. */
async function play(number: number): Promise<void> {
  const home = number % 2 === 0 ? '/play/school' : '/embed/school';
  await send('get', home);
  const started = await send('post', home, { name: `Pupil ${number}` });
  const cookie = ([] as string[])
    .concat(started.headers['set-cookie'] ?? [])
    .map((it) => it.split(';')[0])
    .join('; ');
  let { location } = started.headers as { location: string };
  for (const question of quiz.questions) {
    await send('get', location, {}, cookie);
    const answer = question.answers[number % question.answers.length]?.id;
    const answered = await send('post', location, { answer }, cookie);
    location = answered.headers.location as string;
  }
  await send('get', location, {}, cookie);
}

it('a thousand pupils behind one address play a quiz on its page and embedded, and nobody is refused', async () => {
  statuses.clear();
  // A second for 100 of them: the clock of the limits stands still, whatever the machine does.
  service.clock.stop();
  for (let from = 0; from < PUPILS; from += 100) {
    const wave = Array.from({ length: 100 }, (_, n) => n + from);
    const lanes = Array.from({ length: 10 }, (_, lane) => wave.filter((n) => n % 10 === lane));
    await Promise.all(
      lanes.map(async (lane) => {
        for (const number of lane) await play(number);
      }),
    );
    service.clock.advance(1_000);
  }
  expect([...statuses.keys()].sort()).toEqual([200, 303]);
  const [row] = await service.database.query<{ n: number }[]>(
    `SELECT count(*)::int AS n FROM quiz_attempts WHERE submitted_at IS NOT NULL`,
  );
  expect(row?.n).toBe(PUPILS);
}, 240_000);
