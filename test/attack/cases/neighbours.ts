import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../../../src/platform/limits/limits';
import { EndpointsService } from '../../../src/webhooks/endpoints/endpoints.service';
import type { Subscriber } from '../../faults/harness/fixture';
import { hold, until } from '../../faults/harness/until';
import { quizBody } from '../../support/samples';
import { type AttackTarget, inWords } from '../harness/attack-target';
import type { Flood, Request } from '../harness/attacker';
import type { AttackCase, Subject } from '../harness/case';

const MIB = 1024 * 1024;
/** One character that becomes eighteen when it is compared without regard to case and width. */
const LONGEST = '\ufdfa';
const QUESTIONS = 1_000;

/** The account that takes all it can, and its quiz, as large as a quiz may be. */
interface Neighbour extends Subscriber {
  headers: Record<string, string>;
  quizId: string;
  questionIds: string[];
  attemptId: string;
}

let made: Promise<Neighbour> | undefined;
const neighbour = (target: AttackTarget) => (made ??= settle(target));

async function settle(target: AttackTarget): Promise<Neighbour> {
  const account = await target.fixture.subscriber();
  const headers = { Authorization: `Bearer ${account.key}`, 'Content-Type': 'application/json' };
  const post = async <Data>(path: string, body: object): Promise<Data> => {
    const url = `http://127.0.0.1:${target.api.port}/api/v1${path}`;
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    hold(response.status === 201, `${path}: ${response.status}`);
    return ((await response.json()) as { data: Data }).data;
  };
  const quiz = await post<{ id: string }>('/quizzes', quizBody({ title: SLUG }));
  const questionIds: string[] = [];
  for (let from = 0; from < QUESTIONS; from += 50) {
    const questions = Array.from({ length: 50 }, (_, n) => ({
      text: `Question ${from + n}?`,
      type: 'OPEN_ENDED',
      difficulty: 'EASY',
      answers: ['a', 'b'].map((it) => ({ text: it + LONGEST.repeat(250), isCorrect: true })),
    }));
    const data = await post<{ questions: { id: string }[] }>(
      `/quizzes/${quiz.id}/questions/batch`,
      { questions },
    );
    questionIds.push(...data.questions.map(({ id }) => id));
  }
  const attempt = await post<{ id: string }>(`/quizzes/${quiz.id}/attempts`, { player: 'ada' });
  return { ...account, headers, quizId: quiz.id, questionIds, attemptId: attempt.id };
}

const SLUG = 'the-largest-quiz';

/**
 * A flood of the neighbour's, from two addresses, or of people who know its quiz.
 * @param expected statuses that some responses must have: a flood that is only refused attacks nothing
 */
const flood = (
  name: string,
  expected: number[],
  requestsOf: (it: Neighbour, target: AttackTarget) => Request[] | Promise<Request[]>,
  more: Partial<Flood> = {},
  judge: (it: Neighbour, target: AttackTarget) => Promise<string> = () => Promise.resolve(''),
): AttackCase => ({
  name,
  async run(target) {
    const it = await neighbour(target);
    const requests = await requestsOf(it, target);
    const attack = { connections: 20, addresses: 2, requests, ...more };
    const [figures, statuses] = await target.flood(attack, 4_000);
    for (const status of expected)
      hold(statuses[status], `no response has the status ${status}: ${figures}`);
    return (await judge(it, target)) + figures;
  },
});

const post = (headers: Record<string, string>, path: string, body: object): Request => ({
  method: 'POST',
  path,
  headers,
  body: JSON.stringify(body),
});

const TAGS = Array.from({ length: 20 }, (_, n) => `tag${n}`).join(',');

/** Rows of which none can be imported. */
const BAD_ROWS = { start: 'question,a,b\n', middle: 'x\n', end: '', size: 20_000 };

/** Milliseconds that an import of one question takes. */
async function importTime(target: AttackTarget, account: Subscriber): Promise<number> {
  const begun = performance.now();
  const headers = { Authorization: `Bearer ${account.key}`, 'Content-Type': 'text/csv' };
  const body = `question,a,b,correct\nWhich ${begun}?,x,y,x\n`;
  const statuses = await target.send([{ method: 'POST', path: '/api/v1/imports', headers, body }]);
  hold(statuses[202] === 1, `an import was not taken: ${inWords(statuses)}`);
  await until('the import of a bystander', async () => {
    const rows = await target.fixture.query<{ state: string }>(
      `SELECT state FROM imports WHERE account_id = $1`,
      [account.accountId],
    );
    return rows.every(({ state }) => state === 'completed');
  });
  return performance.now() - begun;
}

