import { Controller, Get, Header, Headers } from '@nestjs/common';
import { JsonOnly } from '../../http/request/json-only.guard';
import type { ConstantText } from '../../http/server/text-response';
import { Endpoints, SendsFile } from '../endpoint';
import { ApiDocument } from './api-document';

/** It changes only with the service's version. */
const OPEN = 'public, max-age=60';

/** The OpenAPI document: needs no key, and is counted by the rate limit like all of /api/v1. */
@Endpoints('Discovery')
@Controller()
export class OpenApiController {
  constructor(private readonly api: ApiDocument) {}

  /**
   * Get the OpenAPI document as JSON
   * @remarks An OpenAPI 3.1 document, for code generators and API clients. It is the same for every caller.
   * @returns The document.
   */
  @SendsFile({ 'application/json': { type: 'object' } })
  @JsonOnly()
  @Header('Cache-Control', OPEN)
  @Get('openapi.json')
  getOpenApiJson(@Headers('host') host?: string): ConstantText {
    return this.api.json(host);
  }

  /**
   * Get the OpenAPI document as YAML
   * @remarks An OpenAPI 3.1 document, for code generators and API clients. It is the same for every caller.
   * @returns The document.
   */
  @SendsFile({ 'application/yaml': { type: 'string' } })
  @Header('Cache-Control', OPEN)
  @Get('openapi.yaml')
  getOpenApiYaml(@Headers('host') host?: string): ConstantText {
    return this.api.yaml(host);
  }
}
