import type { INestApplication, Type } from '@nestjs/common';
import * as swagger from '@nestjs/swagger';
import { complete, type DocumentOptions } from '../../src/platform/openapi/complete';
import { RELATIVE } from '../../src/platform/openapi/document/api-document';
import { describeAll } from '../../src/platform/openapi/fields';
import type { OpenApiDocument } from '../../src/platform/openapi/openapi-objects';

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

/** Generates the OpenAPI document from the code, and what the code of the service does not have from `readMetadata`. */
export async function generateDocument(
  app: INestApplication,
  readMetadata: () => Promise<object>,
  options: DocumentOptions,
): Promise<OpenApiDocument> {
  const metadata = (await readMetadata()) as SourceMetadata;
  const returns = byHandler(metadata.returns);
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
  // In the order of the base.
  return { ...base, ...complete(made as unknown as OpenApiDocument, options, returns) };
}

/** A handler is an operation of the document. @throws Error if two classes have one of the same name */
function byHandler(returns: SourceMetadata['returns']): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, handlers] of Object.entries(returns))
    for (const [handler, description] of Object.entries(handlers)) {
      if (Object.hasOwn(found, handler))
        throw new Error(`${name} is the second controller with a handler ${handler}: rename one.`);
      found[handler] = description;
    }
  return found;
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
