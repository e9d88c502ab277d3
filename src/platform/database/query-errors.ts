import { QueryFailedError } from 'typeorm';

/** PostgreSQL's code for a statement that was stopped. */
const QUERY_CANCELED = '57014';
/** And for a transaction that was undone so that others could go on. */
const DEADLOCK_DETECTED = '40P01';

/** Whether PostgreSQL stopped at the time that a statement may take: a wide search, or a long wait for a lock. */
export const isTimeOut = (error: unknown): boolean => codeOf(error) === QUERY_CANCELED;

export const isDeadlock = (error: unknown): boolean => codeOf(error) === DEADLOCK_DETECTED;

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof QueryFailedError)) return undefined;
  return (error.driverError as { code?: string }).code;
}
