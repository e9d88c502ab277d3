import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';
import { ConstantText, JSON_TYPE, sendText } from './text-response';

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
  const classes = { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
  // `requireHost` says what is missing; Node would respond without a body.
  return createServer({ ...classes, requireHostHeader: false }, app);
}

/** The class's prototype, with Express's properties behind it. */
function asPrototype<T extends object>(prototype: object, expressOwn: T): T {
  Object.setPrototypeOf(prototype, expressOwn);
  return prototype as T;
}
