import { Controller, Get, Header, Headers } from '@nestjs/common';
import { JsonOnly } from '../../http/request/json-only.guard';
import type { ConstantText } from '../../http/server/text-response';
import { Endpoint, SendsFile } from '../endpoint';
import { ApiDocument } from './api-document';

const DESCRIPTION =
  'An OpenAPI 3.1 document, for code generators and API clients. It is the same for every caller.';

/** It changes only with the service's version. */
const OPEN = 'public, max-age=60';

/** The OpenAPI document: needs no key, and is counted by the rate limit like all of /api/v1. */
@Controller()
export class OpenApiController {
  constructor(private readonly api: ApiDocument) {}

  @Endpoint('Discovery', 'getOpenApiJson', 'Get the OpenAPI document as JSON', DESCRIPTION)
  @SendsFile('The document.', { 'application/json': { type: 'object' } })
  @JsonOnly()
  @Header('Cache-Control', OPEN)
  @Get('openapi.json')
  json(@Headers('host') host?: string): ConstantText {
    return this.api.json(host);
  }

  @Endpoint('Discovery', 'getOpenApiYaml', 'Get the OpenAPI document as YAML', DESCRIPTION)
  @SendsFile('The document.', { 'application/yaml': { type: 'string' } })
  @Header('Cache-Control', OPEN)
  @Get('openapi.yaml')
  yaml(@Headers('host') host?: string): ConstantText {
    return this.api.yaml(host);
  }
}
