import pg from 'pg';
import { cpuOf } from '../support/cpu.mjs';

/** Requests at a time: enough that nobody waits for the network, few enough that nobody queues. */
const CONNECTIONS = 8;

/**
 * Lets the contenders take turns in each round and with each read, after at least `warmUp` requests of each: V8 compiles
 * what is called often, PostgreSQL plans five times for each connection.
 * @returns all turns but those that warm up
 */
export async function takeTurns({ rounds, reads, contenders, warmUp, ...common }) {
  const turns = [];
  // Round 0 is to warm up.
  for (let round = 0; round <= rounds; round++)
    for (const read of reads)
      for (const contender of contenders) {
        const atLeast = round === 0 ? (contender.warmUp ?? warmUp) : 0;
        const turn = await takeTurn({ ...common, contender, read, atLeast });
        if (round > 0) turns.push({ ...turn, round, read, name: contender.name });
      }
  return turns;
}

/**
 * Asks one contender for one read, for so many seconds and at least so often.
 * @returns answers a second, and CPU in µs a request: of its process, of PostgreSQL, of both
 */
async function takeTurn({ load, contender, read, sample, seconds, atLeast, data }) {
  const cpu = () => [cpuOf(contender.child.pid), cpuOf(data.pid)];
  const requests = contender.requests(read, sample);
  const { origin, fresh, isRepeated } = contender;
  const common = { origin, requests, fresh, connections: CONNECTIONS };
  // Once before it counts.
  if (isRepeated) await load.ask({ ...common, seconds: 0, atLeast: requests.length });
  const writes = isRepeated ? await writeBeside(data.url) : null;
  try {
    const before = cpu();
    const { count, took, error } = await load.ask({ ...common, seconds, atLeast });
    if (error) throw new Error(`${contender.name}, ${read}: ${error}`);
    const [node, postgres] = cpu().map((after, place) => ((after - before[place]) * 1_000) / count);
    return { perSecond: (count * 1_000) / took, node, postgres, cpu: node + postgres };
  } finally {
    await writes?.stop();
  }
}

/** One change of a quiz each second, so that a repeated response is sometimes created again. Its cost counts. */
async function writeBeside(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const write = () =>
    client.query(
      `UPDATE quizzes SET plays = plays + 1 WHERE id = (SELECT id FROM quizzes WHERE NOT published LIMIT 1)`,
    );
  await write();
  let last;
  const timer = setInterval(() => (last = write()), 1_000);
  return {
    async stop() {
      clearInterval(timer);
      await last;
      await client.end();
    },
  };
}
