import '../platform/process/check-node';
import 'reflect-metadata';
import cluster from 'node:cluster';
import type { startApiProcesses } from '../app/api-processes';
import type { startApi } from '../app/start-api';
import { requireFreePort } from '../platform/process/free-port';
import { runProcess } from '../platform/process/process';

/** The API alone: `npm run start:api`. */
runProcess('api', async (config, logger, signal) => {
  // A parent process that starts this one has checked it.
  if (!process.send) await requireFreePort(config.port);
  // Not imports: a supervisor of several API processes does not need the memory of one.
  /* eslint-disable @typescript-eslint/no-require-imports */
  if (cluster.isPrimary && config.apiProcesses > 1) {
    const supervisor = require('../app/api-processes') as {
      startApiProcesses: typeof startApiProcesses;
    };
    return supervisor.startApiProcesses(config, logger, signal);
  }
  // If the supervisor ends, Node would end this process at once: it drains first (process.ts).
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  const api = require('../app/start-api') as { startApi: typeof startApi };
  return api.startApi(config, logger, signal);
});
