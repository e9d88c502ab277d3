import { Controller, Get, Header, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { JsonAnswerGuard } from '../http/server/json-response.guard';
import { JSON_TYPE } from '../http/request/json-text';
import { answerText } from '../http/server/text-response';
import { ApiDocument } from './api-document';
import { Documented, type Operation } from './operation';

const DESCRIPTION =
  'An OpenAPI 3.1 document, for code generators and API clients. It is the same for every caller.';

const AS_JSON: Operation = {
  id: 'getOpenApiJson',
  tag: 'Discovery',
  summary: 'Get the OpenAPI document as JSON',
  description: DESCRIPTION,
  answer: {
    description: 'The document.',
    schema: { type: 'object' },
  },
};

const AS_YAML: Operation = {
  id: 'getOpenApiYaml',
  tag: 'Discovery',
  summary: 'Get the OpenAPI document as YAML',
  description: DESCRIPTION,
  answer: { description: 'The document.', type: 'application/yaml', schema: { type: 'string' } },
};

/** It changes with the service's version only. */
const OPEN = 'public, max-age=60';

/** The OpenAPI document: open to everybody, and counted by the rate limit as all of /api/v1. */
@Controller()
export class OpenApiController {
  constructor(private readonly api: ApiDocument) {}

  @Header('Cache-Control', OPEN)
  @Documented(AS_JSON)
  @UseGuards(JsonAnswerGuard)
  @Get('openapi.json')
  json(@Res() response: Response): Promise<void> {
    return answerText(response, JSON_TYPE, this.api.json);
  }

  @Header('Cache-Control', OPEN)
  @Documented(AS_YAML)
  @Get('openapi.yaml')
  yaml(@Res() response: Response): Promise<void> {
    return answerText(response, 'application/yaml; charset=utf-8', this.api.yaml);
  }
}
