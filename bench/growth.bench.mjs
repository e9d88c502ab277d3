// How what PostgreSQL does for each read grows with the data: the service's own statements, at 1k and at a larger
// scale in turns. With --plans the plans of the larger scale are written to bench/results/.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openData } from './data/open.mjs';
import { readsOf } from './growth/reads.mjs';
import { Subject } from './growth/subject.mjs';
import { plansPage } from './growth/plans.mjs';
import { median } from './support/statistics.mjs';

export const about = 'what PostgreSQL does for each read, at 1k and at a larger scale';

export const rows = {
  G1: {
    what: 'reads by every filter, PostgreSQL time, the worst',
    against: 'the same at 1k',
    target: { atMost: 3 },
  },
  'G1.tags': {
    what: 'reads by tags, PostgreSQL time, the worst',
    against: 'the same at 1k',
    target: { atMost: 6 },
  },
  G2: {
    what: 'rarest filters, PostgreSQL time, the worst',
    against: 'force_custom_plan',
    target: { atMost: 2 },
  },
  G3: {
    what: 'browsing by links.next at half, the worst',
    against: 'the first page',
    target: { atMost: 1.5 },
  },
  G4: {
    what: 'random=true by every filter, the worst',
    against: 'a plain page',
    target: { atMost: 10 },
  },
};

export const options = {
  scale: { default: '1k', about: 'the larger scale: 100k or 1m' },
  rounds: { default: 5, about: 'rounds; the scales take turns in each' },
  plans: { default: false, about: 'write the plans to bench/results/' },
};

const SMALL = '1k';
const PLAIN = 'browse: everything';

export async function run({ scale, rounds, plans }, defer) {
  const subjects = [];
  for (const name of new Set([SMALL, scale])) {
    const data = await openData(name, { say: (line) => console.error(line) });
    defer(() => data.close());
    const subject = await Subject.open({ url: data.url, scale: name });
    defer(() => subject.close());
    subjects.push(subject);
  }
  const small = subjects[0];
  const large = subjects.at(-1);
  const figures = new Map();
  const reads = readsOf(large.sample);
  for (const [index, read] of reads.entries()) {
    const asked = new Map();
    for (const subject of subjects)
      asked.set(subject, await subject.statementsOf(readsOf(subject.sample)[index]));
    const taken = new Map(subjects.map((subject) => [subject, []]));
    const forced = [];
    // Round 0 is for caches to warm up.
    for (let round = 0; round <= rounds; round++) {
      for (const subject of subjects) {
        const figure = await subject.measure(asked.get(subject));
        if (round > 0) taken.get(subject).push(figure);
      }
      if (read.row.includes('G2') && round > 0)
        forced.push((await large.measure(asked.get(large), 'force_custom_plan')).running);
    }
    const of = (subject, what) => median(taken.get(subject).map((figure) => figure[what]));
    figures.set(read.name, {
      read,
      small: of(small, 'running'),
      large: of(large, 'running'),
      planning: of(large, 'planning'),
      buffers: of(large, 'buffers'),
      forced: forced.length > 0 ? median(forced) : undefined,
    });
    if (plans) figures.get(read.name).plans = await large.explain(asked.get(large));
  }
  if (plans) {
    const folder = fileURLToPath(new URL('./results/', import.meta.url));
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of plansPage(scale, figures)) writeFileSync(folder + file, text);
  }
  return result(scale, [...figures.values()]);
}

function result(scale, figures) {
  const of = (name) => figures.find(({ read }) => read.name === name).large;
  const plain = of(PLAIN);
  const ratio = ({ read, small, large, forced }, row) =>
    ({
      G1: large / small,
      G3: large / of(read.first ?? read.name),
      G4: large / plain,
      G2: large / forced,
    })[row];
  const worst = (row, which) => {
    const them = figures.filter(which).map((figure) => [ratio(figure, row), figure.read.name]);
    return them.sort(([a], [b]) => b - a)[0];
  };
  const first = ({ read }) => !read.place;
  const isCompared = scale !== SMALL;
  const isOfScales = (row) => row.startsWith('G1');
  const measured = {
    G1: worst(
      'G1',
      (it) => first(it) && !it.read.row.includes('G4') && !it.read.row.includes('tags'),
    ),
    'G1.tags': worst('G1', (it) => first(it) && it.read.row.includes('tags')),
    G2: worst('G2', (it) => it.forced !== undefined),
    G3: worst('G3', (it) => it.read.place === 'next'),
    G4: worst('G4', (it) => first(it) && it.read.name.startsWith('random')),
  };
  return {
    title: `Growth from ${SMALL} to ${scale} quizzes`,
    notes: [
      'Milliseconds of PostgreSQL to run all statements of one request (EXPLAIN ANALYZE, medians), without planning.',
      ...Object.entries(measured)
        .filter(([row]) => isCompared || !isOfScales(row))
        .map(([row, [value, name]]) => `${row} is worst for "${name}": ${value.toFixed(1)}.`),
    ],
    tables: [
      {
        columns: [
          ...['read', ...(isCompared ? [SMALL, scale, '×'] : [scale])],
          ...['× first page', '× plain page', 'planning', 'buffers'],
        ],
        rows: figures.map((it) => [
          it.read.name,
          ...(isCompared ? [it.small.toFixed(2)] : []),
          it.large.toFixed(2),
          ...(isCompared ? [ratio(it, 'G1').toFixed(1)] : []),
          it.read.first ? ratio(it, 'G3').toFixed(1) : '',
          it.read.name.startsWith('random') ? ratio(it, 'G4').toFixed(1) : '',
          it.planning.toFixed(2),
          String(it.buffers),
        ]),
      },
    ],
    data: figures.map((figure) => ({ ...figure, plans: undefined })),
    measured: Object.fromEntries(
      Object.entries(measured).map(([row, [value]]) => [
        row,
        !isCompared && isOfScales(row) ? 'compares scales: needs --scale 100k or 1m' : value,
      ]),
    ),
  };
}
