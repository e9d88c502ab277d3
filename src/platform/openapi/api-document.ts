import {
  Controller,
  Get,
  Global,
  Header,
  Injectable,
  Module,
  type INestApplication,
} from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { JsonOnly } from '../http/server/api-adapter';
import { ConstantText, JSON_TYPE } from '../http/server/text-response';
import { complete, type DocumentOptions } from './complete';
import { Endpoint, SendsFile } from './endpoint';
import type { OpenApiDocument } from './openapi-objects';
import { loadSwagger } from './fields';

/** The OpenAPI document of the running application, made on first use. */
@Injectable()
export class ApiDocument {
  private make?: () => OpenApiDocument;
  private made?: OpenApiDocument;
  private jsonText?: ConstantText;
  private yamlText?: ConstantText;

  /** Called when the application is configured. */
  describe(app: INestApplication, options: DocumentOptions): void {
    this.make = () => documentOf(app, options);
  }

  get document(): OpenApiDocument {
    if (!this.make) throw new Error('ApiDocument.describe was not called');
    return (this.made ??= this.make());
  }

  get json(): ConstantText {
    const text = () => `${JSON.stringify(this.document, null, 2)}\n`;
    return (this.jsonText ??= new ConstantText(JSON_TYPE, text()));
  }

  /** Without anchors, which some tools cannot read; long lines are not wrapped, so that diffs are readable. */
  get yaml(): ConstantText {
    const text = () => stringify(this.document, { aliasDuplicateObjects: false, lineWidth: 0 });
    return (this.yamlText ??= new ConstantText('application/yaml; charset=utf-8', text()));
  }
}

function documentOf(app: INestApplication, all: DocumentOptions): OpenApiDocument {
  const { info, tags, schemas, securitySchemes, webhooks } = all;
  const base = {
    openapi: '3.1.1',
    info,
    servers: [{ url: '/', description: 'The service that you have this document from.' }],
    tags,
    paths: {},
    webhooks,
    components: { securitySchemes, schemas },
  };
  const options = { onlyIncludeDecoratedEndpoints: true, autoTagControllers: false };
  const swagger = loadSwagger();
  if (!swagger) return storedDocument();
  const made = swagger.SwaggerModule.createDocument(app, base as never, options) as object;
  // In the order of the base.
  return { ...base, ...complete(made as OpenApiDocument, all) };
}

/** The document as `npm run openapi` stored it: production has not the library that generates it, which needs 44 MB. */
export const storedDocument = (): OpenApiDocument =>
  parse(readFileSync(join(__dirname, '../../../docs/openapi.yaml'), 'utf8')) as OpenApiDocument;

const DESCRIPTION =
  'An OpenAPI 3.1 document, for code generators and API clients. It is the same for every caller.';

/** It changes only with the service's version. */
const OPEN = 'public, max-age=60';

/** The OpenAPI document: needs no key, and is counted by the rate limit like all of /api/v1. */
@Controller()
class OpenApiController {
  constructor(private readonly api: ApiDocument) {}

  @Endpoint('Discovery', 'getOpenApiJson', 'Get the OpenAPI document as JSON', DESCRIPTION)
  @SendsFile('The document.', { 'application/json': { type: 'object' } })
  @JsonOnly()
  @Header('Cache-Control', OPEN)
  @Get('openapi.json')
  json(): ConstantText {
    return this.api.json;
  }

  @Endpoint('Discovery', 'getOpenApiYaml', 'Get the OpenAPI document as YAML', DESCRIPTION)
  @SendsFile('The document.', { 'application/yaml': { type: 'string' } })
  @Header('Cache-Control', OPEN)
  @Get('openapi.yaml')
  yaml(): ConstantText {
    return this.api.yaml;
  }
}

/** The OpenAPI document, for clients and for the pages of the reference. */
@Global()
@Module({ controllers: [OpenApiController], providers: [ApiDocument], exports: [ApiDocument] })
export class OpenApiModule {}
