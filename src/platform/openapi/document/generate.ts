import type { INestApplication, Type } from '@nestjs/common';
import * as swagger from '@nestjs/swagger';
import { complete, type DocumentOptions } from '../complete';
import { describeAll } from '../fields';
import type { OpenApiDocument } from '../openapi-objects';
import { RELATIVE } from './api-document';

type Models = [Promise<Record<string, Type>>, Record<string, Record<string, FieldMetadata>>][];

interface FieldMetadata {
  example?: unknown;
  examples?: unknown[];
}

/** What `npm run openapi` reads from types and JSDoc (scripts/openapi-metadata.mjs). */
interface SourceMetadata {
  '@nestjs/swagger': { models: Models; controllers: unknown[] };
  /** The `@returns` of each handler, by its class. */
  returns: Record<string, Record<string, string>>;
}

/**
 * Generates the OpenAPI document. Only `npm run openapi` and the test of the stored document do: the library is a
 * development dependency.
 */
export async function generateDocument(
  app: INestApplication,
  readMetadata: () => Promise<object>,
  options: DocumentOptions,
): Promise<OpenApiDocument> {
  const metadata = (await readMetadata()) as SourceMetadata;
  await describeFields(metadata['@nestjs/swagger'].models);
  const { controllers } = metadata['@nestjs/swagger'];
  const handlers = { '@nestjs/swagger': { models: [], controllers } };
  await swagger.SwaggerModule.loadPluginMetadata(() => Promise.resolve(handlers));
  describeAll(swagger);
  const { info, tags, schemas, securitySchemes, webhooks } = options;
  const base = {
    openapi: '3.1.1',
    info,
    servers: [{ url: RELATIVE, description: 'The service that you have this document from.' }],
    tags,
    paths: {},
    webhooks,
    components: { securitySchemes, schemas },
  };
  const made = swagger.SwaggerModule.createDocument(app, base as never, {
    onlyIncludeDecoratedEndpoints: true,
    autoTagControllers: false,
    operationIdFactory: (_, handler) => handler,
  });
  const returns = Object.assign({}, ...Object.values(metadata.returns)) as Record<string, string>;
  // In the order of the base.
  return { ...base, ...complete(made as unknown as OpenApiDocument, options, returns) };
}

/**
 * The types and comments of fields. SwaggerModule.loadPluginMetadata would add them after the decorators: these could
 * then replace nothing, and would decide the order of the fields.
 */
async function describeFields(models: Models): Promise<void> {
  for (const [file, classes] of models) {
    const module = await file;
    for (const [name, fields] of Object.entries(classes))
      for (const [field, description] of Object.entries(fields)) {
        const { example } = description;
        if (example !== undefined) description.examples = [example];
        delete description.example;
        swagger.ApiProperty(description)(module[name]?.prototype as object, field);
      }
  }
}
