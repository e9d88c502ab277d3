// A school hall: a thousand players at once on one quiz, everything on this machine.
import { loadavg } from 'node:os';
import { Hall } from './play-load/hall.mjs';
import { Child } from './support/child.mjs';
import { cpuOf } from './support/cpu.mjs';
import { profiling } from './support/profile.mjs';
import { startRedis } from './support/redis.mjs';
import { median, percentile } from './support/statistics.mjs';

export const about = 'a school hall: a thousand players at once on one quiz';

const HALL = 'a thousand players at once, everything on two cores';

export const rows = {
  'Q1.1': {
    what: 'requests of players without a pause',
    against: HALL,
    target: { atLeast: 1_200, unit: 'a second' },
  },
  'Q1.2': {
    what: 'p95 of an answer, 3 s to think',
    against: HALL,
    target: { atMost: 40, unit: 'ms' },
  },
  'Q1.3': {
    what: 'p95 of a submit, 3 s to think',
    against: HALL,
    target: { atMost: 80, unit: 'ms' },
  },
  'Q1.4': { what: 'requests refused in all runs', against: HALL, target: { equal: 0 } },
  'Q1.5': {
    what: 'a class beside two busy processes, slower',
    against: 'the same without them',
    target: { atMost: 4 },
  },
};

const QUEUES = ['postgres', 'redis'];

export const options = {
  rounds: {
    default: 3,
    about: 'rounds; the first is the first after a start, and counts for the times',
  },
  players: { default: 1_000, brief: 40, about: 'players at once' },
  think: { default: 3, brief: 0.2, about: 'seconds that players think before a request' },
  queues: { default: QUEUES.join(','), brief: 'postgres', about: 'queue backends' },
  'cpu-prof': { default: false, about: 'write CPU profiles of API and worker to bench/results' },
  statements: { default: false, about: "print PostgreSQL's statements by their time" },
};

const QUESTIONS = 12;

/** Players at home have addresses of their own; a platform sends for all of them from one. */
const GROUPS = {
  home: ({ playKey }, players) => ({ keys: [playKey], addresses: players }),
  platform: ({ key }) => ({ keys: [key], addresses: 1 }),
};

export async function run({ rounds, players, think, queues, ...options }, defer) {
  const wanted = queues.split(',');
  const unknown = wanted.find((queue) => !QUEUES.includes(queue));
  if (unknown !== undefined)
    throw new Error(`--queues: there is no queue “${unknown}”, only ${QUEUES.join(' and ')}.`);
  const { child: receiver, first: receiverUrl } = await Child.start('webhooks/receiver.mjs');
  defer(() => receiver.stop());
  const redis = await startRedis(defer);
  const common = {
    ...{ receiverUrl, redis, defer },
    execArgv: profiling(options['cpu-prof']),
    settings: options.statements ? { shared_preload_libraries: 'pg_stat_statements' } : {},
  };
  const runs = [];
  for (const queue of wanted) {
    if (queue === 'redis' && !redis) continue;
    const hall = await Hall.start({ queue, ...common });
    if (options.statements) await hall.client.query('CREATE EXTENSION pg_stat_statements');
    for (let round = 1; round <= rounds; round++)
      for (const group of Object.keys(GROUPS))
        for (const pace of ['thinking', 'without a pause', 'busy']) {
          const it = { queue, round, group, pace, ...(await play(hall, group, pace)) };
          runs.push(it);
          console.error(inWords(it));
        }
    if (options.statements) await printStatements(hall.client);
  }
  if (runs.length === 0) throw new Error('redis-server is not installed');
  return summary(runs, players, think, wanted.includes('redis') && !redis);

  async function play(hall, group, pace) {
    const quizId = await hall.quiz(QUESTIONS);
    await receiver.ask({ expect: -1 });
    const started = [];
    const start = async (script) => {
      const { child } = await Child.start(`play-load/${script}`);
      started.push(child);
      return child;
    };
    try {
      if (pace === 'busy') for (let n = 0; n < 2; n++) await start('hog.mjs');
      const client = await start('players.mjs');
      const cpu = () => [hall.api.pid, hall.postgres.pid, hall.worker.pid, client.pid].map(cpuOf);
      const before = cpu();
      const load = loadavg()[0];
      const { origin } = hall;
      const message = { origin, quizId, players, ...GROUPS[group](hall, players) };
      const result = await client.ask({ ...message, think: pace === 'thinking' ? think : 0 });
      if (result.error) throw new Error(`${group}, ${pace}: ${result.error}`);
      const { seconds, requests, refused, codes, times } = result;
      if (refused > 0) console.error(codes);
      const p95 = (kind) => percentile(times[kind], 0.95);
      const checked = await hall.check(quizId, players, receiver);
      // Not before: when the last player has finished, half of the deliveries may still be queued. Of a thousand
      // players, the check's own queries cost 1 %.
      const [node, postgres, worker, players_] = cpu().map(
        (after, n) => ((after - before[n]) * 1_000) / requests,
      );
      return {
        ...{ requests, refused, perSecond: requests / seconds, load, ...checked },
        ...{ start: p95('start'), answer: p95('answer'), submit: p95('submit') },
        cpu: { node, postgres, worker, client: players_ },
      };
    } finally {
      for (const child of started) await child.stop();
    }
  }
}

