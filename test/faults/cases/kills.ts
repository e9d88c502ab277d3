import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENDPOINT_EVENTS, EVENT_NAMES } from '../../../src/events/event-map';
import { choices } from '../../support/choices';
import { questionBodies, quizBody } from '../../support/samples';
import { audit } from '../harness/audit';
import type { Suite } from '../harness/case';
import type { Fixture, Subscriber } from '../harness/fixture';
import { refuse } from '../harness/receiver';
import { seconds } from '../harness/seconds';
import type { ServiceProcess } from '../harness/service-process';
import { hold, until } from '../harness/until';

/**
 * Each takes about four seconds, so the gate has fewer than the nightly run. At most about 120: each of the three accounts
 * makes some 50 imports during 60 of them, and an account keeps 100, so with more of them `compare` would report lost ones.
 */
const KILLS = Number(process.env.FAULT_KILLS ?? 60);
/** The order of the kills. */
const SEED = 34;
/** What is killed. */
type Kind = 'api' | 'worker' | 'postgres' | 'redis';

/** Events committed at each kill, beside those of the clients. */
const BURST = 50;
const QUESTIONS = 3;
/** Questions of an import: several chunks. */
const ROWS = 1_000;
/** Milliseconds that the receiver takes: a kill finds requests under way. */
const RESPONSE = 150;

/** What clients were told that it has happened. */
interface Acknowledged {
  quizzes: string[];
  attempts: string[];
  imports: string[];
}

/** A client of the API that repeats each request, with its Idempotency-Key, until it succeeds. */
class Client {
  constructor(
    private readonly key: string,
    private readonly api: () => ServiceProcess,
  ) {}

  get = <T>(path: string) => this.call<T>('GET', path);

