import { Inject, Injectable, type INestApplication } from '@nestjs/common';
import { stringify } from 'yaml';
import { complete, type DocumentOptions } from './complete';
import type { OpenApiDocument } from './openapi-objects';
import { loadSwagger } from './swagger';

/** Injection token of what the document says beside its endpoints. */
export const ABOUT = Symbol('ABOUT');

/** The OpenAPI document of the running application, made of its controllers when it is first asked for. */
@Injectable()
export class ApiDocument {
  /** Set when the application is configured. */
  app?: INestApplication;
  private made?: { document: OpenApiDocument; json: string; yaml: string };

  constructor(@Inject(ABOUT) private readonly about: DocumentOptions) {}

  get document(): OpenApiDocument {
    return this.read().document;
  }

  get json(): string {
    return this.read().json;
  }

  get yaml(): string {
    return this.read().yaml;
  }

  private read() {
    return (this.made ??= this.make());
  }

  private make() {
    if (!this.app) throw new Error('ApiDocument.app is not set');
    const { info, tags, schemas, securitySchemes, webhooks } = this.about;
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
    const { SwaggerModule } = loadSwagger();
    const made = SwaggerModule.createDocument(this.app, base as never, options) as object;
    // In the order of the base.
    const document = { ...base, ...complete(made as OpenApiDocument, this.about) };
    return {
      document,
      json: `${JSON.stringify(document, null, 2)}\n`,
      // Without anchors, which some tools cannot read; long lines stay whole, so that changes are seen by lines.
      yaml: stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }),
    };
  }
}
