import { Module, type DynamicModule } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { ImportExportModule } from '../import-export/import-export.module';
import type { Config } from '../platform/config/config';
import type { Logger } from '../platform/observability/logger';
import { PlatformModule } from '../platform/platform.module';
import { WebhooksModule } from '../webhooks/webhooks.module';

/** The services that quizctl calls: no controllers answer, no port is opened. */
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
