import { STATUS_CODES } from 'node:http';
import { takeHeaders } from './endpoint';
import { addFailure, type Failure, INVALID_BODY, INVALID_PARAMETER } from './failures';
import { header } from './fields';
import type {
  HeaderObject,
  MediaObject,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  Reference,
  ResponseObject,
  Schema,
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
  /** Responses to requests that are refused before they are read, and to those of them that have a body. */
  unread: Record<'any' | 'withBody', CommonResponses>;
  /** For every GET under /api/v1 whose responses have an ETag. */
  conditional: { parameter: ParameterObject; responses: Record<string, ResponseObject> };
  webhooks: OpenApiDocument['webhooks'];
}

type Responses = Record<string, ResponseObject>;

/**
 * Completes the document that @nestjs/swagger generates: adds what applies to all endpoints, and moves what several
 * responses share to `components`.
 * @param returns the descriptions of successful responses, by operation
 */
export function complete(
  made: OpenApiDocument,
  options: DocumentOptions,
  returns: Record<string, string>,
): OpenApiDocument {
  const document = simplified(made) as OpenApiDocument;
  const { components, webhooks } = document;
  const shared = { responses: {}, headers: {}, examples: {} };
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const isApi = path.startsWith('/api/');
      describeSuccess(operation, returns[operation.operationId] ?? '');
      addHeaders(operation);
      if (isApi && method === 'get') addConditions(operation, options.conditional);
      const common = isApi ? options.everywhere : options.outside;
      addCommonResponses(operation, common);
      addUnread(operation, options.unread);
      if (method === 'patch') makePatch(operation, components.schemas);
      addExamples(operation.requestBody?.content, components.schemas);
      for (const [status, response] of Object.entries(operation.responses as Responses)) {
        addExamples(response.content, components.schemas);
        operation.responses[status] = once(response, Number(status), shared, common);
      }
      if (operation.parameters?.length === 0) delete operation.parameters;
      operations[method] = { ...operation, security: operation.security ?? [] };
    }
  for (const { post } of Object.values(webhooks))
    addExamples(post.requestBody?.content, components.schemas);
  for (const schema of Object.values(components.schemas)) describeDefaults(schema);
  Object.assign(components, shared);
  return document;
}

function describeSuccess({ responses }: OperationObject, description: string): void {
  const found = Object.entries(responses as Responses).find(([, it]) => !it.description);
  if (!found) return;
  const [status, response] = found;
  responses[status] = { ...response, description };
  const { properties } = response.content?.['application/json']?.schema ?? {};
  if (properties?.data?.type === 'array') properties.data = { ...properties.data, description };
}

function addHeaders(operation: OperationObject): void {
  const headers = takeHeaders(operation);
  for (const [status, response] of Object.entries(operation.responses as Responses))
    if (Number(status) < 300) response.headers = { ...headers, ...response.headers };
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

/**
 * Says the defaults of a body's fields in words. Generated types take `default` to mean that the field is always there,
 * and then require it in requests too.
 */
function describeDefaults({ properties = {} }: Schema): void {
  for (const field of Object.values(properties)) {
    if (field.default === undefined) continue;
    const description = field.description?.replace(/\.?$/, '.') ?? '';
    if (field.default !== null)
      field.description = `${description} Default: \`${JSON.stringify(field.default)}\`.`;
    delete field.default;
  }
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
  // What an endpoint says of its own failures: its Retry-After may be longer than that of the rate limit.
  const own = new Map(Object.entries(responses).map(([status, { headers }]) => [status, headers]));
  for (const failure of [
    ...(hasQuery ? [INVALID_PARAMETER] : []),
    ...(hasJson ? [INVALID_BODY] : []),
    ...common.failures,
  ])
    addFailure(responses, failure);
  for (const [status, response] of Object.entries(responses))
    response.headers = { ...common.headers, ...response.headers, ...own.get(status) };
}

/** Errors that the service answers with before it reads a request. */
function addUnread(operation: OperationObject, { any, withBody }: DocumentOptions['unread']): void {
  const responses = operation.responses as Responses;
  for (const { headers, failures } of operation.requestBody ? [any, withBody] : [any])
    for (const failure of failures)
      addFailure(responses, { ...failure, headers: { ...headers, ...failure.headers } });
}

type Components = Record<'responses' | 'headers' | 'examples', Record<string, object>>;

/**
 * Moves headers, examples and errors to `components`, unless the same name means something else here. Errors with several
 * causes stay at their operation, unless all operations have them: generated code is named after components, and names
 * made of several causes have 60 letters.
 */
function once(
  response: ResponseObject,
  status: number,
  shared: Components,
  common: CommonResponses,
): ResponseObject | Reference {
  const headers = Object.entries(response.headers ?? {}).map(([name, header]) => [
    name,
    referTo('headers', name, header, shared),
  ]);
  const made = { ...response, headers: Object.fromEntries(headers) as ResponseObject['headers'] };
  if (status < 400) return made;
  const { examples = {}, ...media } = response.content?.['application/json'] ?? { schema: {} };
  const names = Object.keys(examples);
  const titles = Object.values(examples).map(({ summary }) => summary);
  const examplesOnce = Object.fromEntries(
    Object.entries(examples).map(([name, example]) => [
      name,
      referTo('examples', name, example, shared),
    ]),
  ) as typeof examples;
  const error: ResponseObject = {
    description: `${titles.join('; ')}.`,
    headers: { 'X-Error-Code': errorCode(names), ...made.headers },
    content: { 'application/json': { ...media, examples: examplesOnce } },
  };
  const everywhere = common.failures.filter((it) => it.status === status).map(({ name }) => name);
  const isCommon = names.length === everywhere.length;
  if (names.length > 1 && !isCommon) return error;
  const name = names.length === 1 ? names[0] : STATUS_CODES[status]?.toLowerCase();
  return referTo('responses', name?.replaceAll(' ', '-') ?? '', error, shared);
}

const errorCode = (names: string[]) =>
  header('The name of the cause, for programs: it stays the same when the message changes.', {
    type: 'string',
    enum: names,
  });

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
  ) as { allOf?: object[]; examples?: unknown; in?: string; schema?: Schema };
  if (allOf) return { ...rest, ...allOf[0] };
  const named = examples === undefined ? {} : { examples };
  if (rest.in === undefined) return { ...rest, ...named };
  // Lists are separated by commas (`tags=a,b`), unless a comma is part of an item.
  const style = rest.schema?.type === 'array' ? { style: 'form', explode: false } : {};
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
