import { AsyncResource } from 'node:async_hooks';
import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { addressKey } from '../http/server/client-address';
import { LIMITS } from '../limits/limits';

/** The requests of one client. */
interface Burst {
  /** In this turn of the event loop. */
  begun: number;
  waiting: Set<() => void>;
}

/**
 * Lets a few requests of a client go on in each turn of the event loop. Node begins all that have arrived, and ends all
 * timers that are due: eight hundred requests for a page of the documentation were one turn of half a second, in which
 * nobody else was served, and the refusals of a flood, which are delayed by the same time, were another.
 *
 * Node accepts one connection in each turn. While it does, requests wait longer: a client that connected behind two
 * hundred connections of a flood waited for as many turns, each of them with four pages of the documentation.
 */
@Injectable()
export class Bursts implements NestMiddleware {
  private readonly few = LIMITS.requests.begunPerTurn.value;
  private readonly clients = new Map<string, Burst>();
  private hasAccepted = false;
  /** Turns in a row in which a connection was accepted and no waiting request went on. */
  private accepting = 0;

  /** To be called for every connection that the server accepts. */
  accepted(): void {
    this.hasAccepted = true;
  }

  use({ ip }: Request, response: Response, next: NextFunction): void {
    if (this.clients.size === 0) setImmediate(this.beginMore);
    const client = addressKey(ip);
    const burst = this.clients.get(client) ?? { begun: 0, waiting: new Set() };
    this.clients.set(client, burst);
    if (burst.begun < this.few) {
      burst.begun++;
      next();
      return;
    }
    // It begins in a turn that another request has asked for, so it is bound to its own asynchronous context.
    const context = new AsyncResource('WaitingRequest');
    const begin = () => context.runInAsyncScope(() => next());
    burst.waiting.add(begin);
    // A client that has gone leaves nothing behind, however many connections it opens.
    response.once('close', () => burst.waiting.delete(begin));
  }

  /** For a request that goes on after a pause. It stays pending if the client goes away meanwhile. */
  turnOf(request: Request, response: Response): Promise<void> {
    return new Promise((resolve) => this.use(request, response, () => resolve()));
  }

  private readonly beginMore = (): void => {
    const isAccepting = this.hasAccepted && ++this.accepting < LIMITS.requests.acceptingTurns.value;
    this.hasAccepted = false;
    if (isAccepting) {
      setImmediate(this.beginMore);
      return;
    }
    this.accepting = 0;
    const due: (() => void)[] = [];
    for (const [client, burst] of this.clients) {
      burst.begun = 0;
      for (const begin of burst.waiting) {
        if (burst.begun === this.few) break;
        burst.begun++;
        burst.waiting.delete(begin);
        due.push(begin);
      }
      if (burst.begun === 0) this.clients.delete(client);
    }
    if (this.clients.size > 0) setImmediate(this.beginMore);
    for (const begin of due) begin();
  };
}
