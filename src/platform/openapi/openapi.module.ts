import { Module, type DynamicModule } from '@nestjs/common';
import { ABOUT, ApiDocument } from './api-document';
import type { DocumentOptions } from './complete';
import { OpenApiController } from './openapi.controller';

/** The OpenAPI document, for clients and for the pages of the reference. */
@Module({})
export class OpenApiModule {
  static register(about: DocumentOptions): DynamicModule {
    return {
      module: OpenApiModule,
      global: true,
      controllers: [OpenApiController],
      providers: [ApiDocument, { provide: ABOUT, useValue: about }],
      exports: [ApiDocument],
    };
  }
}
