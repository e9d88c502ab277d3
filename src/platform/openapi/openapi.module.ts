import { Controller, Get, Header, Module, Res, type DynamicModule } from '@nestjs/common';
import type { Response } from 'express';
import { JsonOnly } from '../http/server/json-response.guard';
import { answerText, ConstantText, JSON_TYPE } from '../http/server/text-response';
import { ApiDocument, DOCUMENT_OPTIONS } from './api-document';
import type { DocumentOptions } from './complete';
import { Endpoint, SendsFile } from './endpoint';

const DESCRIPTION =
  'An OpenAPI 3.1 document, for code generators and API clients. It is the same for every caller.';

/** It changes only with the service's version. */
const OPEN = 'public, max-age=60';

/** The OpenAPI document: needs no key, and is counted by the rate limit like all of /api/v1. */
@Controller()
class OpenApiController {
  private jsonText?: ConstantText;
  private yamlText?: ConstantText;

  constructor(private readonly api: ApiDocument) {}

  @Endpoint('Discovery', 'getOpenApiJson', 'Get the OpenAPI document as JSON', DESCRIPTION)
  @SendsFile('The document.', { 'application/json': { type: 'object' } })
  @JsonOnly()
  @Header('Cache-Control', OPEN)
  @Get('openapi.json')
  json(@Res() response: Response): Promise<void> {
    this.jsonText ??= new ConstantText(JSON_TYPE, this.api.json);
    return answerText(response, JSON_TYPE, this.jsonText);
  }

  @Endpoint('Discovery', 'getOpenApiYaml', 'Get the OpenAPI document as YAML', DESCRIPTION)
  @SendsFile('The document.', { 'application/yaml': { type: 'string' } })
  @Header('Cache-Control', OPEN)
  @Get('openapi.yaml')
  yaml(@Res() response: Response): Promise<void> {
    this.yamlText ??= new ConstantText('application/yaml; charset=utf-8', this.api.yaml);
    return answerText(response, this.yamlText.type, this.yamlText);
  }
}

/** The OpenAPI document, for clients and for the pages of the reference. */
@Module({})
export class OpenApiModule {
  static register(options: DocumentOptions): DynamicModule {
    return {
      module: OpenApiModule,
      global: true,
      controllers: [OpenApiController],
      providers: [ApiDocument, { provide: DOCUMENT_OPTIONS, useValue: options }],
      exports: [ApiDocument],
    };
  }
}
