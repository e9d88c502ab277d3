// Reads of API_PROCESSES=2 against one API process, on one port, one PostgreSQL and one Redis.
import { readFileSync } from 'node:fs';
import { READER } from './data/load.mjs';
import { openData } from './data/open.mjs';
import { prepare, READS, startService } from './reads/contenders.mjs';
import { Child } from './support/child.mjs';
import { canReadProc, cpuOf } from './support/cpu.mjs';
import { startRedis } from './support/redis.mjs';
import { median } from './support/statistics.mjs';

export const about = 'repeated reads of two API processes on one port, against one';

export const rows = {
  M1: {
    what: 'repeated reads in a second of CPU of the busiest API process, API_PROCESSES=2',
    against: 'API_PROCESSES=1',
    target: { atLeast: 1.7 },
  },
};

export const options = {
  rounds: { default: 5, about: 'rounds; the contenders take turns in each' },
  seconds: { default: 2, brief: 0.5, about: 'how long a turn lasts' },
};

const CONNECTIONS = 16;
/** Requests before the first figure, for each second of a turn: V8 compiles what is called often, in each process. */
const WARM_UP = 4_000;

export async function run({ rounds, seconds }, defer) {
  if (!canReadProc) return { measured: { M1: NaN }, ...NOTHING };
  const data = await openData('1k', { say: (line) => console.error(line) });
  defer(() => data.close());
  const redis = await startRedis(defer);
  if (!redis) return { measured: { M1: 'redis-server is not installed' }, ...NOTHING };
  const { reader, sample } = await prepare({ url: data.url, email: READER });
  const { child: client } = await Child.start('cores/client.mjs');
  defer(() => client.stop());
  const services = [];
  for (const processes of [1, 2])
    services.push({
      processes,
      ...(await startService({
        url: data.url,
        reader,
        defer,
        env: { REDIS_URL: `${redis.url}/${processes}`, API_PROCESSES: String(processes) },
      })),
    });

  const turns = [];
  // Round 0 is to warm up.
  for (let round = 0; round <= rounds; round++)
    for (const read of ['list', 'detail'])
      for (const { processes, child, origin } of services) {
        const apis = processes === 1 ? [child.pid] : childrenOf(child.pid);
        const cpu = () => [...apis, client.pid, data.pid, redis.pid].map(cpuOf);
        const before = cpu();
        const { count, took, error } = await client.ask({
          port: new URL(origin).port,
          path: READS[read](sample)[0],
          headers: { Authorization: `Bearer ${reader.keys[0]}` },
          connections: CONNECTIONS * processes,
          seconds,
          atLeast: round === 0 ? WARM_UP * seconds : 0,
        });
        if (error) throw new Error(`${processes} processes, ${read}: ${error}`);
        const spent = cpu().map((after, n) => after - before[n]);
        const api = spent.splice(0, processes);
        if (round > 0)
          turns.push({
            read,
            processes,
            perSecond: (count * 1_000) / took,
            each: (sum(api) * 1_000) / count,
            capacity: (count * 1_000) / Math.max(...api),
            apiCores: sum(api) / took,
            otherCores: sum(spent) / took,
          });
      }
  const of = (read, processes) =>
    turns.filter((turn) => turn.read === read && turn.processes === processes);
  const ratios = (read) => of(read, 2).map(({ capacity }, n) => capacity / of(read, 1)[n].capacity);
  const middle = (read, processes, field) => median(of(read, processes).map((it) => it[field]));
  return {
    title: 'One and two API processes',
    notes: [
      'M1: the same request over 16 connections for each process, answered from the cache and counted in Redis. Client, Redis and PostgreSQL share two cores with the API, so requests a second say little: the row compares what the processes serve when each has a core, by the CPU time of the busiest.',
    ],
    tables: [
      {
        columns: [
          'repeated read',
          'processes',
          'a second, here',
          'a second, a core each',
          'CPU µs each, API',
          'cores of the API',
          'cores of others',
        ],
        rows: ['list', 'detail'].flatMap((read) =>
          [1, 2].map((processes) => [
            read,
            String(processes),
            middle(read, processes, 'perSecond').toFixed(0),
            middle(read, processes, 'capacity').toFixed(0),
            middle(read, processes, 'each').toFixed(0),
            middle(read, processes, 'apiCores').toFixed(2),
            middle(read, processes, 'otherCores').toFixed(2),
          ]),
        ),
      },
    ],
    data: turns,
    measured: { M1: median(['list', 'detail'].flatMap(ratios)) },
  };
}

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

const childrenOf = (pid) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

const NOTHING = { title: 'One and two API processes', notes: [], tables: [], data: [] };
