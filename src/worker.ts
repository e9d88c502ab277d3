import './platform/tracing/start-tracing';
import 'reflect-metadata';
import { runProcess } from './platform/process';
import { startWorker } from './webhook-worker';

/** The webhook worker alone: `npm run start:worker`. */
runProcess('worker', startWorker);
