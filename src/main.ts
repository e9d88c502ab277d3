import './platform/tracing/start-tracing';
import 'reflect-metadata';
import { startApi } from './api';
import { runProcess } from './platform/process';

/** The API alone: `npm run start:api`. */
runProcess('api', startApi);
