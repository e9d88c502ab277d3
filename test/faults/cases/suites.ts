import type { Suite } from '../harness/case';
import { api } from './api';
import { endpoints } from './endpoints';
import { isolation, twoWorkers } from './load';
import { manual } from './manual';
import { names } from './names';
import { postgres, queueEmptied, redis } from './outages';
import { floods, receivers } from './receivers';
import { relay } from './relay';
import { sixKills, worker } from './worker';

/** Those that take longest come first; those that measure come last, by themselves. */
export const SUITES: Suite[] = [
  worker,
  queueEmptied,
  redis,
  postgres,
  sixKills,
  receivers,
  relay,
  names,
  manual,
  api,
  endpoints,
  floods,
  isolation,
  twoWorkers,
];
