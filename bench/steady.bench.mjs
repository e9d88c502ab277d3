// Browse and random questions at a steady rate: what a client waits for, without any response from memory.
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { READER } from './data/load.mjs';
import { openData } from './data/open.mjs';
import { prepare, startService } from './reads/contenders.mjs';
import { percentile } from './support/statistics.mjs';
import { Pool } from 'undici';

export const about = 'latency of browse and random at 50 requests a second';

export const rows = {
  Q2: {
    what: 'p95 of browse and random, 50 a second, nothing from memory',
    against: "QuizBase's published 91 and 265 ms",
    target: { atMost: 15, unit: 'ms' },
  },
};

export const options = {
  scale: { default: '1k', about: 'quizzes: 1k, 100k or 1m; the target is for 100k' },
  rate: { default: 50, about: 'requests a second' },
  'steady-seconds': { default: 30, brief: 3, about: 'how long it is measured' },
  'warm-seconds': {
    default: 15,
    brief: 1,
    about: 'how long before that, while everything is cold',
  },
};

/** A parameter that is ignored makes each URL a new one for the response cache. */
const READS = {
  browse: (n) => `/api/v1/questions?limit=20&n=${n}`,
  random: (n) => `/api/v1/questions?limit=20&random=true&n=${n}`,
};

export async function run({ scale, rate, ...options }, defer) {
  const { 'steady-seconds': seconds, 'warm-seconds': warm } = options;
  const data = await openData(scale, { say: (line) => console.error(line) });
  defer(() => data.close());
  const { reader } = await prepare({ url: data.url, email: READER });
  const service = await startService({ url: data.url, reader, defer });
  const pool = new Pool(service.origin, { connections: 50 });
  defer(() => pool.destroy());
  const times = { browse: [], random: [] };
  const cold = { browse: [], random: [] };
  const load = loadavg()[0];
  const ask = async (read, n, to) => {
    const headers = { authorization: `Bearer ${reader.keys[n % reader.keys.length]}` };
    const begun = performance.now();
    const response = await pool.request({ method: 'GET', path: READS[read](n), headers });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text}`);
    to[read].push(performance.now() - begun);
  };
  // The rate is kept whatever the responses take. A service that has just started reads everything from the disk.
  const begun = performance.now();
  const asked = [];
  const failures = [];
  for (let n = 0; n < (warm + seconds) * rate && failures.length === 0; n++) {
    await sleep(Math.max(0, begun + (n * 1_000) / rate - performance.now()));
    const to = n < warm * rate ? cold : times;
    asked.push(ask(n % 2 ? 'random' : 'browse', n, to).catch((error) => failures.push(error)));
  }
  await Promise.all(asked);
  if (failures.length > 0) throw failures[0];
  const at = (read, share, of = times) => percentile(of[read], share);
  const slower = Math.max(at('browse', 0.95), at('random', 0.95));
  return {
    title: `Browse and random at ${rate} a second, ${scale} quizzes`,
    notes: [
      `Steady: the load of the machine before was ${load.toFixed(1)}.`,
      `Steady: in the first ${warm} s after the start, the p95 was ${at('browse', 0.95, cold).toFixed(0)} and ${at('random', 0.95, cold).toFixed(0)} ms.`,
    ],
    tables: [
      {
        columns: [`${rate} a second, ${scale}`, 'p50 ms', 'p95', 'p99'],
        rows: Object.keys(READS).map((read) => [
          read,
          ...[0.5, 0.95, 0.99].map((share) => at(read, share).toFixed(1)),
        ]),
      },
    ],
    data: times,
    measured: { Q2: scale === '100k' ? slower : `${slower.toFixed(1)} ms at ${scale}` },
  };
}
