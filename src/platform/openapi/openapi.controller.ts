import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ApiDocument } from './api-document';
import { Documented, type Operation } from './operation';

const DESCRIPTION =
  'An OpenAPI 3.1 document, for code generators and API clients. It is the same for every caller.';

const AS_JSON: Operation = {
  id: 'getOpenApiJson',
  tag: 'Discovery',
  summary: 'This document, as JSON',
  description: DESCRIPTION,
  answer: {
    description: 'The document.',
    schema: { type: 'object' },
  },
};

const AS_YAML: Operation = {
  id: 'getOpenApiYaml',
  tag: 'Discovery',
  summary: 'This document, as YAML',
  description: DESCRIPTION,
  answer: { description: 'The document.', type: 'application/yaml', schema: { type: 'string' } },
};

/** The OpenAPI document: open to everybody, and counted by the rate limit as all of /api/v1. */
@Controller()
export class OpenApiController {
  constructor(private readonly api: ApiDocument) {}

  @Documented(AS_JSON)
  @Get('openapi.json')
  json(@Res() response: Response): void {
    response.type('json').send(this.api.json);
  }

  @Documented(AS_YAML)
  @Get('openapi.yaml')
  yaml(@Res() response: Response): void {
    response.type('application/yaml').send(this.api.yaml);
  }
}
