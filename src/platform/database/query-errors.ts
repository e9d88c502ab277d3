import { QueryFailedError } from 'typeorm';

/** PostgreSQL's code for a statement that was stopped. */
const QUERY_CANCELED = '57014';
/** And for a transaction that was undone so that others could go on. */
const DEADLOCK_DETECTED = '40P01';

/**
 * PostgreSQL cannot be used for now: connection errors (class 08), no resources (53: too many connections, disk
 * full), shutting down or starting up (57P), read-only (25006: a demoted primary); and what Node's sockets say.
 */
const UNAVAILABLE =
  /^(08\w{3}|53\w{3}|57P\w{2}|25006|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** What pg and pg-pool say without a code. */
const UNAVAILABLE_TEXT =
  /^(timeout exceeded when trying to connect|Connection terminated|PostgreSQL did not respond within|Client has encountered a connection error)/;

/** What PostgreSQL says to a new connection where a database takes none. */
const NOT_ACCEPTING = '55000';

/** Whether PostgreSQL stopped at the time that a statement may take: a wide search, or a long wait for a lock. */
export const isTimeOut = (error: unknown): boolean => codeOf(error) === QUERY_CANCELED;

export const isDeadlock = (error: unknown): boolean => codeOf(error) === DEADLOCK_DETECTED;

/** Whether the database could not be reached, had no connection left in time, or takes no changes. */
export function isUnavailable(error: unknown): boolean {
  const cause = error instanceof QueryFailedError ? (error.driverError as Error) : error;
  if (!(cause instanceof Error)) return false;
  const { code } = cause as { code?: string };
  if (code === undefined) return UNAVAILABLE_TEXT.test(cause.message);
  return UNAVAILABLE.test(code) || (cause === error && code === NOT_ACCEPTING);
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof QueryFailedError)) return undefined;
  return (error.driverError as { code?: string }).code;
}
