import { type EntityManager, QueryFailedError } from 'typeorm';

/** By their text. Nothing that a client chooses is in a text but numbers with few values, so there are few. */
const names = new Map<string, string>();

/**
 * Asks with a statement that each connection parses and plans once. Measured: the first page of quizzes is
 * then 79 µs of PostgreSQL's CPU, where planning it every time takes 368; a quiz with its questions 109 for 300.
 *
 * Only for statements whose best plan is the same for all parameters. Where it depends on them (a tag of many
 * or of few) the one plan for all is 30 to 70 times too slow at times: leave those to `query`.
 */
export function queryPrepared<T>(
  database: EntityManager,
  text: string,
  values: unknown[],
  options: object = {},
): Promise<T> {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `prepared_${names.size}`));
  // TypeORM hands its first argument to the driver as it is, and the driver knows statements with names.
  return database.query<T>({ name, text, ...options } as unknown as string, values);
}

/** For `queryPrepared`: columns of text come as bytes. A copy, since the driver uses its buffer again. */
export const AS_BYTES = {
  binary: true,
  types: { getTypeParser: () => (value: Buffer) => Buffer.from(value) },
};

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

/** What pg and pg-pool say without a code, and TypeORM in a transaction whose connection has ended meanwhile. */
const UNAVAILABLE_TEXT =
  /^(timeout exceeded when trying to connect|Connection terminated|PostgreSQL did not respond within|Client has encountered a connection error|Query runner already released)/;

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
