import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { finalize, type Observable, tap } from 'rxjs';
import { TooManyWaiting } from '../errors/domain-errors';
import { isHealth } from '../http/path.rules';
import { addressKey } from '../http/server/client-address';
import { LIMITS } from '../limits/limits';
import { Refusals } from './refusals';
import { onUpload } from './slow-clients';

declare module 'express-serve-static-core' {
  interface Request {
    /** The account with whose other requests this one takes turns; without it those of its address do. */
    takesTurnsAs?: string;
  }
}

/** The requests of one client; of a kind that has turns of its own. */
interface Turns {
  underWay: number;
  /** How many may be in progress. */
  allowed: number;
  waiting: Set<() => void>;
}

const { underWay, underWayShared, waiting, waitingPlays, slow, slowPlays } = LIMITS.requests;

type OfPlayersKind = 'attempts' | 'answers' | 'submissions' | 'pages';

/**
 * Requests of players: a platform sends those of a whole class with one key. They are slow only if what they send is
 * large. A short one that takes long has waited for a busy machine: one at a time would make a class wait for minutes.
 * Answers and submissions have turns of their own, and more of them: concurrent ones share a statement or a transaction.
 * For pages only the number of waiting requests is raised.
 */
export const OfPlayers = Reflector.createDecorator<OfPlayersKind>();

/**
 * Runs a few requests of a client at a time; further ones wait for their turn, so that one client leaves database
 * connections and computing time for others. After a slow request it runs one at a time: four readers of the largest
 * quiz made everybody else wait for half a second. The client is the account of the key, at any address, or the
 * address if there is no key, or one that anyone may have from a web page. Answers and submissions begin with as few, and
 * each that is not slow doubles the number: those of a class share statements, and only slow ones have to wait.
 */
@Injectable()
export class TurnsInterceptor implements NestInterceptor {
  private readonly clients = new Map<string, Turns>();

  constructor(
    private readonly refusals: Refusals,
    private readonly reflector: Reflector,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    if (isHealth(request.path)) return next.handle();
    const targets = [context.getHandler(), context.getClass()];
    const kind = this.reflector.getAllAndOverride(OfPlayers, targets);
    const isShared = kind === 'answers' || kind === 'submissions';
    const client = (request.takesTurnsAs ?? addressKey(request.ip)) + (isShared ? ` ${kind}` : '');
    const mostWaiting = kind ? waitingPlays.value : waiting.value;
    await this.enter(client, mostWaiting, context.switchToHttp().getResponse<Response>());
    const began = performance.now();
    let isUnderWay = true;
    let body: unknown;
    const leave = () => {
      if (!isUnderWay) return;
      isUnderWay = false;
      const isSlow =
        performance.now() - began > slow.value && (!kind || kind === 'pages' || isLarge(body));
      const most = isShared ? underWayShared.value : underWay.value;
      this.leave(client, isSlow ? null : most);
    };
    // An upload takes as long as its client likes; uploads have limits of their own.
    onUpload(request, leave);
    return next.handle().pipe(
      tap((sent: unknown) => (body = sent)),
      finalize(leave),
    );
  }

  /** @throws TooManyWaiting */
  private async enter(client: string, mostWaiting: number, response: Response): Promise<void> {
    const turns = this.clients.get(client) ?? {
      underWay: 0,
      allowed: underWay.value,
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

  /** @param most that this client may have in progress, after doubling from few; null after a slow request: one */
  private leave(client: string, most: number | null): void {
    const turns = this.clients.get(client);
    if (!turns) return;
    turns.underWay--;
    turns.allowed = most === null ? 1 : Math.min(Math.max(turns.allowed * 2, underWay.value), most);
    for (const next of turns.waiting) {
      if (turns.underWay >= turns.allowed) break;
      turns.waiting.delete(next);
      turns.underWay++;
      next();
    }
    if (turns.underWay === 0) this.clients.delete(client);
  }
}

/** Only asked of slow requests. */
const isLarge = (body: unknown) => (JSON.stringify(body)?.length ?? 0) > slowPlays.value;
