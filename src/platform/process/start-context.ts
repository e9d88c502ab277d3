import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '../config/config';
import { type OpenDatabase, openDatabase, type Opening } from '../database/open-database';
import { type Logger, NestLogger } from '../observability/logger';
import type { PlatformParts } from '../platform.module';
import { stopAfterFailure } from './failed-start';

/** Opens the database, then starts an application that has no port for clients. */
export async function startContext(
  config: Config,
  logger: Logger,
  register: (parts: PlatformParts) => DynamicModule | Promise<DynamicModule>,
  opening: Opening = {},
): Promise<{
  context: INestApplicationContext;
  database: OpenDatabase;
  stop: () => Promise<void>;
}> {
  const database = await openDatabase(config, {
    onRetry: (reason) => logger.warn(`waiting for the database: ${reason}`),
    ...opening,
  });
  try {
    const context = await NestFactory.createApplicationContext(
      await register({ config, logger, databaseUrl: database.url }),
      { logger: new NestLogger(logger), abortOnError: false },
    );
    const stop = async () => {
      try {
        await context.close();
      } finally {
        await database.close();
      }
    };
    return { context, database, stop };
  } catch (error) {
    await stopAfterFailure(() => database.close(), logger);
    throw error;
  }
}
