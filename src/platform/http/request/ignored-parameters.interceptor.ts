import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
// Nest exports nothing that tells from where the parameters of a handler are read.
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { Request, Response } from 'express';
import { LIMITS } from '../../limits/limits';
import { queriesOf } from '../../openapi/endpoint';
import { nestedShape } from './text-fields';
import { fieldsOf } from './validation.pipe';

/**
 * Unknown parameters and fields are ignored (contract), so a misspelt one changes nothing and says nothing:
 * `?dificulty=EASY` would list all quizzes. The header X-Ignored of the response names them.
 */
const IGNORED = 'X-Ignored';

const MOST = LIMITS.requests.ignoredNames.value;
const LONGEST = LIMITS.requests.ignoredNameLength.value;

/** Outside of it, as below /opentdb, handlers read parameters that they do not declare. */
const DECLARED = /^\/api\/v1\//i;

/** Every endpoint accepts the API key as a parameter. */
const KEYS = ['api_key', 'apiKey'];

/** Names the unknown query parameters of a request to the API. */
@Injectable()
export class IgnoredParametersInterceptor implements NestInterceptor {
  private readonly known = new WeakMap<object, Set<string>>();

  intercept(context: ExecutionContext, next: CallHandler) {
    const request = context.switchToHttp().getRequest<Request>();
    if (request.originalUrl.includes('?') && DECLARED.test(request.path)) {
      const known = this.knownBy(context);
      const unknown = Object.keys(request.query).filter(
        (name) => !known.has(name.split('[', 1)[0] ?? name),
      );
      setIgnored(context.switchToHttp().getResponse<Response>(), unknown);
    }
    return next.handle();
  }

  private knownBy(context: ExecutionContext): Set<string> {
    const handler = context.getHandler();
    let known = this.known.get(handler);
    if (!known) {
      const queries = queriesOf(handler) ?? shapesOf(context, RouteParamtypes.QUERY);
      known = new Set([...KEYS, ...queries.flatMap((it) => [...fieldsOf(it).keys()])]);
      this.known.set(handler, known);
    }
    return known;
  }
}

/** Names the unknown fields of a body. */
export function nameIgnoredFields(context: ExecutionContext, body: unknown): void {
  const [shape] = shapesOf(context, RouteParamtypes.BODY);
  if (shape) setIgnored(context.switchToHttp().getResponse<Response>(), ignoredFields(shape, body));
}

/** A few of the unknown fields of a body, shortened, at every level: `titel`, `questions[].answrs`. */
export function ignoredFields(shape: Type, body: unknown): string[] {
  const unknown = new Set<string>();
  collect(shape, body, '', unknown);
  return [...unknown].map((it) => it.slice(0, LONGEST));
}

function collect(shape: Type, value: unknown, path: string, into: Set<string>): void {
  if (into.size >= MOST || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(shape, item, path, into);
    return;
  }
  const fields = fieldsOf(shape);
  for (const [key, child] of Object.entries(value)) {
    if (!fields.has(key)) into.add(path + key);
    else {
      const nested = nestedShape(shape, key);
      if (nested) collect(nested, child, `${path}${key}${Array.isArray(child) ? '[]' : ''}.`, into);
    }
  }
}

/** The classes of the handler's parameters that are read from the query or the body. */
function shapesOf(context: ExecutionContext, kind: RouteParamtypes): Type[] {
  const controller = context.getClass();
  const method = context.getHandler().name;
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    { index: number }
  >;
  const types = (Reflect.getMetadata('design:paramtypes', controller.prototype as object, method) ??
    []) as Type[];
  return Object.entries(args)
    .filter(([key]) => key.startsWith(`${kind}:`))
    .flatMap(([, { index }]) => types[index] ?? []);
}

/** A few names, shortened, in the characters that a header may have. */
function setIgnored(response: Response, unknown: string[]): void {
  if (unknown.length === 0) return;
  const before = response.getHeader(IGNORED) as string | undefined;
  const names = unknown.map((it) => it.slice(0, LONGEST).replace(/[^\x21-\x2b\x2d-\x7e]/g, '?'));
  const all = [...(before?.split(', ') ?? []), ...names].slice(0, MOST);
  response.setHeader(IGNORED, all.join(', '));
}
