import { Controller, Get, Header, Res } from '@nestjs/common';
import type { Response } from 'express';
import { JsonOnly } from '../http/server/json-response.guard';
import { JSON_TYPE, answerText } from '../http/server/text-response';
import { ApiDocument } from './api-document';
import { Endpoint, SendsFile } from './endpoint';

const DESCRIPTION =
  'An OpenAPI 3.1 document, for code generators and API clients. It is the same for every caller.';

/** It changes with the service's version only. */
const OPEN = 'public, max-age=60';

/** The OpenAPI document: open to everybody, and counted by the rate limit as all of /api/v1. */
@Controller()
export class OpenApiController {
  constructor(private readonly api: ApiDocument) {}

  @Endpoint('Discovery', 'getOpenApiJson', 'Get the OpenAPI document as JSON', DESCRIPTION)
  @SendsFile('The document.', { 'application/json': { type: 'object' } })
  @JsonOnly()
  @Header('Cache-Control', OPEN)
  @Get('openapi.json')
  json(@Res() response: Response): Promise<void> {
    return answerText(response, JSON_TYPE, this.api.json);
  }

  @Endpoint('Discovery', 'getOpenApiYaml', 'Get the OpenAPI document as YAML', DESCRIPTION)
  @SendsFile('The document.', { 'application/yaml': { type: 'string' } })
  @Header('Cache-Control', OPEN)
  @Get('openapi.yaml')
  yaml(@Res() response: Response): Promise<void> {
    return answerText(response, 'application/yaml; charset=utf-8', this.api.yaml);
  }
}
