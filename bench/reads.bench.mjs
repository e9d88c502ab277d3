// List, detail and browse over HTTP: the service against the floor, and against peers on the same data.
import { READER } from './data/load.mjs';
import { openData } from './data/open.mjs';
import { prepare, startFloor, startService } from './reads/contenders.mjs';
import { takeTurns } from './reads/turn.mjs';
import { checkAnswers } from './reads/same-answers.mjs';
import { PEERS } from './reads/peers.mjs';
import { Child } from './support/child.mjs';
import { profiling } from './support/profile.mjs';
import { median } from './support/statistics.mjs';

export const about = 'CPU for each list, detail and browse, against the floor and peers';

const READS = { 1: 'list', 2: 'detail', 3: 'browse' };
const FLOOR = 'the floor: node:http, the same SQL, JSON text';
const POSTGRAPHILE = 'PostGraphile, same data';
const DIRECTUS = 'Directus, same data';

export const rows = {
  B1: { what: 'quiz list, CPU a request', against: FLOOR, target: { atMost: 2.2 } },
  B2: { what: 'quiz detail, CPU a request', against: FLOOR, target: { atMost: 2.2 } },
  B3: { what: 'browse, CPU a request', against: FLOOR, target: { atMost: 2.2 } },
  'C2.1': {
    what: 'the same quiz list again, CPU a request',
    against: FLOOR,
    target: { atMost: 0.6 },
  },
  'C2.2': { what: 'the same quiz detail again', against: FLOOR, target: { atMost: 0.9 } },
  'C2.3': { what: 'the same page of browse again', against: FLOOR, target: { atMost: 0.6 } },
  P1: { what: 'quiz list, less CPU', against: POSTGRAPHILE, target: { atLeast: 8 } },
  P2: { what: 'quiz detail, less CPU', against: POSTGRAPHILE, target: { atLeast: 1.8 } },
  P3: { what: 'browse, less CPU', against: POSTGRAPHILE, target: { atLeast: 5 } },
  'P4.1': { what: 'quiz list, less CPU', against: DIRECTUS, target: { atLeast: 15 } },
  'P4.2': { what: 'quiz detail, less CPU', against: DIRECTUS, target: { atLeast: 10 } },
  'P4.3': { what: 'browse, less CPU', against: DIRECTUS, target: { atLeast: 20 } },
};

export const options = {
  scale: { default: '1k', about: 'quizzes: 1k, 100k or 1m' },
  rounds: { default: 5, about: 'rounds; the contenders take turns in each' },
  seconds: { default: 1.5, brief: 0.5, about: 'how long a turn lasts' },
  'warm-up': {
    default: 12_000,
    brief: 500,
    about: "requests before a read's first figure; V8 goes on compiling for some 10,000",
  },
  profile: { default: false, about: "write the service's CPU profile to bench/results" },
};

export async function run(options, defer, wanted) {
  const { scale, rounds, seconds, profile, 'warm-up': warmUp } = options;
  const data = await openData(scale, { say: (line) => console.error(line) });
  defer(() => data.close());
  const { reader, sample } = await prepare({ url: data.url, email: READER });
  const { child: load } = await Child.start('support/load.mjs');
  defer(() => load.stop());
  const common = { url: data.url, reader, defer };

  const missing = {};
  const service = await startService({ ...common, execArgv: profiling(profile) });
  const contenders = [
    await startFloor(common),
    service,
    { ...service, name: 'repeated', fresh: false, isRepeated: true },
  ];
  for (const [name, start] of Object.entries(PEERS)) {
    if (!wanted.some((id) => peerOf(id) === name)) continue;
    const started = await start(common);
    if (started.missing) missing[name] = started.missing;
    else contenders.push({ name, ...started });
  }
  const reads = Object.values(READS).filter((_, place) =>
    wanted.some((id) => id.endsWith(String(place + 1))),
  );
  for (const read of reads) await checkAnswers(contenders, read, sample);

  const turns = await takeTurns({ rounds, reads, contenders, warmUp, load, sample, seconds, data });
  return summary({ scale, reads, contenders, turns, missing, wanted });
}

/** The peer that a row P compares the service with. */
const peerOf = (id) => id.startsWith('P') && (id.startsWith('P4') ? 'Directus' : 'PostGraphile');

function summary({ scale, reads, contenders, turns, missing, wanted }) {
  const of = (read, name) => turns.filter((turn) => turn.read === read && turn.name === name);
  /** Of one contender's CPU to another's in the same round. */
  const ratio = (read, name, base) => {
    const bases = of(read, base);
    return median(of(read, name).map(({ cpu }, place) => cpu / bases[place].cpu));
  };
  const middle = (read, name, field) =>
    median(of(read, name).map((turn) => turn[field])).toFixed(0);
  const measured = {};
  for (const id of wanted) {
    const read = READS[id.at(-1)];
    if (id.startsWith('B')) measured[id] = ratio(read, 'service', 'floor');
    else if (id.startsWith('C')) measured[id] = ratio(read, 'repeated', 'floor');
    else measured[id] = missing[peerOf(id)] ?? ratio(read, peerOf(id), 'service');
  }
  return {
    title: `Reads at ${scale} quizzes`,
    notes: [
      'Reads: CPU is user and system time, in µs a request, of the server and of all PostgreSQL processes; medians over the rounds, and ratios within a round. The load client has a process of its own and is not counted.',
      'Reads: each request to the service spells its path differently and is answered for the first time, except those in the row "repeated", beside which a quiz changes each second.',
      'Reads: the answers of the service and of the floor were equal, byte for byte; those of the peers had the same quizzes and questions in the same order.',
      ...contenders.flatMap(({ name, about: how }) => (how ? [`${name}: ${how}`] : [])),
      ...Object.entries(missing).map(([name, why]) => `${name}: ${why}`),
    ],
    tables: reads.map((read) => ({
      columns: [
        `${read}, ${scale}`,
        'a second',
        'CPU µs each',
        'Node',
        'PostgreSQL',
        '× floor',
        '× service',
      ],
      rows: contenders.map(({ name }) => [
        name,
        ...['perSecond', 'cpu', 'node', 'postgres'].map((field) => middle(read, name, field)),
        ratio(read, name, 'floor').toFixed(2),
        ratio(read, name, 'service').toFixed(2),
      ]),
    })),
    data: turns,
    measured,
  };
}
