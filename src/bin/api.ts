import '../platform/observability/start-tracing';
import 'reflect-metadata';
import { startApi } from '../app/start-api';
import { runProcess } from '../platform/process/process';

/** The API alone: `npm run start:api`. */
runProcess('api', startApi);