  post = <T>(path: string, body: unknown, type = 'application/json') =>
    this.call<T>('POST', path, {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'Content-Type': type, 'Idempotency-Key': randomUUID() },
    });

  private call<T>(
    method: string,
    path: string,
    { body, headers }: { body?: string; headers?: Record<string, string> } = {},
  ): Promise<T> {
    let refused: string | undefined;
    const once = async () => {
      const response = await fetch(`http://127.0.0.1:${this.api().port}/api/v1${path}`, {
        method,
        headers: { Authorization: `Bearer ${this.key}`, ...headers },
        ...(body && { body }),
        signal: AbortSignal.timeout(30_000),
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as { data: T };
      // The request of a client that was cut off may still be under way.
      const isForNow =
        response.status === 503 ||
        response.headers.get('x-error-code') === 'idempotency-key-in-use';
      if (!isForNow) refused = `${method} ${path} got ${response.status}: ${text}`;
      return refused ? { data: null as T } : null;
    };
    return until(`${method} ${path}`, once, 120_000, 200).then(({ data }) => {
      hold(refused === undefined, refused ?? '');
      return data;
    });
  }
}

/** Each plays, authors and imports until the kills are over. @returns ends them */
function clients(
  subscribers: Subscriber[],
  api: () => ServiceProcess,
  done: Acknowledged,
): () => Promise<void> {
  let isOver = false;
  const repeat = async (pause: number, work: () => Promise<void>) => {
    while (!isOver) {
      await work();
      await sleep(pause);
    }
  };
  const all = subscribers.map(async ({ key }, number) => {
    const client = new Client(key, api);
    const { id: quiz } = await client.post<{ id: string }>('/quizzes', quizBody());
    done.quizzes.push(quiz);
    await client.post(`/quizzes/${quiz}/questions/batch`, { questions: questionBodies(QUESTIONS) });
    await Promise.all([
      repeat(300, async () => {
        const { id } = await client.post<{ id: string }>('/quizzes', quizBody());
        done.quizzes.push(id);
      }),
      repeat(300, async () => void done.attempts.push(await play(client, quiz))),
      repeat(1_000, async () => {
        const name = `File ${number}-${done.imports.length}`;
        done.imports.push(await importFile(client, name));
      }),
    ]);
  });
  const ended = Promise.all(all);
  ended.catch(() => undefined);
  return async () => {
    isOver = true;
    await ended;
  };
}

interface Attempt {
  id: string;
  questions: { id: string; answers: { id: string }[] }[];
}

async function play(client: Client, quiz: string): Promise<string> {
  const { id, questions } = await client.post<Attempt>(`/quizzes/${quiz}/attempts`, {
    player: randomUUID(),
  });
  for (const question of questions)
    await client.post(`/attempts/${id}/answers`, {
      questionId: question.id,
      answerIds: [question.answers[0]?.id],
    });
  const { total } = await client.post<{ total: number }>(`/attempts/${id}/submit`, {});
  hold(total === QUESTIONS, `an attempt has ${total} questions`);
  return id;
}

async function importFile(client: Client, name: string): Promise<string> {
  const rows = Array.from({ length: ROWS }, (_, row) => `${name}: question ${row}?,yes,no`);
  const file = ['question,correct_answer,wrong_answer_1', ...rows].join('\n');
  const path = `/imports?${new URLSearchParams({ filename: `${name}.csv`, title: name }).toString()}`;
  const { id } = await client.post<{ id: string }>(path, file, 'text/csv');
  const ended = await until(
    'the end of an import',
    async () => {
      const found = await client.get<{ state: string; totals: object; error: string }>(
        `/imports/${id}`,
      );
      return ['waiting', 'running'].includes(found.state) ? null : found;
    },
    300_000,
    500,
  );
  hold(ended.state === 'completed', `an import is ${ended.state}: ${ended.error}`);
  return id;
}

/** What was acknowledged is there, once, and nothing else. */
async function compare(fixture: Fixture, subscribers: Subscriber[], done: Acknowledged) {
  const accounts = subscribers.map((it) => it.accountId);
  const ids = async (sql: string) =>
    (await fixture.query<{ id: string }>(sql, [accounts])).map((it) => it.id).sort();
  const equal = (what: string, found: string[], acknowledged: string[]) => {
    const missing = acknowledged.filter((id) => !found.includes(id));
    hold(missing.length === 0, `${missing.length} ${what} are LOST`);
    hold(
      found.length === acknowledged.length,
      `${found.length} ${what}, but ${acknowledged.length} acknowledged`,
    );
  };
  equal(
    'quizzes',
    await ids(`SELECT id FROM quizzes WHERE owner_id = ANY($1) AND title NOT LIKE 'File %'`),
    done.quizzes,
  );
  equal(
    'attempts',
    await ids(
      `SELECT id FROM quiz_attempts WHERE account_id = ANY($1) AND submitted_at IS NOT NULL`,
    ),
    done.attempts,
  );
  equal(
    'imports',
    // An upload that was cut off with its API has a row until retention deletes it.
    await ids(`SELECT id FROM imports WHERE account_id = ANY($1) AND state <> 'receiving'`),
    done.imports,
  );
  const [written] = await fixture.query<{ questions: number; different: number }>(
    `SELECT count(*)::int AS questions, count(DISTINCT q.text)::int AS different
     FROM questions q JOIN quizzes z ON z.id = q.quiz_id WHERE z.owner_id = ANY($1) AND z.title LIKE 'File %'`,
    [accounts],
  );
  const rows = done.imports.length * ROWS;
  hold(
    written?.questions === rows && written.different === rows,
    `${written?.questions} imported questions, ${written?.different} different ones, of ${rows}`,
  );
  // Plays are added to the quiz in batches.
  await until('the count of plays', async () => {
    const [sum] = await fixture.query<{ plays: number }>(
      `SELECT sum(plays)::int AS plays FROM quizzes WHERE owner_id = ANY($1)`,
      [accounts],
    );
    return sum?.plays === done.attempts.length;
  });
}

/** The row of random kills; without FAULT_KILLS there are 60. */
export const randomKills: Suite = {
  queues: 'both',
  ownServer: true,
  settings: {
    WEBHOOK_TIMEOUT: '30s',
    WEBHOOK_RETRY_DELAYS: '1s,2s,4s',
    QUIZ_QUOTA_PRO: '100000',
  },
  cases: [
    {
      broken: `${KILLS} random kills of every process`,
      when: 'webhooks, plays and imports under way',
      async run(fixture) {
        const events = EVENT_NAMES.filter((name) => !ENDPOINT_EVENTS.includes(name));
        const subscribers: Subscriber[] = [];
        while (subscribers.length < 3) subscribers.push(await fixture.subscriber({ events }));
        const flooded = await fixture.subscribers(2);
        const all = [...subscribers, ...flooded];
        // One in ten is refused at first: retries are pending when the queue is lost.
        const seen = new Set<string>();
        for (const { path } of all)
          fixture.receiver.behave(path, (arrival) => {
            const isRefused = !seen.has(arrival.id) && seen.size % 10 === 0;
            seen.add(arrival.id);
            setTimeout(() => (isRefused ? refuse(500)(arrival) : arrival.answer(204)), RESPONSE);
          });
        let api = await fixture.api();
        const workers = await fixture.twoWorkers();
        const done: Acknowledged = { quizzes: [], attempts: [], imports: [] };
        const stop = clients(subscribers, () => api, done);

        const random = choices(SEED);
        const kinds: Kind[] = ['api', 'worker', 'worker', 'postgres'];
        if (fixture.queue === 'redis') kinds.push('redis');
        const kill: Record<Kind, () => Promise<unknown>> = {
          api: async () => {
            await api.kill();
            api = await fixture.start('api.js');
          },
          worker: async () => {
            const place = random.upTo(2);
            await workers[place]?.kill();
            workers[place] = await fixture.start('worker.js');
          },
          postgres: async () => {
            await fixture.server.stopAtOnce();
            await sleep(random.upTo(2_000));
            await fixture.server.startAgain();
          },
          redis: async () => {
            await fixture.redis.kill();
            await sleep(random.upTo(2_000));
            await fixture.redis.start();
          },
        };
        for (let count = 0; count < KILLS; count++) {
          // The connections of the harness may be those that PostgreSQL has lost.
          for (const it of flooded)
            await until('a burst', () => fixture.emit(it, BURST).then(() => true));
          await sleep(random.upTo(2_000));
          await kill[random.of(kinds)]();
        }
        const over = Date.now();
        await stop();
        await fixture.settled(all, 180_000);
        const note = `${done.quizzes.length} quizzes, ${done.attempts.length} plays and ${done.imports.length} imports acknowledged; all there, once; all delivered ${seconds(over)} after the last kill`;
        await compare(fixture, subscribers, done);
        const count = await audit(fixture, all, { duplicates: { atMost: Infinity } });
        // Each client makes a quiz before the kills.
        hold(done.quizzes.length > subscribers.length, 'no quiz was made beside the kills');
        hold(done.attempts.length > 0, 'nobody played beside the kills');
        hold(done.imports.length > 0, 'nothing was imported beside the kills');
        return { ...count, note };
      },
    },
  ],
};