const inWords = ({
  queue,
  round,
  group,
  pace,
  perSecond,
  start,
  answer,
  submit,
  refused,
  cpu,
  load,
  boards,
}) =>
  `${queue} ${round} ${group} ${pace}: ${perSecond.toFixed(0)} a second; p95 start ${start.toFixed(0)}, answer ${answer.toFixed(0)}, submit ${submit.toFixed(0)} ms; ${refused} refused; ` +
  `CPU µs each: Node ${cpu.node.toFixed(0)}, PostgreSQL ${cpu.postgres.toFixed(0)}, worker ${cpu.worker.toFixed(0)}, client ${cpu.client.toFixed(0)}; ${boards} leaderboard events; load ${load.toFixed(1)}`;

async function printStatements(client) {
  const { rows: found } = await client.query(
    `SELECT calls::int, round(total_exec_time::numeric) AS ms, round((1000 * mean_exec_time)::numeric) AS us,
       left(regexp_replace(query, '\\s+', ' ', 'g'), 110) AS query
     FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 40`,
  );
  for (const { calls, ms, us, query } of found)
    console.error(`${ms} ms = ${calls} × ${us} µs  ${query}`);
}

/**
 * Q1.1 and Q1.5 are those of the worst queue and group, by the median of its rounds; Q1.2 and Q1.3 the highest of all
 * runs; Q1.4 is the sum of all runs.
 */
function summary(runs, players, think, lacksRedis) {
  const groups = new Map();
  for (const it of runs) {
    const name = `${it.queue}, ${it.group}`;
    groups.set(name, [...(groups.get(name) ?? []), it]);
  }
  const of = (pace, field) =>
    [...groups.values()].map((all) =>
      median(all.filter((it) => it.pace === pace).map((it) => it[field])),
    );
  const slower = [...groups.values()].map((all) => {
    const rates = (pace) => all.filter((it) => it.pace === pace).map(({ perSecond }) => perSecond);
    return median(rates('without a pause')) / median(rates('busy'));
  });
  return {
    title: `${players} players at once on a quiz of ${QUESTIONS} questions`,
    notes: [
      `Play load: ${players} players, who think for ${think} s where the row says so.`,
      'Play load: API, worker, embedded PostgreSQL, receiver of the events and the players share the machine. After each run plays, sums, leaderboard and events were exactly those of its players, and every event had arrived.',
      'Play load: CPU is that of a request, from the first request until every event has arrived.',
      'Play load: "home" is a play key and an address for each player, "platform" one ordinary key and one address with 200 connections. Refused requests are repeated after Retry-After. The first round is the first after the start.',
      ...(lacksRedis
        ? ['Play load: redis-server is not installed here, so Redis is missing.']
        : []),
    ],
    tables: [
      {
        columns: [
          'queue',
          'round',
          'players',
          'pace',
          'a second',
          'p95 start',
          'answer',
          'submit',
          'refused',
          'Node µs',
          'PostgreSQL',
          'worker',
          'client',
          'load before',
        ],
        rows: runs.map((it) => [
          ...[it.queue, String(it.round), it.group, it.pace],
          ...[it.perSecond, it.start, it.answer, it.submit, it.refused].map((n) => n.toFixed(0)),
          ...Object.values(it.cpu).map((n) => n.toFixed(0)),
          it.load.toFixed(1),
        ]),
      },
    ],
    data: runs,
    measured: {
      'Q1.1': Math.min(...of('without a pause', 'perSecond')),
      'Q1.2': Math.max(
        ...runs.filter(({ pace }) => pace === 'thinking').map(({ answer }) => answer),
      ),
      'Q1.3': Math.max(
        ...runs.filter(({ pace }) => pace === 'thinking').map(({ submit }) => submit),
      ),
      'Q1.4': runs.reduce((sum, { refused }) => sum + refused, 0),
      'Q1.5': Math.max(...slower),
    },
  };
}
