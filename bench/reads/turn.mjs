import { cpuOf } from '../support/cpu.mjs';

/** Requests at a time: enough that nobody waits for the network, few enough that nobody queues. */
const CONNECTIONS = 8;

/**
 * Asks one contender for one read, for so many seconds and at least so often.
 * @returns answers a second, and CPU in µs a request: of its process, of PostgreSQL, of both
 */
export async function takeTurn({ load, contender, read, sample, seconds, atLeast, data }) {
  const cpu = () => [cpuOf(contender.child.pid), cpuOf(data.pid)];
  const before = cpu();
  const answer = await load.ask({
    origin: contender.origin,
    requests: contender.requests(read, sample),
    connections: CONNECTIONS,
    seconds,
    atLeast,
  });
  if (answer.error) throw new Error(`${contender.name}, ${read}: ${answer.error}`);
  const [node, postgres] = cpu().map(
    (after, place) => ((after - before[place]) * 1_000) / answer.count,
  );
  return { perSecond: (answer.count * 1_000) / answer.took, node, postgres, cpu: node + postgres };
}
