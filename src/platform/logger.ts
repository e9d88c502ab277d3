import type { LoggerService } from '@nestjs/common';
import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

/** JSON lines, or coloured ones on a terminal. */
export function createLogger(level: string, stream: NodeJS.WriteStream = process.stdout): Logger {
  const options = { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime };
  if (!stream.isTTY) return pino(options, stream);
  return pino(
    options,
    pretty({
      colorize: true,
      translateTime: 'SYS:HH:MM:ss',
      ignore: 'pid,hostname',
      singleLine: true,
    }),
  );
}

/** Injection token of the process's logger. */
export const LOGGER = Symbol('LOGGER');

/** Lets Nest speak through our logger; what Nest says of its own start is for debugging only. */
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
    const error = message instanceof Error ? message : undefined;
    this.logger.error({ err: error, stack: error ? undefined : stack }, String(message));
  }
}
