// The rate limit's memory counter by itself: one hot address, then addresses that never come again.
//   node scripts/ensure-built.mjs && node --expose-gc bench/rate-counter.mjs
import { createRequire } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';

const require = createRequire(import.meta.url);
const { MemoryRateCounter } = require('../dist/access/memory-rate-counter.js');
const MINUTE = 60_000;
const counter = new MemoryRateCounter({ now: () => new Date() });

/** Nanoseconds of CPU, since wall time says little on a shared machine. */
async function cost(count, address) {
  const begun = process.cpuUsage();
  for (let n = 0; n < count; n++) {
    await counter.increment(address(n), MINUTE, 60);
    // As in a server, other work has its turn.
    if (n % 1_000 === 0) await turn();
  }
  const { user, system } = process.cpuUsage(begun);
  return Math.round(((user + system) * 1_000) / count);
}

const hot = [];
for (let round = 0; round < 6; round++) hot.push(await cost(1_000_000, () => '192.0.2.1'));
const [, , median] = hot.slice(1).sort((a, b) => a - b);
console.log(`one hot address: ${median} ns a request (median of 5)`);

const mebibytes = (bytes) => Math.round(bytes / 2 ** 20);
const memory = () => {
  globalThis.gc();
  return process.memoryUsage();
};
const before = memory();
let used = 0;
for (const count of [100_000, 1_000_000, 10_000_000]) {
  const from = used;
  const spent = await cost(count, (n) => `2001:db8:${(from + n).toString(16)}::/64`);
  used += count;
  const { rss, heapUsed } = memory();
  console.log(
    `${count.toLocaleString('en')} more addresses within a minute: ${spent} ns a request, ` +
      `RSS +${mebibytes(rss - before.rss)} MiB, heap +${mebibytes(heapUsed - before.heapUsed)} MiB`,
  );
}
