import { Module, type DynamicModule } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { RateLimitModule } from '../access/rate-limit/rate-limit.module';
import { RedisCheck } from '../access/rate-limit/redis-throttler-storage';
import { AuthoringModule } from '../authoring/authoring.module';
import { CatalogModule } from '../catalog/catalog.module';
import { ImportExportModule } from '../import-export/import-export.module';
import { McpModule } from '../mcp/mcp.module';
import { DatabaseCheck, HealthController } from '../platform/health/readiness.service';
import { UnknownRouteController } from '../platform/errors/error-filter';
import { monitoring } from '../platform/observability/monitor-server';
import { OpenApiModule } from '../platform/openapi/api-document';
import { PlatformModule, type PlatformParts } from '../platform/platform.module';
import { PlayModule } from '../play/play.module';
import { WebModule } from '../web/web.module';
import { WorkersService } from '../webhooks/deliveries/workers.service';
import { WebhooksModule } from '../webhooks/webhooks.module';

/** The checks of `/health/ready`. They are listed here because they belong to several modules. */
@Module({
  imports: [RateLimitModule, WebhooksModule],
  controllers: [HealthController],
  providers: [DatabaseCheck, ...monitoring(DatabaseCheck, RedisCheck, WorkersService)],
})
class HealthModule {}

/** Has the catch-all route, so it must come last. */
@Module({ controllers: [UnknownRouteController] })
class UnknownRouteModule {}

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
        AuthoringModule,
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
