import { applyDecorators, RequestMethod, SetMetadata, type Type } from '@nestjs/common';
// Nest exports nothing that tells the method and the status of a handler, which @nestjs/swagger reads here, too.
import { HTTP_CODE_METADATA, METHOD_METADATA } from '@nestjs/common/constants';
import type { ApiQueryOptions } from '@nestjs/swagger';
import { Described, FIELD, header, object, refTo, whenGenerated } from './fields';
import type { Content, HeaderObject, Schema } from './openapi-objects';

/**
 * The handlers of this controller are in the document, under this tag. A handler's JSDoc describes it (summary,
 * `@remarks`, `@returns`), and its name is the name of the method in generated clients.
 */
export const Endpoints = (tag: string) => (controller: Type) =>
  void whenGenerated(({ ApiIncludeEndpoint, ApiTags }) => {
    ApiTags(tag)(controller);
    const prototype = controller.prototype as object;
    for (const [name, it] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
      if (Reflect.hasMetadata(METHOD_METADATA, it.value as object))
        ApiIncludeEndpoint()(prototype, name, it);
  });

/** Whether the route of a handler is a GET. */
export const isGet = (handler: object): boolean =>
  Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.GET;

/** A parameter of the path. */
export const PathId = (description: string, example: string, name = 'id') =>
  Described(({ ApiParam }) => [
    ApiParam({
      name,
      description,
      schema: { type: 'string', examples: [example] },
    }),
  ]);

/** The fields of several queries, for a handler that reads them itself. */
export const TakesQuery = (...queries: Type[]) =>
  applyDecorators(SetMetadata(TAKES_QUERY, queries), describeQueries(queries));

const TAKES_QUERY = 'takes-query';

/** The classes of the query, for a handler that reads it itself. */
export const queriesOf = (handler: object): Type[] | undefined =>
  Reflect.getMetadata(TAKES_QUERY, handler) as Type[] | undefined;

const describeQueries = (queries: Type[]) =>
  Described(({ ApiQuery }) =>
    queries.flatMap(({ prototype }: { prototype: object }) => {
      const names = Reflect.getMetadata(`${FIELD}Array`, prototype) as string[];
      return names.map((it) => {
        const name = it.slice(1);
        const { description, required, ...schema } = Reflect.getMetadata(
          FIELD,
          prototype,
          name,
        ) as Schema & { required: boolean };
        return ApiQuery({
          name,
          description,
          required,
          schema: { ...schema, isArray: undefined },
        } as ApiQueryOptions);
      });
    }),
  );

/** A header that requests may have. */
export const RequestHeader = (name: string, description: string, schema: Schema) =>
  Described(({ ApiHeader }) => [
    ApiHeader({ name, description, required: false, schema: schema as object }),
  ]);

/**
 * The body is a file of one of these media types. Where one of them is JSON, the first is not binary, or `format: binary` is
 * missing, generated clients send files as JSON strings. So JSON is accepted, and not among the types of the document.
 */
export const TakesFile = (...types: string[]) =>
  Described(({ ApiBody, ApiConsumes }) => [
    ApiConsumes(
      ...new Set(['application/octet-stream', ...types.filter((type) => !/\bjson$/.test(type))]),
    ),
    ApiBody({
      schema: { type: 'string', format: 'binary', description: 'The bytes of the file.' },
    }),
  ]);

/** A header of the response that is no error. */
export const ResponseHeader = (
  name: string,
  description: string,
  example: string,
  { required = true, ...rules }: { required?: boolean; const?: string } = {},
) => {
  const made = header(description, { type: 'string', ...rules, examples: [example] }, required);
  return Described(({ ApiExtension }) => [ApiExtension(`${HEADER}${name}`, made)]);
};

const HEADER = 'x-header-';

/** Takes what ResponseHeader has attached off an operation. */
export function takeHeaders(operation: object): Record<string, HeaderObject> {
  const found = Object.entries(operation).filter(([name]) => name.startsWith(HEADER));
  for (const [name] of found) Reflect.deleteProperty(operation, name);
  return Object.fromEntries(
    found.map(([name, header]) => [name.slice(HEADER.length), header as HeaderObject]),
  );
}

/** The content of `data` in a response: an object, or a list of them. */
export type Data = Type | [Type] | { listOf: Type; maxItems: number };

interface Kind {
  data: Data;
  meta?: Type;
}

/** A response of the form `{success: true, data, meta}`. @param files other media types that a parameter asks for */
export const Sends = (data: Data, meta?: Type, files: Record<string, Schema> = {}) => {
  const types = Object.entries({ [JSON_TYPE]: success({ data, meta }), ...files });
  const content = Object.fromEntries(types.map(([type, schema]) => [type, { schema }]));
  return response(content, [data, meta]);
};

/** A further response of the form `{success: true, data}`, with a status and headers of its own. */
export const AlsoSends = (
  status: number,
  description: string,
  data: Type,
  { example, headers }: { example: object; headers: Record<string, HeaderObject> },
) =>
  Described(({ ApiResponse }) => {
    const media = { schema: success({ data }), example: { success: true, data: example } };
    return [
      ApiResponse({ status, description, headers, content: { [JSON_TYPE]: media } } as object),
    ];
  });

/** A response of one of several such forms, each with a name. */
export const SendsOneOf = (kinds: Record<string, Kind & { summary: string }>) => {
  const named = Object.entries(kinds);
  const media = {
    schema: { anyOf: named.map(([, kind]) => success(kind)) },
    examples: Object.fromEntries(named.map(([name, { summary }]) => [name, { summary }])),
  };
  const models = named.flatMap(([, { data, meta }]) => [data, meta]);
  return response({ [JSON_TYPE]: media }, models);
};

/** A response without a body. */
export const SendsNothing = () => response();

/** A response that is a file or a document, by its media types. */
export const SendsFile = (schemas: Record<string, Schema>) => {
  const content = Object.entries(schemas).map(([type, schema]) => [type, { schema }]);
  return response(Object.fromEntries(content) as Content);
};

const JSON_TYPE = 'application/json';

/** The handler's `@returns` is the description (`complete.ts`). */
const response = (content?: Content, models: (Data | undefined)[] = []) =>
  Described(({ ApiExtraModels, ApiResponse }, target, key) => {
    const handler = (target as Record<string | symbol, object>)[key] as object;
    const read = (name: string) => Reflect.getMetadata(name, handler) as number | undefined;
    const usual = read(METHOD_METADATA) === RequestMethod.POST ? 201 : 200;
    const status = read(HTTP_CODE_METADATA) ?? usual;
    return [
      ApiExtraModels(...models.flatMap((data) => (data ? [typeOf(data)] : []))),
      ApiResponse({ status, ...(content && { content }) } as object),
    ];
  });

function typeOf(data: Data): Type {
  if (Array.isArray(data)) return data[0];
  return 'listOf' in data ? data.listOf : data;
}

function success({ data, meta }: Kind): Schema {
  const item = refTo(typeOf(data));
  const { maxItems } = 'listOf' in data ? data : {};
  const isList = Array.isArray(data) || 'listOf' in data;
  return object({
    success: { type: 'boolean', const: true },
    data: isList ? { type: 'array', ...(maxItems && { maxItems }), items: item } : item,
    ...(meta && { meta: refTo(meta) }),
  });
}
