import { setImmediate as turn } from 'node:timers/promises';
import { cpuOf } from '../support/cpu.mjs';

const LIMIT = 1_000_000;
/** Requests that wait for Redis at a time, as in a busy server. */
const AT_ONCE = 64;

export const HOT_ADDRESS = '192.0.2.1';
/** An address that comes once. */
export const never = (n) => `2001:db8:${n.toString(16)}::/64`;

/** CPU in µs for each of so many requests. @param pid of Redis, where it takes part */
export async function cost(counter, count, address, pid) {
  const spent = () => {
    const { user, system } = process.cpuUsage();
    return user + system + (pid ? cpuOf(pid) * 1_000 : 0);
  };
  const before = spent();
  let next = 0;
  const countInTurn = async () => {
    while (next < count) {
      const n = next++;
      await counter.increment(address(n), 60_000, LIMIT, 60_000, 'default');
      // As in a server, other work has its turn.
      if (!pid && n % 1_000 === 0) await turn();
    }
  };
  await Promise.all(Array.from({ length: pid ? AT_ONCE : 1 }, countInTurn));
  return (spent() - before) / count;
}
