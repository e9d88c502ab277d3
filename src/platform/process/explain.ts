import { isTimeOut, isUnavailable } from '../database/database-errors';
import { StartupError } from '../errors/domain-errors';
import { portTaken } from './free-port';

/** The sentence for a start or a command that failed; an internal error keeps its stack. */
export function explain(error: unknown): string {
  if (error instanceof StartupError) return error.message;
  const { code, port, syscall, message } = (error ?? {}) as Partial<NodeJS.ErrnoException> & {
    port?: number;
  };
  // PostgreSQL's code, and the system's.
  if (code === '53100' || code === 'ENOSPC')
    return `The disk is full (${message}). Free some space, then try again.`;
  if (code === 'EADDRINUSE' && port !== undefined) return portTaken(port);
  if (code === 'EACCES' && syscall === 'listen')
    return `Port ${port} may not be opened by this user. Choose a port above 1023 with PORT=3000.`;
  if (isOfSocket(error) || syscall === 'connect')
    return `A server cannot be reached (${message || code}). Check that the database is running, and Redis if REDIS_URL is set, then try again.`;
  // The start has reached it (reach.ts); since then it has become too busy, was stopped or takes no writes.
  if (isUnavailable(error) || isTimeOut(error))
    return `The database cannot be used at the moment (${message || code}). Check that it runs, takes writes and is not overloaded, then try again.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * Whether it is a network error of Node, outside of a statement: it does not tell which server it is about. Its code begins
 * with E, as no code of PostgreSQL does.
 */
function isOfSocket(error: unknown): boolean {
  const { code, driverError } = (error ?? {}) as { code?: unknown; driverError?: unknown };
  const ofNode = typeof code === 'string' && code.startsWith('E');
  return ofNode && driverError === undefined && isUnavailable(error);
}
