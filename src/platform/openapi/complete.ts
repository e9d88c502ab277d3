import { HEADER } from './endpoint';
import { addExamples } from './examples';
import { INVALID_BODY, INVALID_PARAMETER, withFailure, type Failure } from './failures';
import type {
  HeaderObject,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  Reference,
  ResponseObject,
  Schema,
} from './openapi-objects';

type Headers = Record<string, HeaderObject>;

/** What a group of endpoints has in common: response headers and failures. */
interface CommonResponses {
  headers: Headers;
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

/**
 * Completes the document that @nestjs/swagger generates from the decorators: adds what holds for all endpoints, and moves
 * what several responses share to `components`.
 */
export function complete(made: OpenApiDocument, about: DocumentOptions): OpenApiDocument {
  const document = simplified(made) as OpenApiDocument;
  const { components, webhooks } = document;
  const shared = { responses: {}, headers: {} };
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const isApi = path.startsWith('/api/');
      addHeaders(operation);
      if (isApi && method === 'get') addConditions(operation, about.conditional);
      addCommonResponses(operation, isApi ? about.everywhere : about.outside);
      addExamples(operation.requestBody?.content, components.schemas);
      for (const [status, response] of Object.entries(operation.responses)) {
        addExamples((response as ResponseObject).content, components.schemas);
        operation.responses[status] = once(response as ResponseObject, Number(status), shared);
      }
      operations[method] = inOrder(operation);
    }
  for (const { post } of Object.values(webhooks))
    addExamples(post.requestBody?.content, components.schemas);
  Object.assign(components, shared);
  return document;
}

function addConditions(
  operation: OperationObject,
  { parameter, responses: added }: DocumentOptions['conditional'],
): void {
  const { 200: ok } = operation.responses as Record<string, ResponseObject>;
  // A file is made while it is sent, and has no ETag.
  if (!ok || 'Content-Disposition' in (ok.headers ?? {})) return;
  operation.parameters = [...(operation.parameters ?? []), parameter];
  ok.headers = { ...added['304']?.headers, ...ok.headers };
  Object.assign(operation.responses, added);
}

function addHeaders(operation: OperationObject): void {
  const headers = Object.entries(operation)
    .filter(([name]) => name.startsWith(HEADER))
    .map(([name, header]) => [name.slice(HEADER.length), header as unknown]);
  for (const [status, response] of Object.entries(operation.responses) as [
    string,
    ResponseObject,
  ][])
    if (Number(status) < 300)
      response.headers = { ...(Object.fromEntries(headers) as Headers), ...response.headers };
}

function addCommonResponses(
  operation: OperationObject,
  { headers, failures }: CommonResponses,
): void {
  const responses = operation.responses as Record<string, ResponseObject>;
  const hasQuery = operation.parameters?.some(({ in: place }) => place === 'query');
  const hasJson = operation.requestBody?.content['application/json']?.schema.$ref;
  const all = [
    ...(hasQuery ? [INVALID_PARAMETER] : []),
    ...(hasJson ? [INVALID_BODY] : []),
    ...failures,
  ];
  operation.responses = all.reduce(withFailure, responses);
  for (const response of Object.values(operation.responses) as ResponseObject[])
    response.headers = { ...headers, ...response.headers };
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

/** In the order in which people read it. */
const inOrder = ({
  operationId,
  tags,
  summary,
  description,
  security = [],
  parameters,
  requestBody,
  responses,
}: OperationObject): OperationObject => ({
  operationId,
  tags,
  summary,
  ...(description !== undefined && { description }),
  security,
  ...(parameters?.length && { parameters }),
  ...(requestBody && { requestBody }),
  responses,
});

/** Removes what @nestjs/swagger writes for OpenAPI 3.0: `allOf` around a reference, examples beside a schema. */
function simplified(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplified);
  if (typeof value !== 'object' || value === null) return value;
  const { allOf, examples, ...rest } = Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, simplified(child)]),
  ) as { allOf?: object[]; examples?: unknown; in?: string; schema?: Schema };
  if (allOf) return { ...rest, ...allOf[0] };
  if (rest.in === undefined) return { ...rest, ...(examples !== undefined && { examples }) };
  const isList = rest.schema?.type === 'array';
  return {
    ...rest,
    // Lists are separated by commas: `tags=a,b`.
    ...(isList && { style: 'form', explode: false }),
    schema: { ...rest.schema, ...(examples !== undefined && { examples }) },
  };
}
