import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import type { NextFunction, Request, Response } from 'express';
import type { ApiErrorCode } from '../../src/platform/errors/error-codes';
import type {
  HeaderObject,
  OpenApiDocument,
  OperationObject,
  ResponseObject,
} from '../../src/platform/openapi/openapi-objects';

/**
 * Validates every response of the service under test against the OpenAPI document: status, headers with their values, and
 * body, which must not contain an undocumented field. `contract-setup.ts` fails the test whose request caused a violation.
 */
const errors: string[] = [];

/** Returns the violations since the last call, and clears them. */
export const takeContractViolations = (): string[] => errors.splice(0);

/** Every service has the same document. Generating and compiling it takes longer than starting a service. */
let contract: Contract | undefined;

/** Middleware that must run before all others. */
export function checkResponses(document: () => OpenApiDocument) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const path = request.originalUrl.split(/[?#]/, 1)[0] ?? '';
    if (!/^\/(api\/v1|health)(\/|$)/i.test(path) || request.method === 'OPTIONS') return next();
    // A request without Host is not valid HTTP, and the document does not describe its response.
    if (request.headers.host === undefined) return next();
    const chunks: Buffer[] = [];
    const write = response.write.bind(response);
    const end = response.end.bind(response);
    const keep = (chunk: unknown) => {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    };
    response.write = ((...args: Parameters<typeof write>) => {
      keep(args[0]);
      return write(...args);
    }) as typeof write;
    response.end = ((...args: Parameters<typeof end>) => {
      keep(args[0]);
      errors.push(
        ...errorsOf(document, request.method, path, response, Buffer.concat(chunks)).map(
          (it) => `${request.method} ${path} ${response.statusCode}: ${it}`,
        ),
      );
      return end(...args);
    }) as typeof end;
    next();
  };
}

/** An exception is a violation too: thrown into the handler it would hide the response. */
function errorsOf(
  document: () => OpenApiDocument,
  method: string,
  path: string,
  response: Response,
  bytes: Buffer,
): string[] {
  try {
    contract ??= new Contract(document());
    return contract.errorsOf({
      method,
      path,
      status: response.statusCode,
      headers: response.getHeaders() as Record<string, string | undefined>,
      body: decompressed(bytes, response.getHeader('Content-Encoding')),
    });
  } catch (error) {
    return [String(error)];
  }
}