/** One account, or one address, that takes all it can. */
export const NEIGHBOURS: Subject = {
  name: 'neighbours',
  cases: [
    flood('reads of a quiz of 2 MiB', [200], ({ headers, quizId }) => [
      { path: `/api/v1/quizzes/${quizId}`, headers },
    ]),
    flood(
      'fresh idempotency keys at a quiz of 2 MiB',
      [201],
      ({ headers, quizId }) => [
        post({ ...headers, 'Idempotency-Key': 'fresh' }, `/api/v1/quizzes/${quizId}/attempts`, {
          player: 'ada',
        }),
      ],
      {},
      async ({ accountId }, { fixture }) => {
        const [row] = await fixture.query<{ bytes: string }>(
          `SELECT coalesce(sum(length(body)), 0) AS bytes FROM idempotent_responses WHERE account_id = $1`,
          [accountId],
        );
        const stored = Number(row?.bytes);
        hold(stored <= LIMITS.storage.storedResponses.value + MIB, `${stored} bytes are stored`);
        return `${(stored / 1024).toFixed(0)} KiB stored; `;
      },
    ),
    flood('answers compared with hostile accepted answers', [200], (it) =>
      it.questionIds.map((questionId) =>
        post(it.headers, `/api/v1/attempts/${it.attemptId}/answers`, { questionId, text: LONGEST }),
      ),
    ),
    flood(
      'submissions of an attempt at the largest quiz',
      [200],
      ({ headers, attemptId }) => [post(headers, `/api/v1/attempts/${attemptId}/submit`, {})],
      { connections: 40, addresses: 20 },
    ),
    flood(
      'starts of the largest quiz in the player',
      [200, 303],
      () => [
        { path: `/play/${SLUG}` },
        { path: `/play/${SLUG}`, method: 'POST', headers: { 'Sec-Fetch-Site': 'same-origin' } },
      ],
      { addresses: 1 },
    ),
    flood('pages of the largest quiz in the dashboard', [200], async (it, target) => {
      const headers = await target.signedIn(it);
      return [1, 20, 40].map((page) => ({
        path: `/dashboard/quizzes/${it.quizId}?page=${page}`,
        headers,
      }));
    }),
    flood('searches with many tags and deep offsets', [200], ({ headers }) =>
      [
        `questions?random=true&limit=50&tags=${TAGS}`,
        `questions?limit=50&offset=9900&category=Geography`,
        `quizzes?limit=50&offset=1000000&topic=rivers`,
        `quizzes?limit=50&random=true&tags=${TAGS}&tags_match=any`,
      ].map((path) => ({ path: `/api/v1/${path}`, headers })),
    ),
    flood(
      'wrong passwords from 50 addresses',
      [422],
      // Each account allows few of them, so that a flood at one would soon be refused unseen.
      () =>
        Array.from({ length: 2_000 }, () => ({
          method: 'POST',
          path: '/dashboard/sign-in',
          body: `email=${randomUUID()}%40b.example&password=x`,
          headers: {
            'Sec-Fetch-Site': 'same-origin',
            'Content-Type': 'application/x-www-form-urlencoded',
          },
        })),
      { addresses: 50 },
    ),
    {
      name: 'files of 10,000 faulty rows, one after the other',
      async run(target) {
        const { headers } = await neighbour(target);
        const other = await target.fixture.subscriber();
        const request = {
          method: 'POST',
          path: '/api/v1/imports?dry_run=true&format=csv',
          body: BAD_ROWS,
          headers: { ...headers, 'Content-Type': 'text/csv' },
        };
        const alone = await importTime(target, other);
        const flooding = { connections: 20, addresses: 2, requests: [request] };
        const [[figures, statuses], beside] = await Promise.all([
          target.flood(flooding, 6_000),
          sleep(2_000).then(() => importTime(target, other)),
        ]);
        hold(statuses[202], `no file was taken: ${figures}`);
        return `another account's import took ${beside.toFixed(0)} ms (quiet ${alone.toFixed(0)}); ${figures}`;
      },
    },
    {
      name: '10,000 deliveries to 20 endpoints of one account',
      async run(target) {
        const it = await target.fixture.subscriber();
        const endpoints = target.fixture.services.get(EndpointsService);
        const ids = [it.endpointId];
        while (ids.length < 20) {
          const settings = {
            url: `${target.fixture.receiver.origin}/many`,
            events: ['quiz.created' as const],
          };
          ids.push((await endpoints.add(it.accountId, settings)).endpoint.id);
        }
        try {
          const figures = await target.beside(async () => {
            for (let sent = 0; sent < 500; sent += 250) await target.fixture.emit(it, 250);
            await sleep(4_000);
          });
          hold(target.fixture.receiver.at('/many').length > 0, 'nothing was delivered');
          return figures;
        } finally {
          for (const id of ids) await endpoints.remove('operator', id);
        }
      },
    },
  ],
};
