import { basename } from 'node:path';
import { isTracingOn } from '../config/config';

/**
 * Imported for its effect, before anything else of a process: modules must be instrumented before they are used.
 * While tracing is off, nothing of OpenTelemetry is loaded.
 */
if (isTracingOn()) {
  // Not an import: those are loaded in every process.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { openTelemetry } = require('./open-telemetry') as typeof import('./open-telemetry');
  openTelemetry(`quiz-${roleOf(process.argv[1])}`);
}

/** `api`, `worker` or `imports`, by the file that was started. */
function roleOf(file = ''): string {
  return basename(file).replace(/\.[jt]s$/, '');
}
