import { hostname } from 'node:os';
import { types } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type Logger } from 'pino';
import pretty from 'pino-pretty';
import { VERSION } from '../config/config';
import { StartupError } from '../errors/domain-errors';
import { LIMITS } from '../limits/limits';

export type { Logger };

/**
 * JSON lines, or coloured ones on a terminal.
 * @param processName `api` or `worker`: each line then has its process, pid, host and version, so that lines of
 * many processes can be told apart in one store
 */
export function createLogger(
  level: string,
  stream: DestinationStream & { isTTY?: boolean } = process.stdout,
  processName?: string,
): Logger {
  const options = {
    level,
    base: processName
      ? { process: processName, pid: process.pid, host: hostname(), version: VERSION }
      : undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => errorForLog(error) },
  };
  if (!stream.isTTY) return pino(options, stream);
  return pino(
    options,
    pretty({
      colorize: true,
      translateTime: 'SYS:HH:MM:ss',
      ignore: 'process,pid,host,version',
      singleLine: true,
    }),
  );
}

/** The message of the line that each request gets. */
export const REQUEST = 'request';
const END_OF_REQUEST = `"msg":"${REQUEST}"}\n`;

/**
 * Where a process writes its lines. Outside of a terminal those of requests are written together: at 4 KiB, after a
 * tenth of a second, before any other line, or when the process ends. A write for each took a twentieth of a read's CPU.
 */
export function logOutput(): DestinationStream & { isTTY?: boolean } {
  if (process.stdout.isTTY) return process.stdout;
  const output = pino.destination({
    fd: 1,
    sync: true,
    minLength: 4_096,
    maxLength: LIMITS.storage.waitingLog.value,
    periodicFlush: 100,
  });
  // A file whose disk is full must not end the process: what waits is written when there is room, up to a limit.
  output.on('error', () => undefined);
  // Not flushSync, which throws when nobody reads any more.
  process.on('exit', () => output.flush());
  return {
    write(line) {
      output.write(line);
      if (!line.endsWith(END_OF_REQUEST)) output.flush();
    },
  };
}

/**
 * What a log needs of an error. An allow-list: database errors carry the statement's parameters (titles, addresses,
 * hashes of keys) and the whole connection with its cancel key.
 * @param effects the errors that it caused: one of them may be its cause again
 */
export function errorForLog(error: unknown, effects: readonly unknown[] = []): object {
  if (!isError(error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code, constraint, query, errors } = error as Error & Record<string, unknown>;
  const chain = [...effects, error];
  // A prepared statement has both a text and a name.
  const statement = (query as { text?: unknown } | undefined)?.text ?? query;
  return {
    type: error.constructor.name || name,
    message,
    stack,
    ...(typeof code === 'string' && { code }),
    ...(typeof constraint === 'string' && { constraint }),
    ...(typeof statement === 'string' && { query: statement }),
    ...(isError(cause) && !chain.includes(cause) && { cause: errorForLog(cause, chain) }),
    ...(Array.isArray(errors) && { errors: errors.map(String) }),
  };
}

/** Recognises errors of other realms too: `instanceof` does not, and Jest runs tests in a realm of their own. */
const isError = (value: unknown): value is Error =>
  value instanceof Error || types.isNativeError(value);

/** Injection token of the process's logger. */
export const LOGGER = Symbol('LOGGER');

/** Routes Nest's log lines to our logger; those about its start have level debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown): void {
    this.logger.debug(String(message));
  }
  debug(message: unknown): void {
    this.logger.debug(String(message));
  }
  verbose(message: unknown): void {
    this.logger.debug(String(message));
  }
  warn(message: unknown): void {
    this.logger.warn(String(message));
  }
  error(message: unknown, stack?: unknown): void {
    // Nest logs what ends a start with its stack; the process prints its one sentence (process.ts).
    if (message instanceof StartupError) return;
    const error = message instanceof Error ? message : undefined;
    this.logger.error({ err: error, stack: error ? undefined : stack }, String(message));
  }
}
