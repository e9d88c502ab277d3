// A thousand players on one quiz over HTTP, with the webhook worker at work: afterwards plays, attempts and
// received events must be equal. Starts the whole service by itself, on its own database in a temporary folder.
//   node scripts/ensure-built.mjs && node bench/play-load.mjs [players=1000] [at once=100]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PLAYERS = Number(process.argv[2] ?? 1_000);
const AT_ONCE = Number(process.argv[3] ?? 100);
const QUESTIONS = 5;
const EVENTS = ['attempt.submitted', 'quiz.completed', 'leaderboard.updated'];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const data = mkdtempSync(join(tmpdir(), 'play-load-'));
const env = {
  ...process.env,
  PORT: '0',
  DATA_DIR: data,
  NODE_ENV: 'development',
  WEBHOOK_ALLOW_INSECURE: 'true',
  RATE_LIMIT_PER_MINUTE: '1000000000',
  LOG_LEVEL: 'info',
};
const quizctl = (...args) =>
  JSON.parse(
    execFileSync(process.execPath, [join(root, 'dist/bin/quizctl.js'), ...args, '--json'], { env }),
  );

/** What the receiver got: by event, the bodies by delivery's event id, so that a repeated one counts once. */
const received = new Map(EVENTS.map((name) => [name, new Map()]));
const receiver = createServer((incoming, answer) => {
  let text = '';
  incoming.on('data', (chunk) => (text += chunk));
  incoming.on('end', () => {
    received
      .get(incoming.headers['x-service-event'])
      ?.set(incoming.headers['webhook-id'], JSON.parse(text).data);
    answer.end();
  });
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');

const service = spawn(process.execPath, [join(root, 'dist/bin/dev.js')], { env });
let log = '';
service.stderr.on('data', (chunk) => (log += chunk));
service.stdout.on('data', (chunk) => (log += chunk));
const stop = async () => {
  receiver.close();
  receiver.closeAllConnections();
  if (service.exitCode === null) {
    service.kill('SIGTERM');
    await once(service, 'exit');
  }
  rmSync(data, { recursive: true, force: true });
};

/** The service takes 256 connections of an address, so more of them come from further loopback addresses. */
const PER_ADDRESS = 200;
const agents = Array.from({ length: Math.ceil(AT_ONCE / PER_ADDRESS) }, (_, place) => {
  const maxSockets = Math.min(PER_ADDRESS, AT_ONCE - place * PER_ADDRESS);
  return new Agent({ keepAlive: true, maxSockets, localAddress: `127.0.0.${place + 1}` });
});
let calls = 0;
let api;
let key;
function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const sent = request(
      api + path,
      {
        method,
        agent: agents[calls++ % agents.length],
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      },
      (answer) => {
        let text = '';
        answer.on('data', (chunk) => (text += chunk));
        answer.on('end', () => {
          const { success, data: result, error } = JSON.parse(text);
          if (success) resolve(result);
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${error}`));
        });
      },
    );
    sent.on('error', ({ message }) =>
      reject(new Error(`${method} ${path}: no response (${message}); try fewer players at once`)),
    );
    sent.end(body && JSON.stringify(body));
  });
}

async function makeQuiz() {
  const { id } = await call('POST', '/quizzes', {
    title: 'Under load',
    difficulty: 'EASY',
    published: true,
  });
  await call('POST', `/quizzes/${id}/questions/batch`, {
    questions: Array.from({ length: QUESTIONS }, (_, n) => ({
      text: `What is ${n} + ${n}?`,
      type: 'MULTIPLE_CHOICE',
      difficulty: 'EASY',
      answers: [0, 1, 2].map((off) => ({ text: `${2 * n + off}`, isCorrect: off === 0 })),
    })),
  });
  quizctl('quizzes', 'approve', id);
  return id;
}

/** One player: some right, some wrong, all answered. @returns milliseconds of each request */
async function play(quiz, number) {
  const times = [];
  const timed = async (...args) => {
    const begun = performance.now();
    const result = await call(...args);
    times.push(performance.now() - begun);
    return result;
  };
  const attempt = await timed('POST', `/quizzes/${quiz}/attempts`, { player: `player-${number}` });
  for (const question of attempt.questions)
    await timed('POST', `/attempts/${attempt.id}/answers`, {
      questionId: question.id,
      answerIds: [question.answers[number % 3].id],
    });
  await timed('POST', `/attempts/${attempt.id}/submit`);
  return times;
}

try {
  while (!/Demo key/.test(log)) {
    if (service.exitCode !== null) throw new Error(log);
    await sleep(200);
  }
  api = /http:\/\/localhost:\d+\/api\/v1/.exec(log)[0].replace('localhost', '127.0.0.1');
  key = readFileSync(join(data, 'demo-key'), 'utf8').trim();
  const url = `http://localhost:${receiver.address().port}`;
  const events = EVENTS.join(',');
  quizctl('webhooks', 'add', '--account', 'demo@quiz.invalid', '--url', url, '--events', events);
  const quiz = await makeQuiz();

  const begun = performance.now();
  const times = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < PLAYERS) times.push(...(await play(quiz, next++)));
    }),
  );
  const seconds = (performance.now() - begun) / 1_000;
  times.sort((a, b) => a - b);
  const at = (share) => `${times[Math.floor(times.length * share)].toFixed(0)} ms`;
  console.log(
    `${PLAYERS} players, ${AT_ONCE} at once, ${times.length} requests in ${seconds.toFixed(1)} s: ` +
      `${(PLAYERS / seconds).toFixed(0)} plays a second; median ${at(0.5)}, 99 % ${at(0.99)}`,
  );

  const submitted = received.get('attempt.submitted');
  const completed = received.get('quiz.completed');
  const deadline = Date.now() + 120_000;
  while (Math.min(submitted.size, completed.size) < PLAYERS && Date.now() < deadline)
    await sleep(250);
  // What would be too many must have its time to come.
  await sleep(3_000);
  console.log(
    `delivered after ${((performance.now() - begun) / 1_000).toFixed(1)} s, of which 3 s wait for too many`,
  );

  const { plays } = await call('GET', `/quizzes/${quiz}`);
  const top = await call('GET', `/quizzes/${quiz}/leaderboard`);
  const last = [...received.get('leaderboard.updated')]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .at(-1)?.[1]
    .top_scores.map(({ user_id }) => user_id);
  const distinct = new Set([...submitted.values()].map(({ attempt_id }) => attempt_id)).size;
  const checks = [
    ['plays', plays, PLAYERS],
    ['attempt.submitted events', submitted.size, PLAYERS],
    ['attempts in them', distinct, PLAYERS],
    ['quiz.completed events', completed.size, PLAYERS],
    ['the last leaderboard.updated', String(last), String(top.map(({ userId }) => userId))],
  ];
  for (const [what, is, wanted] of checks)
    console.log(
      `${is === wanted ? 'ok   ' : 'WRONG'} ${what}: ${is}${is === wanted ? '' : `, not ${wanted}`}`,
    );
  console.log(`      leaderboard.updated events: ${received.get('leaderboard.updated').size}`);
  if (checks.some(([, is, wanted]) => is !== wanted)) process.exitCode = 1;
} finally {
  for (const agent of agents) agent.destroy();
  await stop();
}
