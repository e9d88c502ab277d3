import { type DynamicModule, Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { RateLimitModule } from '../access/rate-limit/rate-limit.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { CatalogModule } from '../catalog/catalog.module';
import { ImportExportModule } from '../import-export/import-export.module';
import { McpModule } from '../mcp/mcp.module';
import { UnknownRouteModule } from '../platform/http/server/unknown-route.module';
import { OpenApiModule } from '../platform/openapi/document/openapi.module';
import { PlatformModule, type PlatformParts } from '../platform/platform.module';
import { PlayModule } from '../play/play.module';
import { WebModule } from '../web/web.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { HealthModule } from './health.module';
import { MeModule } from './me.module';
import { QuestionChangesModule } from './question-changes.module';

/** The API process. */
@Module({})
export class AppModule {
  static register(parts: PlatformParts): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.register(parts),
        RateLimitModule,
        AccessModule,
        CatalogModule,
        MeModule,
        AuthoringModule,
        QuestionChangesModule,
        ImportExportModule,
        PlayModule,
        WebhooksModule,
        McpModule,
        WebModule,
        HealthModule,
        OpenApiModule,
        UnknownRouteModule,
      ],
    };
  }
}
