// Counting in memory, in a process of its own. Messages: { count, hot } → { cpu: µs each, grown: MiB of RSS }.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MemoryThrottlerStorage } from '../../dist/access/rate-limit/memory-throttler-storage.js';
import { cost, HOT_ADDRESS, never } from './counting.mjs';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

/** In MiB, after a collection. */
function rss() {
  collect();
  return process.memoryUsage().rss / 2 ** 20;
}

const counter = new MemoryThrottlerStorage({ now: () => new Date() });

process.on('message', async ({ count, hot }) => {
  const before = rss();
  const cpu = await cost(counter, count, hot ? () => HOT_ADDRESS : never);
  process.send({ cpu, grown: rss() - before });
});
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
process.send('started');