function decompressed(bytes: Buffer, encoding: unknown): string {
  if (encoding === 'br') return brotliDecompressSync(bytes).toString();
  return (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString();
}

interface SeenResponse {
  method: string;
  path: string;
  status: number;
  headers: Record<string, string | undefined>;
  body: string;
}

/** Error codes that are allowed, by status, at a path that the document does not have. */
const UNDOCUMENTED: Record<number, ApiErrorCode[]> = {
  404: ['route-not-found'],
  405: ['method-not-allowed'],
  429: ['rate-limit-exceeded'],
  500: ['internal-error'],
};

/** Headers that HTTP and browsers need; the document does not list them. */
const TRANSPORT_HEADERS =
  /^(connection|keep-alive|date|vary|content-(type|length|encoding)|x-content-type-options|referrer-policy|strict-transport-security|transfer-encoding|access-control-.*)$/;

const ERROR = { $ref: 'doc#/components/schemas/Error' };

class Contract {
  private readonly ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    validateSchema: false,
    allErrors: true,
  });
  private readonly compiled = new Map<object, ValidateFunction>();
  private readonly operations: { pattern: RegExp; method: string; operation: OperationObject }[];

  constructor(private readonly document: OpenApiDocument) {
    this.ajv.addSchema({ $id: 'doc', components: closed(document.components) as object });
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
        method,
        operation,
      })),
    );
  }

  errorsOf({ method, path, status, headers, body }: SeenResponse): string[] {
    const operationMethod = method === 'HEAD' ? 'get' : method.toLowerCase();
    const here = this.operations.filter(({ pattern }) => pattern.test(path));
    // A fixed path is preferred to one with a parameter.
    const operation = here
      .sort((a, b) => Number(/\[/.test(a.pattern.source)) - Number(/\[/.test(b.pattern.source)))
      .find((it) => it.method === operationMethod)?.operation;
    if (!operation)
      return UNDOCUMENTED[status]
        ? [
            ...this.bodyErrors(ERROR, body, method),
            ...codeErrors(UNDOCUMENTED[status], headers['x-error-code']),
          ]
        : ['the document names no such endpoint'];
    if (!operation.responses[status]) return ['the document does not name this status'];
    const response = this.resolved(operation.responses[status]) as ResponseObject;
    return [
      ...this.headerErrors(response, headers),
      ...this.contentErrors(response, headers, body, method),
    ];
  }

  private headerErrors(response: ResponseObject, headers: SeenResponse['headers']): string[] {
    const named = Object.entries(response.headers ?? {});
    const wrong = named.flatMap(([name, header]) => {
      const { required, schema } = this.resolved(header) as HeaderObject;
      const text = headers[name.toLowerCase()];
      if (text === undefined) return required ? [`${name} is missing`] : [];
      const value = schema.type === 'integer' ? Number(text) : String(text);
      return this.schemaErrors(schema, value).map((it) => `${name} "${text}": ${it}`);
    });
    const known = new Set(named.map(([name]) => name.toLowerCase()));
    const unnamed = Object.keys(headers)
      .map((name) => name.toLowerCase())
      .filter((name) => !known.has(name) && !TRANSPORT_HEADERS.test(name))
      .map((name) => `the document does not name the header ${name}`);
    return [...wrong, ...unnamed];
  }

  private contentErrors(
    response: ResponseObject,
    headers: SeenResponse['headers'],
    body: string,
    method: string,
  ): string[] {
    const type = String(headers['content-type'] ?? '').split(';', 1)[0] ?? '';
    const content = response.content ?? {};
    if (Object.keys(content).length === 0)
      return body === '' ? [] : ['it has a body, and the document none'];
    const media = content[type] ?? content[`${type.split('/', 1)[0]}/*`] ?? content['*/*'];
    if (!media) return [`the document does not name the type ${type || '(none)'}`];
    if (type !== 'application/json') return [];
    return this.bodyErrors(media.schema, body, method);
  }

  private bodyErrors(schema: object, body: string, method: string): string[] {
    return method === 'HEAD' ? [] : this.schemaErrors(schema, JSON.parse(body));
  }

  private schemaErrors(schema: object, value: unknown): string[] {
    let validate = this.compiled.get(schema);
    if (!validate)
      this.compiled.set(schema, (validate = this.ajv.compile(closed(schema) as object)));
    if (validate(value)) return [];
    return (validate.errors ?? [])
      .slice(0, 5)
      .map((it) => `${it.instancePath || 'the value'} ${it.message} ${JSON.stringify(it.params)}`);
  }

  private resolved(value: object): object {
    const { $ref } = value as { $ref?: string };
    if ($ref === undefined) return value;
    return $ref
      .slice(2)
      .split('/')
      .reduce<object>((at, key) => (at as Record<string, object>)[key] as object, this.document);
  }
}

/** Every error response names its cause. The document lists those of an operation as values of the header. */
const codeErrors = (named: readonly string[], code: string | undefined) =>
  code !== undefined && named.includes(code)
    ? []
    : [`X-Error-Code is ${code}, not one of ${named.join(', ')}`];

/** The schema with `additionalProperties: false` on every object: clients must accept unknown fields, tests must not. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'examples' && key !== 'example')
      .map(([key, child]) => [
        key,
        key === '$ref' && String(child).startsWith('#') ? `doc${String(child)}` : closed(child),
      ]),
  );
  const isObject = 'properties' in copy && copy.type === 'object';
  const isOpen = Object.keys(copy.properties ?? {}).length === 0;
  return isObject && !isOpen ? { additionalProperties: false, ...copy } : copy;
}
