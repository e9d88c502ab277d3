import { Module, type DynamicModule } from '@nestjs/common';
import { AccessModule, RateLimitModule } from '../access/access.module';
import { API_DESCRIPTION } from './api-description';
import { AuthoringModule } from '../authoring/authoring.module';
import { CatalogModule } from '../catalog/catalog.module';
import { WebModule } from '../web/web.module';
import { ImportExportModule } from '../import-export/import-export.module';
import { HealthModule } from './health.module';
import type { Config } from '../platform/config/config';
import { UnknownRouteController } from '../platform/http/server/unknown-route.controller';
import type { Logger } from '../platform/observability/logger';
import { OpenApiModule } from '../platform/openapi/openapi.module';
import { PlatformModule } from '../platform/platform.module';
import { PlayModule } from '../play/play.module';

/** Holds the catch-all route, and so must come last. */
@Module({ controllers: [UnknownRouteController] })
class UnknownRouteModule {}

/** The API process. */
@Module({})
export class AppModule {
  static register(parts: { config: Config; logger: Logger; databaseUrl: string }): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.register(parts),
        RateLimitModule,
        AccessModule,
        CatalogModule,
        AuthoringModule,
        ImportExportModule,
        PlayModule,
        WebModule,
        HealthModule,
        OpenApiModule.register(API_DESCRIPTION),
        UnknownRouteModule,
      ],
    };
  }
}
