import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response, Express } from 'express';
import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import { JSON_TYPE, answerText, ConstantText } from './text-response';

/**
 * Where Nest hands over what a controller returned. What is JSON is an answer of the API and leaves by `answerText`;
 * pages and files go Express's way. An adapter and not an interceptor: it costs a request nothing.
 */
export class ApiAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    this.httpServer = createExpressServer(this.getInstance());
  }

  override reply(response: Response, body: unknown, status?: number): unknown {
    if (body instanceof ConstantText) return answerText(response, body.type, body);
    const text = jsonOf(response, body);
    if (text === null) return super.reply(response, body, status);
    if (status !== undefined) response.status(status);
    return answerText(response, JSON_TYPE, text);
  }
}

/** Also of a text that is JSON already (`SendsJsonText`). Null for what is no JSON. */
function jsonOf(response: Response, body: unknown): string | Buffer | null {
  if (typeof body === 'string' || Buffer.isBuffer(body))
    return response.getHeader('Content-Type') === JSON_TYPE ? body : null;
  return typeof body === 'object' && body !== null && !isNotJson(body)
    ? JSON.stringify(body)
    : null;
}

const isNotJson = (body: object) => body instanceof StreamableFile || body instanceof Error;

/**
 * A server whose requests and responses are born with the prototypes that Express gives to each of them. It finds
 * them in place then. Changing the prototype of a living object costs V8 its shape and every inline cache that knew
 * it: with that a detail took 600 µs of Node, without it 300.
 */
function createExpressServer(app: Express): Server {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  app.request = asPrototype(ExpressRequest.prototype, app.request);
  app.response = asPrototype(ExpressResponse.prototype, app.response);
  return createServer({ IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse }, app);
}

/** The class's prototype, with what Express has made its own one for behind it. */
function asPrototype<T extends object>(prototype: object, expressOwn: T): T {
  Object.setPrototypeOf(prototype, expressOwn);
  return prototype as T;
}
