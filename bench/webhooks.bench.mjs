// Webhook deliveries end to end (outbox, relay, queue, POST, attempt row) against a loop that only posts.
import { setTimeout as sleep } from 'node:timers/promises';
import { verifySignature } from '../dist/webhooks/deliveries/signature.js';
import { ENDPOINT_SHARE, SLOTS } from '../dist/webhooks/sending/sending-limits.js';
import { Child } from './support/child.mjs';
import { canReadProc } from './support/cpu.mjs';
import { startPostgres } from './support/postgres.mjs';
import { profiling } from './support/profile.mjs';
import { startRedis } from './support/redis.mjs';
import { median, percentile } from './support/statistics.mjs';
import { BareLoop } from './webhooks/bare-loop.contender.mjs';
import { Worker } from './webhooks/worker.contender.mjs';

export const about = 'deliveries a second and CPU for each, against a bare undici loop';

export const rows = {
  H1: {
    what: 'webhook delivery, queue in Redis: CPU',
    against: '–',
    target: { atMost: 400, unit: 'µs' },
  },
  'H1.rate': {
    what: 'webhook deliveries, queue in Redis',
    against: '–',
    target: { atLeast: 2_000, unit: 'a second' },
  },
  H2: {
    what: 'commit to arrival at 200 events a second, p95, queue in Redis',
    against: '–',
    target: { atMost: 25, unit: 'ms' },
  },
  'H2.postgres': {
    what: 'the same, queue in PostgreSQL',
    against: '–',
    target: { atMost: 60, unit: 'ms' },
  },
  H3: {
    what: 'CPU of an idle worker, % of a core, the costlier queue',
    against: '–',
    target: { atMost: 1, unit: '%' },
  },
};

export const options = {
  events: { default: 5000, brief: 1000, about: 'events for each contender and round' },
  endpoints: { default: 8, about: 'the receivers they are spread over' },
  seconds: {
    default: 5,
    brief: 3,
    about: 'events are paced for latency, and twice as long nothing happens',
  },
  rounds: { default: 5, about: 'rounds; the contenders take turns in each' },
  profile: { default: false, about: "write the workers' CPU profiles to bench/results" },
};

/** The floor is so quick that it posts more: its turn would be too short. */
const FLOOR_TIMES = 4;

/** Milliseconds for a turn. */
const PATIENCE = 120_000;

export async function run({ events, endpoints, rounds, seconds, profile }, defer, wanted) {
  const { child: receiver, first: receiverUrl } = await Child.start('webhooks/receiver.mjs');
  defer(() => receiver.stop());
  const postgres = await startPostgres(defer);
  const redis = await startRedis(defer);
  const common = { endpoints, receiverUrl, defer, postgres, execArgv: profiling(profile) };
  const contenders = [
    await BareLoop.start({ ...common, inFlight: Math.min(ENDPOINT_SHARE * endpoints, SLOTS) }),
    await Worker.start({ ...common, name: 'worker, queue in PostgreSQL', redis: null }),
  ];
  if (redis) contenders.push(await Worker.start({ ...common, name: REDIS, redis }));

  const results = new Map(contenders.map(({ name }) => [name, []]));
  // Round 0 is for compilers and caches to warm up: the only one where nobody asks for a row H1.
  for (let round = 0; round <= (isSaturated(wanted) ? rounds : 0); round++) {
    for (const contender of contenders) {
      const result = await deliver(
        contender,
        receiver,
        events * (contender instanceof BareLoop ? FLOOR_TIMES : 1),
      );
      console.error(
        `round ${round}, ${contender.name}: ${Math.round(result.perSecond)} a second, ${result.cpu.toFixed(1)} µs each`,
      );
      if (round > 0) results.get(contender.name).push(result);
    }
  }
  const paced = [];
  for (const worker of contenders.slice(1)) paced.push(await pace(worker, receiver, seconds));
  return {
    title: 'Webhook deliveries',
    notes: [
      ...NOTES,
      ...(redis ? [] : ['redis-server is not installed here, so Redis is missing.']),
    ],
    tables: [
      ...(isSaturated(wanted)
        ? [{ columns: COLUMNS, rows: [...results].map(([name, it]) => rowOf(name, it, results)) }]
        : []),
      { columns: PACED, rows: paced.map((it) => Object.values(it).map(String)) },
    ],
    data: { ...Object.fromEntries(results), paced },
    measured: {
      H1: ofRedis(redis, wanted, results, 'cpu'),
      'H1.rate': ofRedis(redis, wanted, results, 'perSecond'),
      H2: redis ? paced[1].p95 : NO_REDIS,
      'H2.postgres': paced[0].p95,
      H3: Math.max(...paced.map(({ idle }) => idle)),
    },
  };
}

