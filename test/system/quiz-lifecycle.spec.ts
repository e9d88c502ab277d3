import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#embedded-postgres';
import { quizctlIn } from '../support/quizctl';
import { questionBodies } from '../support/samples';

/** The life of a quiz as its owner's receiver hears of it, who runs `npm start` and `quizctl webhooks listen`. */

const root = join(__dirname, '../..');
const dataDir = mkdtempSync(join(tmpdir(), 'quiz-played-'));
const env = {
  ...process.env,
  DATA_DIR: dataDir,
  PORT: '0',
  NODE_ENV: '',
  TEST_SERVER_URL: '',
};
const EVENTS = [
  'quiz.created',
  'quiz.published',
  'attempt.submitted',
  'quiz.completed',
  'leaderboard.updated',
];

/** A process group, and what it says. */
interface Running {
  /** Resolves with what is found in all that was said, as soon as it is there. */
  until<T>(find: (said: string) => T | undefined): Promise<T>;
  /** All that it has said, when it has ended. */
  end: Promise<string>;
  /** Sends the signal to the whole group, as a terminal does with Ctrl-C, and waits for its end. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** Those that have not ended. */
const running = new Set<Running>();

afterAll(async () => {
  // Nothing is left unless the test has failed.
  await Promise.all([...running].map((it) => it.stop('SIGKILL')));
  rmSync(dataDir, { recursive: true, force: true });
});

function npm(...args: string[]): Running {
  const child = spawn('npm', args, { cwd: root, env, detached: true });
  const { pid } = child;
  // Group 0 would be that of this process.
  if (pid === undefined) throw new Error(`npm ${args.join(' ')} did not start`);
  let said = '';
  let ended = false;
  const lookAgain = new Set<() => void>();
  const hear = (data: Buffer) => {
    said += String(data);
    for (const look of lookAgain) look();
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const end = once(child, 'close').then(() => {
    running.delete(started);
    ended = true;
    for (const look of lookAgain) look();
    return said;
  });
  const started: Running = {
    end,
    until: (find) =>
      new Promise((resolve, reject) => {
        // The error shows what was said instead.
        const late = () => reject(new Error(`npm ${args.join(' ')} has only said:\n${said}`));
        const timer = setTimeout(late, 60_000);
        const look = () => {
          const found = find(said);
          if (found !== undefined) resolve(found);
          else if (ended) reject(new Error(`npm ${args.join(' ')} ended:\n${said}`));
          else return;
          clearTimeout(timer);
          lookAgain.delete(look);
        };
        lookAgain.add(look);
        look();
      }),
    stop: async (signal) => {
      process.kill(-pid, signal);
      await end;
    },
  };
  running.add(started);
  return started;
}

/** In this process: start.spec.ts runs the tool as a process, which takes 4 s of CPU time. */
const quizctl = async (...args: string[]) =>
  (await quizctlIn({ DATA_DIR: dataDir, NODE_ENV: '' }, ...args, '--json')).json;

/** What `webhooks listen` has printed of one delivery: a line, and the body below it. */
interface Heard {
  event: string;
  verdict: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever was received
  body: any;
}

const heard = (said: string): Heard[] =>
  [...said.matchAll(/^\d\d:\d\d:\d\d  (\S+)  (.+)\n(\{\n[^]*?\n\})\n\n/gm)].map(
    ([, event = '', verdict = '', body = '']) => ({ event, verdict, body: JSON.parse(body) }),
  );

test('creating, publishing and playing a quiz sends five events, which quizctl webhooks listen verifies', async () => {
  const service = npm('start');
  const said = await service.until((text) => (text.includes('Ctrl-C stops it') ? text : undefined));
  const api = /http:\/\/localhost:\d+\/api\/v1/.exec(said)?.[0] ?? '';
  const key = /svc_test_\w+/.exec(said)?.[0] ?? '';
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the data of any endpoint
  const post = async (path: string, body: object = {}): Promise<any> => {
    const response = await fetch(api + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { success, error, data } = await response.json();
    if (!success) throw new Error(`${path}: ${error}`);
    return data;
  };

  const url = `http://localhost:${await freePort()}`;
  const { secret } = await quizctl(
    ...['webhooks', 'add', '--account', 'demo@quiz.invalid'],
    ...['--url', url, '--events', EVENTS.join(',')],
  );
  const listener = npm(
    ...['run', '-s', 'quizctl', '--', 'webhooks', 'listen'],
    ...['--port', new URL(url).port, '--secret', secret],
  );
  await listener.until((text) => text.includes('Listening') || undefined);

  const quiz = await post('/quizzes', {
    title: 'Rivers of Europe',
    difficulty: 'MEDIUM',
    category: 'Rivers & Lakes',
    published: true,
  });
  const { questions } = await post(`/quizzes/${quiz.id}/questions/batch`, {
    questions: questionBodies(2),
  });
  await quizctl('quizzes', 'approve', quiz.id);
  const attempt = await post(`/quizzes/${quiz.id}/attempts`, { player: 'Ada' });
  for (const { id, answers } of questions)
    await post(`/attempts/${attempt.id}/answers`, {
      questionId: id,
      answerIds: answers
        .filter(({ isCorrect }: { isCorrect: boolean }) => isCorrect)
        .map((answer: { id: string }) => answer.id),
    });
  const { score, timeSpent } = await post(`/attempts/${attempt.id}/submit`);
  expect(score).toBe(2);

  const deliveries = await listener.until((text) => {
    const all = heard(text);
    return EVENTS.every((name) => all.some(({ event }) => event === name)) ? all : undefined;
  });
  // At least once: what was delivered again is no further event.
  const events = [...new Map(deliveries.map((each) => [each.body.id, each])).values()];
  const owner = (await quizctl('accounts', 'list')).find(
    ({ email }: { email: string }) => email === 'demo@quiz.invalid',
  ).id;
  const quiz_id = quiz.id;
  const data = {
    'quiz.created': {
      quiz_id,
      title: 'Rivers of Europe',
      category: 'Rivers & Lakes',
      created_by: owner,
    },
    'quiz.published': { quiz_id, title: 'Rivers of Europe', published_by: owner },
    'attempt.submitted': { attempt_id: attempt.id, quiz_id, user_id: 'Ada', score: 2 },
    'quiz.completed': {
      quiz_id,
      user_id: 'Ada',
      score: 2,
      time_spent: timeSpent,
      total_questions: 2,
      completed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    },
    'leaderboard.updated': {
      quiz_id,
      top_scores: [{ rank: 1, user_id: 'Ada', score: 2, time_spent: timeSpent }],
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    },
  };
  expect(events).toHaveLength(EVENTS.length);
  for (const [event, fields] of Object.entries(data))
    expect(events).toContainEqual({
      event,
      verdict: '✓ signature verified',
      body: {
        id: expect.any(String),
        event,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        data: fields,
      },
    });

  // Its verdict can be the other one: a body signed with the secret, and another one sent.
  const signature = createHmac('sha256', secret).update('{"score":1}').digest('hex');
  const receive = (event: string, body: string) =>
    fetch(url, {
      method: 'POST',
      headers: { 'X-Service-Event': event, 'X-Service-Signature': `sha256=${signature}` },
      body,
    });
  await receive('true', '{"score":1}');
  await receive('forged', '{"score":2}');
  const verdicts = await listener.until((text) => {
    const [real, forged] = heard(text).slice(-2);
    return forged?.event === 'forged' ? [real?.verdict, forged.verdict] : undefined;
  });
  expect(verdicts).toEqual(['✓ signature verified', '✗ signature does not match']);

  await listener.stop('SIGINT');
  await service.stop('SIGINT');
}, 120_000);
