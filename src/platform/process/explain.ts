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
  // The start has reached the database (reach.ts); since then it has become too busy, was stopped or takes no writes. A
  // network error does not tell which server it is about.
  if (isUnavailable(error) || isTimeOut(error) || syscall === 'connect')
    return `A server cannot be used at the moment (${message || code}). Check that the database runs, takes writes and is not overloaded, and Redis if REDIS_URL is set, then try again.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
