// Players of one quiz, in a process of their own.
// Messages: { origin, quizId, keys, players, addresses, think } → { seconds, requests, refused, codes, times }, or { error }.
//   keys        one of them for each player in turn
//   addresses   how many loopback addresses the players have; each address has at most 200 connections
//   think       seconds before each request of a player, on average; the first requests are spread over the same time
//   codes       how often each X-Error-Code was the reason
//   times       milliseconds of the accepted requests by kind, including the time until a connection was free
// A refused request is repeated after its Retry-After, or after a second.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

const CONNECTIONS = 200;

async function playAll({ origin, quizId, keys, players, addresses, think }) {
  const pools = Array.from({ length: addresses }, (_, n) => {
    const localAddress = `127.1.${Math.floor(n / 250)}.${(n % 250) + 1}`;
    const connections = Math.min(CONNECTIONS, Math.ceil(players / addresses));
    return new Pool(origin, { localAddress, connections, headersTimeout: 120_000 });
  });
  const times = { start: [], answer: [], submit: [] };
  let refused = 0;
  const codes = {};
  const begun = performance.now();
  const play = async (number) => {
    const pool = pools[number % pools.length];
    const authorization = `Bearer ${keys[number % keys.length]}`;
    const post = async (kind, path, sent, pause) => {
      await sleep(pause * 1_000);
      const body = sent && JSON.stringify(sent);
      const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
      for (;;) {
        const from = performance.now();
        const answer = await pool.request({
          method: 'POST',
          path: `/api/v1/${path}`,
          headers,
          body,
        });
        const text = await answer.body.text();
        if (answer.statusCode === 429 || answer.statusCode === 503) {
          refused++;
          const code = answer.headers['x-error-code'];
          codes[code] = (codes[code] ?? 0) + 1;
          await sleep(Number(answer.headers['retry-after'] ?? 1) * 1_000);
          continue;
        }
        if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`);
        times[kind].push(performance.now() - from);
        return JSON.parse(text).data;
      }
    };
    // From half to one and a half times the mean: people do not keep step.
    const pause = () => think * (0.5 + Math.random());
    const player = `player-${number}`;
    const from = think * Math.random();
    const attempt = await post('start', `quizzes/${quizId}/attempts`, { player }, from);
    for (const [place, { id, answers }] of attempt.questions.entries()) {
      const choice = answers[(number * (place + 7)) % answers.length];
      const answer = { questionId: id, answerIds: [choice.id] };
      await post('answer', `attempts/${attempt.id}/answers`, answer, pause());
    }
    await post('submit', `attempts/${attempt.id}/submit`, undefined, pause());
  };
  try {
    await Promise.all(Array.from({ length: players }, (_, number) => play(number)));
    const seconds = (performance.now() - begun) / 1_000;
    const requests = Object.values(times).reduce((sum, { length }) => sum + length, 0);
    return { seconds, requests, refused, codes, times };
  } finally {
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}

process.on('message', (message) =>
  playAll(message).then(
    (result) => process.send(result),
    (error) => process.send({ error: error.message }),
  ),
);
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
process.send('started');
