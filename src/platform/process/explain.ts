import { StartupError } from '../errors/domain-errors';
import { portTaken } from './free-port';

/** The sentence for a start that failed; an internal error keeps its stack. */
export function explain(error: unknown): string {
  if (error instanceof StartupError) return error.message;
  const { code, port, message } = error as { code?: string; port?: number; message?: string };
  // PostgreSQL's code, and the system's.
  if (code === '53100' || code === 'ENOSPC')
    return `The disk is full (${message}). Free some space, then start again.`;
  if (code === 'EADDRINUSE' && port !== undefined) return portTaken(port);
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} may not be opened by this user. Choose a port above 1023 with PORT=3000.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
