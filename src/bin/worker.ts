import '../platform/process/check-node';
import '../platform/process/small-heap';
import 'reflect-metadata';
import { startWorker } from '../app/start-worker';
import { runProcess } from '../platform/process/process';

/** The worker alone: `npm run start:worker`. */
runProcess('worker', startWorker);
