// Submitting an attempt, with the sums of its quiz's results and without them.
import { Child } from './support/child.mjs';
import { cpuOf } from './support/cpu.mjs';
import { startWithOwner } from './support/postgres.mjs';
import { median } from './support/statistics.mjs';

export const about = 'CPU for a submitted attempt, with the sums of results and without';

export const rows = {
  A1: {
    what: 'submit of an attempt at ten questions, CPU',
    against: 'the same without the sums of results',
    target: { atMost: 1.15 },
  },
};

export const options = {
  rounds: { default: 5, about: 'rounds; the contenders take turns in each' },
  submits: { default: 300, brief: 200, about: 'submits for each contender and round' },
};

export async function run({ rounds, submits }, defer) {
  const { postgres, url, client, owner } = await startWithOwner('submits', defer);
  const contenders = [];
  for (const sums of ['with', 'without']) {
    const env = { DATABASE_URL: url, OWNER_ID: owner, SUMS: sums };
    const { child } = await Child.start('submits/service.mjs', { env });
    defer(() => child.stop());
    contenders.push({ sums, child });
  }
  const turns = [];
  // Round 0 is to warm up.
  for (let round = 0; round <= rounds; round++)
    for (const { sums, child } of contenders) {
      // Attempts are started and answered before the measured time.
      await child.ask({ prepare: submits });
      await client.query('VACUUM ANALYZE');
      const cpu = () => [cpuOf(child.pid), cpuOf(postgres.pid)];
      const before = cpu();
      await child.ask({ submit: true });
      const [node, database] = cpu().map((after, place) => (after - before[place]) / submits);
      if (round > 0) turns.push({ round, sums, node, postgres: database, cpu: node + database });
    }
  return summary(turns);
}

function summary(turns) {
  const of = (sums) => turns.filter((turn) => turn.sums === sums);
  const middle = (sums, field) => median(of(sums).map((turn) => turn[field])).toFixed(3);
  const without = of('without');
  return {
    title: 'Submits with and without the sums of results',
    notes: [
      'Submits: CPU in ms for each submit, of Node and of all PostgreSQL processes, one after the other, by the service without HTTP. Both have the index of the list of results.',
    ],
    tables: [
      {
        columns: ['submit', 'CPU ms each', 'Node', 'PostgreSQL'],
        rows: ['with', 'without'].map((sums) => [
          `${sums} sums`,
          ...['cpu', 'node', 'postgres'].map((field) => middle(sums, field)),
        ]),
      },
    ],
    data: turns,
    measured: { A1: median(of('with').map(({ cpu }, round) => cpu / without[round].cpu)) },
  };
}
