import { QueryFailedError } from 'typeorm';

/** PostgreSQL's code for a statement that was stopped. */
const QUERY_CANCELED = '57014';

/** Whether PostgreSQL stopped at the time that a statement may take: a wide search, or a long wait for a lock. */
export function isTimeOut(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  return (error.driverError as { code?: string }).code === QUERY_CANCELED;
}
