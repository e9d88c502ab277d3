import { AsyncResource } from 'node:async_hooks';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { addressKey } from '../http/server/client-address.rules';
import { LIMITS } from '../limits/limits';

/** The requests of one client. */
interface Burst {
  /** In this turn of the event loop. */
  begun: number;
  waiting: Set<NextFunction>;
}

/**
 * Begins a few requests of a client in each turn of the event loop. Node begins all that have arrived: eight hundred for
 * a page of the documentation were one turn of half a second, in which nobody else was served.
 */
export function spreadBursts(few: number = LIMITS.requests.begunPerTurn.value): RequestHandler {
  const clients = new Map<string, Burst>();
  const beginMore = () => {
    const due: NextFunction[] = [];
    for (const [client, burst] of clients) {
      burst.begun = 0;
      for (const begin of burst.waiting) {
        if (burst.begun === few) break;
        burst.begun++;
        burst.waiting.delete(begin);
        due.push(begin);
      }
      if (burst.begun === 0) clients.delete(client);
    }
    if (clients.size > 0) setImmediate(beginMore);
    for (const begin of due) begin();
  };
  return ({ ip }: Request, response: Response, next: NextFunction): void => {
    if (clients.size === 0) setImmediate(beginMore);
    const client = addressKey(ip);
    const burst = clients.get(client) ?? { begun: 0, waiting: new Set() };
    clients.set(client, burst);
    if (burst.begun < few) {
      burst.begun++;
      next();
      return;
    }
    // It begins in a turn that another request has asked for, and keeps its own asynchronous context.
    const begin = AsyncResource.bind(next);
    burst.waiting.add(begin);
    // A client that has gone leaves nothing behind, however many connections it opens.
    response.once('close', () => burst.waiting.delete(begin));
  };
}
