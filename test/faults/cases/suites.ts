import type { NamedSuite, Suite } from '../harness/case';
import { api } from './api';
import { clocks, clocksAtStart } from './clocks';
import { endpoints } from './endpoints';
import { randomKills } from './kills';
import { flood, isolation, slowEndpoints, twoWorkers } from './load';
import { manual } from './manual';
import { names } from './names';
import { operations } from './operations';
import { postgres, queueEmptied, redis } from './outages';
import { procedures } from './procedures';
import { floods, receivers } from './receivers';
import { relay } from './relay';
import { silentPostgres, silentRedis } from './silence';
import { onlyWorker, severalWorkers, sixKills } from './worker';

/** In the order of the matrix; those that measure come last, by themselves. */
const suites: Record<string, Suite> = {
  api,
  relay,
  onlyWorker,
  severalWorkers,
  sixKills,
  postgres,
  queueEmptied,
  redis,
  operations,
  procedures,
  silentPostgres,
  silentRedis,
  clocks,
  clocksAtStart,
  receivers,
  floods,
  names,
  endpoints,
  manual,
  isolation,
  flood,
  slowEndpoints,
  twoWorkers,
  randomKills,
};

export const SUITES: NamedSuite[] = Object.entries(suites).map(([name, suite]) => ({
  name,
  ...suite,
}));
