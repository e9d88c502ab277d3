import { Inject, Injectable, type INestApplication } from '@nestjs/common';
import { stringify } from 'yaml';
import { complete, type DocumentOptions } from './complete';
import type { OpenApiDocument } from './openapi-objects';
import { loadSwagger } from './swagger';

/** Injection token for the parts of the document other than its endpoints. */
export const DOCUMENT_OPTIONS = Symbol('DOCUMENT_OPTIONS');

/** The OpenAPI document of the running application, generated from its controllers on first use. */
@Injectable()
export class ApiDocument {
  /** Set when the application is configured. */
  app?: INestApplication;
  private made?: OpenApiDocument;

  constructor(@Inject(DOCUMENT_OPTIONS) private readonly options: DocumentOptions) {}

  get document(): OpenApiDocument {
    return (this.made ??= this.make());
  }

  get json(): string {
    return `${JSON.stringify(this.document, null, 2)}\n`;
  }

  /** Without anchors, which some tools cannot read; long lines are not wrapped, so that diffs are readable. */
  get yaml(): string {
    return stringify(this.document, { aliasDuplicateObjects: false, lineWidth: 0 });
  }

  private make(): OpenApiDocument {
    if (!this.app) throw new Error('ApiDocument.app is not set');
    const { info, tags, schemas, securitySchemes, webhooks } = this.options;
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
    return { ...base, ...complete(made as OpenApiDocument, this.options) };
  }
}
