import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { hold, until } from '../../faults/harness/until';
import type { ServiceProcess } from '../../faults/harness/service-process';
import type { Stage } from '../../faults/harness/stage';
import { LIMITS } from '../../../src/platform/limits';
import { whileAttacked, type Attack } from '../harness/attacker';
import { Bystander } from '../harness/bystander';
import type { AttackCase, Subject } from '../harness/case';

/** Descriptors that come and go by themselves: the database's connections, the bystander's. */
const SLACK = 30;

const descriptors = ({ pid }: ServiceProcess) => readdirSync(`/proc/${pid}/fd`).length;

const begin = async (stage: Stage) => {
  const api = await stage.api();
  const { key } = await stage.subscriber();
  return { api, bystander: await Bystander.arrive(api.port, key) };
};

/** Connections that are held open: capped at once, and given back although the clients never close them. */
const holding = (name: string, attack: Attack, within: number): AttackCase => ({
  name,
  async run(stage) {
    const { api, bystander } = await begin(stage);
    const before = descriptors(api);
    const memory = api.memory();
    let most = 0;
    let grown = 0;
    const figures = await whileAttacked(api.port, attack, () =>
      bystander.beside(async () => {
        most = descriptors(api) - before;
        grown = api.memory() - memory;
        hold(
          most <= LIMITS.connections.perAddress.value + SLACK,
          `${most} more descriptors are open while ${attack.connections} connections were tried`,
        );
        // Long enough for a percentile.
        await sleep(5_000);
        hold(grown < 400, `memory has grown by ${grown.toFixed(0)} MiB`);
        await until(
          'the connections of the attacker to be closed',
          () => descriptors(api) <= before + SLACK,
          within,
          250,
        );
      }),
    );
    return `at most ${most} descriptors and ${grown.toFixed(0)} MiB more; ${figures}`;
  },
});

/** Requests without a pause. */
const flood = (name: string, connections: number, path: string): AttackCase => ({
  name,
  async run(stage) {
    const { api, bystander } = await begin(stage);
    const attack: Attack = { kind: 'flood', connections, path };
    return whileAttacked(api.port, attack, () => bystander.beside(() => sleep(8_000)));
  },
});

const FILES = '/docs/reference/files';

/** Anonymous clients that are slow, silent or greedy. */
export const CLIENTS: Subject = {
  name: 'clients',
  settings: { RATE_LIMIT_PER_MINUTE: '60' },
  cases: [
    holding('4,000 idle connections', { kind: 'idle', connections: 4_000, path: '/' }, 40_000),
    holding('half a header', { kind: 'half-header', connections: 1_000, path: '/' }, 40_000),
    holding('dripping body', { kind: 'drip', connections: 200, path: '/api/v1/quizzes' }, 60_000),
    holding('unread responses', { kind: 'unread', connections: 200, path: FILES }, 100_000),
    flood('20 connections flood a documentation page', 20, FILES),
    flood('200 connections flood a documentation page', 200, FILES),
    flood('50 connections flood the front page', 50, '/'),
  ],
};
