import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { TooManyWaiting } from '../errors/domain-errors';
import { addressKey } from '../http/server/access-log';
import { LIMITS } from '../limits/limits';
import { isHealth } from '../text/text.rules';
import { Refusals } from './refusals';
import { onUpload } from './slow-clients';

declare module 'express-serve-static-core' {
  interface Request {
    /** The account with whose other requests this one takes turns; without it those of its address do. */
    takesTurnsAs?: string;
  }
}

/** The requests of one client. */
interface Turns {
  underWay: number;
  /** How many may be in progress. */
  allowed: number;
  waiting: Set<() => void>;
}

const AT_A_TIME = LIMITS.requests.underWay.value;
const MOST_WAITING = LIMITS.requests.waiting.value;
const MOST_PLAYING = LIMITS.requests.waitingPlays.value;
const OF_PLAYERS = 'of-players';

/** Requests of players: a platform sends those of a whole class with one key, and they are short. */
export const OfPlayers = () => SetMetadata(OF_PLAYERS, true);
const SLOW = LIMITS.requests.slow.value;

/**
 * Runs a few requests of a client at a time; further ones wait for their turn, so that one client leaves database
 * connections and computing time for others. After a slow request it runs one at a time: four readers of the largest
 * quiz made everybody else wait for half a second. The client is the account of the key, at any address, or the
 * address if there is no key, or one that anyone may have from a web page.
 */
@Injectable()
export class TurnsInterceptor implements NestInterceptor {
  private readonly clients = new Map<string, Turns>();

  constructor(private readonly refusals: Refusals) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    if (isHealth(request.path)) return next.handle();
    const client = request.takesTurnsAs ?? addressKey(request.ip);
    const isOfPlayers = Reflect.hasMetadata(OF_PLAYERS, context.getHandler());
    const mostWaiting = isOfPlayers ? MOST_PLAYING : MOST_WAITING;
    await this.enter(client, mostWaiting, context.switchToHttp().getResponse<Response>());
    const began = performance.now();
    let isUnderWay = true;
    const leave = () => {
      if (isUnderWay) this.leave(client, performance.now() - began > SLOW ? 1 : AT_A_TIME);
      isUnderWay = false;
    };
    // An upload takes as long as its client likes; uploads have limits of their own.
    onUpload(request, leave);
    return next.handle().pipe(finalize(leave));
  }

  /** @throws TooManyWaiting */
  private async enter(client: string, mostWaiting: number, response: Response): Promise<void> {
    const turns = this.clients.get(client) ?? {
      underWay: 0,
      allowed: AT_A_TIME,
      waiting: new Set(),
    };
    this.clients.set(client, turns);
    if (turns.underWay < turns.allowed) {
      turns.underWay++;
      return;
    }
    if (turns.waiting.size >= mostWaiting) {
      this.refusals.count('waiting');
      throw new TooManyWaiting();
    }
    await new Promise<void>((resolve, reject) => {
      turns.waiting.add(resolve);
      response.once('close', () => {
        if (turns.waiting.delete(resolve)) reject(new TooManyWaiting());
      });
    });
  }

  private leave(client: string, allowed: number): void {
    const turns = this.clients.get(client);
    if (!turns) return;
    turns.underWay--;
    turns.allowed = allowed;
    for (const next of turns.waiting) {
      if (turns.underWay >= allowed) break;
      turns.waiting.delete(next);
      turns.underWay++;
      next();
    }
    if (turns.underWay === 0) this.clients.delete(client);
  }
}
