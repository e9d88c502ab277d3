import { type DynamicModule, Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { ImportExportModule } from '../import-export/import-export.module';
import { PlatformModule, type PlatformParts } from '../platform/platform.module';
import { SeedModule } from '../seed/seed.module';
import { WebhooksModule } from '../webhooks/webhooks.module';

/** The services that quizctl calls. An application context: controllers are created but not routed, and no port is opened. */
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
        SeedModule,
        WebhooksModule,
      ],
    };
  }
}
