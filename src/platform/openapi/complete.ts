import { takeHeaders } from './endpoint';
import { addFailure, INVALID_BODY, INVALID_PARAMETER, type Failure } from './failures';
import type {
  HeaderObject,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  Reference,
  ResponseObject,
  Schema,
  MediaObject,
} from './openapi-objects';

/** What a group of endpoints has in common: response headers and failures. */
interface CommonResponses {
  headers: Record<string, HeaderObject>;
  failures: Failure[];
}

/** Everything in the document except the endpoints. */
export interface DocumentOptions {
  info: object;
  tags: { name: string; description: string }[];
  securitySchemes: Record<string, object>;
  schemas: Record<string, Schema>;
  /** For every endpoint under /api/v1. */
  everywhere: CommonResponses;
  /** For all other endpoints, such as those for load balancers. */
  outside: CommonResponses;
  /** For every GET under /api/v1 whose responses have an ETag. */
  conditional: { parameter: ParameterObject; responses: Record<string, ResponseObject> };
  webhooks: OpenApiDocument['webhooks'];
}

type Responses = Record<string, ResponseObject>;

/**
 * Completes the document that @nestjs/swagger generates from the decorators: adds what applies to all endpoints, and
 * moves what several responses share to `components`.
 */
export function complete(made: OpenApiDocument, options: DocumentOptions): OpenApiDocument {
  const document = simplified(made) as OpenApiDocument;
  const { components, webhooks } = document;
  const shared = { responses: {}, headers: {} };
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const isApi = path.startsWith('/api/');
      addHeaders(operation);
      if (isApi && method === 'get') addConditions(operation, options.conditional);
      addCommonResponses(operation, isApi ? options.everywhere : options.outside);
      if (method === 'patch') makePatch(operation, components.schemas);
      addExamples(operation.requestBody?.content, components.schemas);
      for (const [status, response] of Object.entries(operation.responses as Responses)) {
        addExamples(response.content, components.schemas);
        operation.responses[status] = once(response, Number(status), shared);
      }
      if (operation.parameters?.length === 0) delete operation.parameters;
      operations[method] = { ...operation, security: operation.security ?? [] };
    }
  for (const { post } of Object.values(webhooks))
    addExamples(post.requestBody?.content, components.schemas);
  Object.assign(components, shared);
  return document;
}

function addHeaders(operation: OperationObject): void {
  const headers = takeHeaders(operation);
  for (const [status, response] of Object.entries(operation.responses as Responses))
    if (Number(status) < 300) response.headers = headers;
}

/** The body of a PATCH has any of its fields, and no defaults: what is missing stays. */
function makePatch({ requestBody }: OperationObject, schemas: Record<string, Schema>): void {
  const name = requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1) ?? '';
  const schema = schemas[name];
  if (!schema) return;
  delete schema.required;
  schema.minProperties = 1;
  for (const field of Object.values(schema.properties ?? {})) delete field.default;
}

function addConditions(operation: OperationObject, added: DocumentOptions['conditional']): void {
  const { 200: ok } = operation.responses as Responses;
  // A file is generated while it is sent, so it has no ETag.
  const name = ok?.headers?.['Content-Disposition'];
  if (!ok || (name && 'required' in name)) return;
  operation.parameters = [...(operation.parameters ?? []), added.parameter];
  ok.headers = { ...added.responses['304']?.headers, ...ok.headers };
  Object.assign(operation.responses, added.responses);
}

function addCommonResponses(operation: OperationObject, common: CommonResponses): void {
  const responses = operation.responses as Responses;
  const hasQuery = operation.parameters?.some(({ in: place }) => place === 'query');
  const hasJson = operation.requestBody?.content['application/json']?.schema.$ref;
  for (const failure of [
    ...(hasQuery ? [INVALID_PARAMETER] : []),
    ...(hasJson ? [INVALID_BODY] : []),
    ...common.failures,
  ])
    addFailure(responses, failure);
  for (const response of Object.values(responses))
    response.headers = { ...common.headers, ...response.headers };
}

type Components = Record<'responses' | 'headers', Record<string, object>>;

/** Moves errors and headers to `components`, unless the same name means something else here. */
function once(
  response: ResponseObject,
  status: number,
  shared: Components,
): ResponseObject | Reference {
  const headers = Object.entries(response.headers ?? {}).map(([name, header]) => [
    name,
    referTo('headers', name, header, shared),
  ]);
  const made = { ...response, headers: Object.fromEntries(headers) as ResponseObject['headers'] };
  if (status < 400) return made;
  const { examples = {} } = response.content?.['application/json'] ?? {};
  const titles = Object.values(examples).map(({ summary }) => summary);
  const error = { ...made, description: `${titles.join('; ')}.` };
  return referTo('responses', Object.keys(examples).join('-or-'), error, shared);
}

function referTo<T extends object>(
  kind: keyof Components,
  name: string,
  value: T,
  shared: Components,
): T | Reference {
  const known = (shared[kind][name] ??= value);
  return JSON.stringify(known) === JSON.stringify(value)
    ? { $ref: `#/components/${kind}/${name}` }
    : value;
}

/** Removes what @nestjs/swagger writes for OpenAPI 3.0: `allOf` around a reference, examples beside a schema. */
function simplified(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplified);
  if (typeof value !== 'object' || value === null) return value;
  const { allOf, examples, ...rest } = Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, simplified(child)]),
  ) as { allOf?: object[]; examples?: unknown; in?: string; explode?: boolean; schema?: Schema };
  if (allOf) return { ...rest, ...allOf[0] };
  const named = examples === undefined ? {} : { examples };
  if (rest.in === undefined) return { ...rest, ...named };
  // Lists are separated by commas (`tags=a,b`), unless a comma is part of an item.
  const style =
    rest.schema?.type === 'array' ? { style: 'form', explode: rest.explode ?? false } : {};
  return { ...rest, ...style, schema: { ...rest.schema, ...named } };
}

/** Gives the bodies of requests and responses an example each, built from the examples of their fields. */
function addExamples(
  content: Record<string, MediaObject> | undefined,
  schemas: OpenApiDocument['components']['schemas'],
): void {
  const media = content?.['application/json'];
  if (!media || media.example !== undefined) return;
  const example = (schema: Schema) => exampleOf(schema, schemas);
  const { schema, examples } = media;
  // A schema without fields has no example.
  if (!examples && (schema.$ref || Object.keys(schema.properties ?? {}).length > 0))
    media.example = example(schema);
  for (const [at, kind] of Object.values(examples ?? {}).entries())
    if (schema.anyOf?.[at]) kind.value = example(schema.anyOf[at]);
}

/** A value that the schema accepts. An optional field without an example is left out. */
function exampleOf(schema: Schema, schemas: Record<string, Schema>): unknown {
  const { $ref, examples, const: constant, enum: [first] = [], items, properties = {} } = schema;
  if (examples) return examples[0];
  if ($ref) return exampleOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas);
  if (constant !== undefined) return constant;
  if (first !== undefined) return first;
  if (items) return [exampleOf(items, schemas)];
  const [part] = schema.anyOf ?? [];
  if (part) return exampleOf(part, schemas);
  const shown = Object.entries(properties).filter(
    ([name, field]) => field.examples || schema.required?.includes(name),
  );
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, schemas)]));
}
