// Metadata and categories over HTTP: the service against a bare Nest application that returns the same.
import { READER } from './data/load.mjs';
import { openData } from './data/open.mjs';
import { prepare, startBareNest, startService } from './reads/contenders.mjs';
import { checkAnswers } from './reads/same-answers.mjs';
import { takeTurns } from './reads/turn.mjs';
import { Child } from './support/child.mjs';
import { median } from './support/statistics.mjs';

export const about = 'CPU for metadata and categories, against a bare Nest route';

const READS = { 'G5.1': 'metadata', 'G5.2': 'categories' };
const BARE = 'a bare Nest route, same answer';

export const rows = {
  'G5.1': { what: 'metadata, CPU a request', against: BARE, target: { atMost: 1.2 } },
  'G5.2': { what: 'categories, CPU a request', against: BARE, target: { atMost: 1.2 } },
};

export const options = {
  scale: { default: '1k', about: 'quizzes: 1k, 100k or 1m' },
  rounds: { default: 5, about: 'rounds; the contenders take turns in each' },
  seconds: { default: 1.5, brief: 0.5, about: 'how long a turn lasts' },
};

export async function run({ scale, rounds, seconds }, defer, wanted) {
  const data = await openData(scale, { say: (line) => console.error(line) });
  defer(() => data.close());
  const { reader, sample } = await prepare({ url: data.url, email: READER });
  const { child: load } = await Child.start('support/load.mjs');
  defer(() => load.stop());
  const service = await startService({ url: data.url, reader, defer });
  const contenders = [await startBareNest({ origin: service.origin, defer }), service];
  const reads = wanted.map((id) => READS[id]);
  for (const read of reads) await checkAnswers(contenders, read, sample);

  const turns = await takeTurns({ rounds, reads, contenders, load, sample, seconds, data });
  return summary({ scale, reads, contenders, turns, wanted });
}

function summary({ scale, reads, contenders, turns, wanted }) {
  const of = (read, name, field) =>
    turns.filter((turn) => turn.read === read && turn.name === name).map((turn) => turn[field]);
  const ratio = (read, name) => {
    const bare = of(read, 'bare Nest', 'cpu');
    return median(of(read, name, 'cpu').map((cpu, round) => cpu / bare[round]));
  };
  return {
    title: `Metadata and categories at ${scale} quizzes`,
    notes: [
      'Metadata and categories: CPU as for the reads. The bare route has no limit, log, or security headers.',
    ],
    tables: reads.map((read) => ({
      columns: [`${read}, ${scale}`, 'a second', 'CPU µs each', 'Node', 'PostgreSQL', '× bare'],
      rows: contenders.map(({ name }) => [
        name,
        ...['perSecond', 'cpu', 'node', 'postgres'].map((field) =>
          median(of(read, name, field)).toFixed(0),
        ),
        ratio(read, name).toFixed(2),
      ]),
    })),
    data: turns,
    measured: Object.fromEntries(wanted.map((id) => [id, ratio(READS[id], 'service')])),
  };
}