/** One contender's turn. @throws Error when not every event has arrived exactly once, signed: it has no figure */
async function deliver(contender, receiver, count) {
  const { sent, run: send } = await contender.prepare(count);
  await receiver.ask({ expect: count });
  const { took, cpu } = await within(PATIENCE, send(receiver.answer()), contender.name);
  const arrivals = await receiver.ask('hand over');
  const different = new Set(arrivals.map(({ id }) => id));
  const good = arrivals.every(({ id, body, signature }) =>
    verifySignature(body, signature, sent.get(id) ?? ''),
  );
  if (arrivals.length !== count || different.size !== count || sent.size !== count || !good)
    throw new Error(
      `${contender.name}: void. ${count} events, ${arrivals.length} arrivals of ${different.size} events, signatures ${good ? 'good' : 'BAD'}.`,
    );
  const each = (milliseconds) => (milliseconds * 1_000) / count;
  const [node, database, queue] = [cpu.node, cpu.postgres, cpu.redis].map(each);
  return {
    perSecond: (count * 1_000) / took,
    node,
    postgres: database,
    redis: queue,
    cpu: node + database + queue,
  };
}

/** Commits one event each 5 ms, and then none. @throws Error when not every event has arrived */
async function pace(worker, receiver, seconds) {
  const count = seconds * 200;
  await worker.vacuum();
  await receiver.ask({ expect: count });
  const arrived = receiver.answer();
  const cpu = worker.cpu();
  const committed = await worker.emit(count, 5);
  await within(PATIENCE, arrived, worker.name);
  const spent = worker.cpu();
  const arrivals = await receiver.ask('hand over');
  const waits = arrivals.map(({ body, at }) => at - committed.get(JSON.parse(body).data.quiz_id));
  // The last outcomes are stored, and connections to the receiver closed.
  await sleep(5_000);
  const before = worker.cpu();
  await sleep(2_000 * seconds);
  const idle = (worker.cpu().node - before.node) / (20 * seconds);
  const rounded = (value) => Math.round(value * 10) / 10;
  return {
    name: worker.name,
    p50: rounded(percentile(waits, 0.5)),
    p95: rounded(percentile(waits, 0.95)),
    max: rounded(Math.max(...waits)),
    ...Object.fromEntries(
      Object.keys(cpu).map((part) => [
        part,
        Math.round(((spent[part] - cpu[part]) * 1_000) / count),
      ]),
    ),
    idle: Math.round(idle * 100) / 100,
  };
}

/** Something was lost, or a process that is needed has ended. */
async function within(patience, work, name) {
  const waiting = new AbortController();
  const late = sleep(patience, undefined, { signal: waiting.signal }).then(() => {
    throw new Error(`${name}: void. Not everything was delivered within ${patience / 1_000} s.`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    waiting.abort();
    late.catch(() => undefined);
  }
}

const REDIS = 'worker, queue in Redis';

/** Whether a row needs more than the warm-up. */
const isSaturated = (wanted) => wanted.some((id) => id.startsWith('H1'));

const NO_REDIS = 'redis-server is not installed';

const ofRedis = (redis, wanted, results, field) =>
  redis ? isSaturated(wanted) && median(results.get(REDIS).map((it) => it[field])) : NO_REDIS;

/** CPU against the floor's, the first of all, in the same round. */
function ratioOf(name, results) {
  const [floor] = results.values();
  return median(results.get(name).map(({ cpu }, round) => cpu / floor[round].cpu));
}

const COLUMNS = ['', 'a second', 'CPU µs each', 'Node', 'PostgreSQL', 'Redis', '× bare'];

const PACED = [
  '200 events a second',
  'p50 ms',
  'p95',
  'most',
  'Node µs each',
  'PostgreSQL',
  'Redis',
  'idle worker, % of a core',
];

function rowOf(name, rounds, results) {
  const of = (field) => median(rounds.map((it) => it[field])).toFixed(0);
  const ratio = ratioOf(name, results);
  const micros = (field) => (canReadProc ? of(field) : 'n/a');
  return [
    name,
    of('perSecond'),
    micros('cpu'),
    micros('node'),
    micros('postgres'),
    micros('redis'),
    canReadProc ? ratio.toFixed(1) : 'n/a',
  ];
}

const NOTES = [
  'Medians over the rounds. "× bare" is CPU against the bare loop of the same round.',
  'CPU is user and system time from the commit of the events until every outcome is stored: of the worker, of all PostgreSQL processes, of Redis. The receiver is not counted.',
  '"a second" counts from the moment the relay found the events until every outcome is stored.',
  'In every round each event arrived exactly once with a good signature, by one recorded attempt.',
];
