import {
  StreamableFile,
  applyDecorators,
  Injectable,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response, Express, Request } from 'express';
import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import { JSON_TYPE, sendText, ConstantText } from './text-response';
import { NotAcceptable } from '../../errors/domain-errors';
import { Fails } from '../../openapi/failures';

/**
 * Where Nest hands over what a controller returned. JSON is an API response and is sent by `sendText`;
 * pages and files are sent by Express. As an adapter, unlike an interceptor, it costs a request nothing.
 */
export class ApiAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    this.httpServer = createExpressServer(this.getInstance());
  }

  override reply(response: Response, body: unknown, status?: number): unknown {
    if (body instanceof ConstantText) return sendText(response, body.type, body);
    const text = jsonOf(response, body);
    if (text === null) return super.reply(response, body, status);
    if (status !== undefined) response.status(status);
    return sendText(response, JSON_TYPE, text);
  }
}

/** Also text that is JSON already (`SendsJsonText`). Null for anything that is not JSON. */
function jsonOf(response: Response, body: unknown): string | Buffer | null {
  if (typeof body === 'string' || Buffer.isBuffer(body))
    return response.getHeader('Content-Type') === JSON_TYPE ? body : null;
  return typeof body === 'object' && body !== null && !isNotJson(body)
    ? JSON.stringify(body)
    : null;
}

const isNotJson = (body: object) => body instanceof StreamableFile || body instanceof Error;

/**
 * A server that creates requests and responses with the prototypes that Express would otherwise assign to each of
 * them. Changing the prototype of a live object loses its shape in V8 and invalidates inline caches: with that a
 * detail took 600 µs of Node, without it 300.
 */
function createExpressServer(app: Express): Server {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  app.request = asPrototype(ExpressRequest.prototype, app.request);
  app.response = asPrototype(ExpressResponse.prototype, app.response);
  return createServer({ IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse }, app);
}

/** The class's prototype, with Express's properties behind it. */
function asPrototype<T extends object>(prototype: object, expressOwn: T): T {
  Object.setPrototypeOf(prototype, expressOwn);
  return prototype as T;
}

/** Media ranges that cover `application/json`, most specific first: a more specific one takes precedence. */
const RANGES = ['application/json', 'application/*', '*/*'];

/**
 * Whether a client that sends this `Accept` header accepts JSON. Parameters other than the weight do not matter; a
 * blank header counts as absent.
 */
export function takesJson(accept: string): boolean {
  const weights = new Map<string, number>();
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((it) => it.trim().toLowerCase());
    const weight = parameters.find((it) => /^q\s*=/.test(it))?.split('=')[1];
    // An invalid weight is not a refusal.
    const refused = weight !== undefined && /^\s*0(?:\.0*)?\s*$/.test(weight);
    weights.set(range, Math.max(weights.get(range) ?? 0, refused ? 0 : 1));
  }
  const nearest = RANGES.find((range) => weights.has(range));
  return nearest === undefined ? accept.trim() === '' : weights.get(nearest) !== 0;
}

/**
 * Refuses requests that exclude JSON before anything is read or done for them. A guard and not an
 * interceptor: an ordinary request costs only a comparison.
 */
@Injectable()
class JsonResponseGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { accept } = context.switchToHttp().getRequest<Request>().headers;
    if (accept === undefined || accept === '*/*' || accept === 'application/json') return true;
    if (takesJson(accept)) return true;
    throw new NotAcceptable();
  }
}

/** The response is JSON: clients that exclude JSON get 406. */
export const JsonOnly = () =>
  applyDecorators(
    UseGuards(JsonResponseGuard),
    Fails({
      status: 406,
      name: 'not-acceptable',
      title: 'The header Accept excludes JSON',
      error: new NotAcceptable().message,
      fix: 'Send `Accept: application/json`, or omit the header. It is checked after the key and the plan, before the body is read. For files use the export, whose `format` selects the format.',
    }),
  );
