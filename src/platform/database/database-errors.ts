/**
 * What an error of the database means. TypeORM's errors are recognised by their fields and names, not by their classes:
 * processes that never load TypeORM (`npm start`, a supervisor of API processes) explain errors of the database, too.
 */

/** PostgreSQL's code for a cancelled statement. */
const QUERY_CANCELED = '57014';
/** Its code for a transaction that was aborted so that others could continue. */
const DEADLOCK_DETECTED = '40P01';

/**
 * PostgreSQL cannot be used at the moment: connection errors (class 08), no resources (53: too many connections, disk
 * full), shutting down or starting up (57P), read-only (25006: a demoted primary), a transaction that it ended because this
 * process was too busy to go on (25P03); and the errors of Node's sockets.
 */
const UNAVAILABLE =
  /^(08\w{3}|53\w{3}|57P\w{2}|25006|25P03|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** What pg and pg-pool report without a code. */
const UNAVAILABLE_TEXT =
  /^(timeout expired$|timeout exceeded when trying to connect|Connection terminated|PostgreSQL did not respond within|Client has encountered a connection error)/;

/** TypeORM's, in a transaction whose connection has ended: by a statement, and by a transaction within it. */
const CONNECTION_ENDED = [
  'QueryRunnerAlreadyReleasedError',
  'QueryRunnerProviderAlreadyReleasedError',
];

/** PostgreSQL's code for a new connection to a database that accepts none. */
const NOT_ACCEPTING = '55000';

/** Whether PostgreSQL cancelled it at the statement timeout: a wide search, or a long wait for a lock. */
export const isTimeOut = (error: unknown): boolean => codeOfStatement(error) === QUERY_CANCELED;

export const isDeadlock = (error: unknown): boolean => codeOfStatement(error) === DEADLOCK_DETECTED;

/** Whether the database was unreachable, had no free connection in time, or is read-only. */
export function isUnavailable(error: unknown): boolean {
  const cause = driverErrorOf(error) ?? error;
  if (!(cause instanceof Error)) return false;
  if (CONNECTION_ENDED.includes(cause.name)) return true;
  const { code, syscall } = cause as NodeJS.ErrnoException;
  if (code === undefined) return UNAVAILABLE_TEXT.test(cause.message);
  // A PostgreSQL that has stopped has removed its socket file.
  if (code === 'ENOENT' && syscall === 'connect') return true;
  return UNAVAILABLE.test(code) || (cause === error && code === NOT_ACCEPTING);
}

const codeOfStatement = (error: unknown): string | undefined =>
  (driverErrorOf(error) as { code?: string } | undefined)?.code;

/** The driver's error within TypeORM's `QueryFailedError`. */
const driverErrorOf = (error: unknown): unknown =>
  (error as { driverError?: unknown } | null | undefined)?.driverError;
