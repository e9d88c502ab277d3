import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { ImportExportModule } from '../import-export/import-export.module';
import { configFromEnvironment } from '../platform/config/config';
import { createLogger } from '../platform/observability/logger';
import { PlatformModule, type PlatformParts } from '../platform/platform.module';
import { startContext } from '../platform/process/start-context';
import { WebhooksModule } from '../webhooks/webhooks.module';
import type { Output } from './output';

/** The services that quizctl calls: without controllers, and without a port. */
@Module({})
export class CliModule {
  static register(parts: PlatformParts): DynamicModule {
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
    const logger = createLogger('error', process.stderr);
    const { context, stop } = await startContext(
      configFromEnvironment(),
      logger,
      (parts) => CliModule.register(parts),
      {
        schema: 'require',
        // Interactive use: fail fast if the database is unreachable.
        patience: 3_000,
        onRetry: (reason) => output.note(`Waiting for the database: ${reason}`),
      },
    );
    try {
      await work(context);
    } finally {
      await stop();
    }
  });
}
