import { hasEmbeddedData } from '#embedded-postgres';
import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccessModule } from '../access/access.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { ImportExportModule } from '../import-export/import-export.module';
import type { Config } from '../platform/config/config';
import { configFromEnvironment } from '../platform/config/environment';
import { openDatabase } from '../platform/database/open-database';
import { DatabaseUnreachable } from '../platform/database/reach';
import { createLogger, NestLogger, type Logger } from '../platform/observability/logger';
import { PlatformModule } from '../platform/platform.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { noDatabase } from './doctor/examine';
import type { Output } from './output';

/** The services that quizctl calls: without controllers, and without a port. */
@Module({})
export class CliModule {
  static register(parts: { config: Config; logger: Logger; databaseUrl: string }): DynamicModule {
    return {
      module: CliModule,
      imports: [
        PlatformModule.register(parts),
        AccessModule,
        AuthoringModule,
        ImportExportModule,
        WebhooksModule,
      ],
    };
  }
}

/**
 * Runs one command on the services of the modules. The database may be in use by a running service; if nothing runs,
 * an embedded database is started for the duration of the command.
 */
export async function withServices(
  output: Output,
  work: (services: INestApplicationContext) => Promise<void>,
): Promise<void> {
  await output.attempt(async () => {
    const config = configFromEnvironment();
    const logger = createLogger('error', process.stderr);
    if (!config.databaseUrl && !(await hasEmbeddedData(config.dataDir)))
      throw new DatabaseUnreachable(noDatabase(config.dataDir));
    const database = await openDatabase(config, {
      migrates: false,
      // Interactive use: fail fast if the database is unreachable.
      patience: 3_000,
      onRetry: (reason) => output.note(`Waiting for the database: ${reason}`),
    });
    try {
      const services = await NestFactory.createApplicationContext(
        CliModule.register({ config, logger, databaseUrl: database.url }),
        { logger: new NestLogger(logger), abortOnError: false },
      );
      try {
        await work(services);
      } finally {
        await services.close();
      }
    } finally {
      await database.close();
    }
  });
}
