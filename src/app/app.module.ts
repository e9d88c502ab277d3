import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AccessModule } from '../access/access.module';
import { RateLimitGuard } from '../access/rate-limit/rate-limit.guard';
import { RateLimitModule } from '../access/rate-limit/rate-limit.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { CatalogModule } from '../catalog/catalog.module';
import { ContentChangesInterceptor } from '../catalog/read-cache.interceptor';
import { ImportExportModule } from '../import-export/import-export.module';
import { McpModule } from '../mcp/mcp.module';
import { MediaModule } from '../media/media.module';
import { LoadGuard } from '../platform/hardening/load';
import { TurnsInterceptor } from '../platform/hardening/turns.interceptor';
import { IgnoredParametersInterceptor } from '../platform/http/request/ignored-parameters.interceptor';
import { RequestValidationPipe } from '../platform/http/request/validation.pipe';
import { ErrorFilter } from '../platform/http/server/error-filter';
import { UnknownRouteModule } from '../platform/http/server/unknown-route.module';
import { OpenApiModule } from '../platform/openapi/document/openapi.module';
import { PlatformModule, type PlatformParts } from '../platform/platform.module';
import { PlayModule } from '../play/play.module';
import { WebModule } from '../web/web.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { HealthModule } from './health.module';
import { MeModule } from './me.module';
import { QuestionChangesModule } from './question-changes.module';

/**
 * What every request passes, in this order (ADR 0005). The guards and interceptors of an endpoint run after these of their
 * kind.
 */
const GLOBALS: Provider[] = [
  // `useExisting`: PagesMiddleware calls the same instance, and what it needs is in RateLimitModule.
  { provide: APP_GUARD, useExisting: RateLimitGuard },
  // After the rate limit: its refusals are counted.
  { provide: APP_GUARD, useClass: LoadGuard },
  { provide: APP_INTERCEPTOR, useClass: TurnsInterceptor },
  { provide: APP_INTERCEPTOR, useClass: ContentChangesInterceptor },
  { provide: APP_INTERCEPTOR, useClass: IgnoredParametersInterceptor },
  { provide: APP_PIPE, useClass: RequestValidationPipe },
  { provide: APP_FILTER, useExisting: ErrorFilter },
];

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
        MediaModule,
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
      providers: GLOBALS,
    };
  }
}
