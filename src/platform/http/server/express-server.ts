import type { Express } from 'express';
import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';

/**
 * A server whose requests and responses are born with the prototypes that Express gives to each of them. It finds
 * them in place then. Changing the prototype of a living object costs V8 its shape and every inline cache that knew
 * it: with that a detail took 600 µs of Node, without it 300.
 */
export function createExpressServer(app: Express): Server {
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
