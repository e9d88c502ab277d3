import '../platform/process/check-node';
import 'reflect-metadata';
import { runProcess } from '../platform/process/process';
import { startWorker } from '../app/start-worker';

/** The webhook worker alone: `npm run start:worker`. */
runProcess('worker', startWorker);
