import { Module } from '@nestjs/common';
import { ApiDocument } from './api-document';
import { OpenApiController } from './openapi.controller';

/** The OpenAPI document, for clients and for the pages of the reference. */
@Module({ controllers: [OpenApiController], providers: [ApiDocument], exports: [ApiDocument] })
export class OpenApiModule {}
