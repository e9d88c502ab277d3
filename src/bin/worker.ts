import '../platform/process/check-node';
import 'reflect-metadata';
import { constants, setPriority } from 'node:os';
import { startWorker } from '../app/start-worker';
import { runProcess } from '../platform/process/process';

/** The webhook worker alone: `npm run start:worker`. */
runProcess('worker', startWorker);
// Where it shares a busy machine with the API, deliveries and imports can wait; players who submit cannot.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
