import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { RateLimited } from '../../platform/errors/domain-errors';
import { onUpload } from '../../platform/http/request/json-body.interceptor';
import { addressKey } from '../../platform/http/request/request-context';
import { isHealth } from '../../platform/text/urls.rules';
import { LIMITS } from '../../platform/limits/limits';
import { isForPages } from '../api-keys/scope.rules';

/** The requests of one client. */
interface Turns {
  underWay: number;
  /** How many may be in progress. */
  allowed: number;
  waiting: Set<() => void>;
}

const AT_A_TIME = LIMITS.requests.underWay.value;
const MOST_WAITING = LIMITS.requests.waiting.value;
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

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    if (isHealth(request.path)) return next.handle();
    const { caller } = request;
    const client = caller && !isForPages(caller) ? caller.accountId : addressKey(request.ip);
    await this.enter(client, context.switchToHttp().getResponse<Response>());
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

  /** @throws RateLimited if too many are waiting */
  private async enter(client: string, response: Response): Promise<void> {
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
    if (turns.waiting.size >= MOST_WAITING) throw new RateLimited(1);
    await new Promise<void>((resolve, reject) => {
      turns.waiting.add(resolve);
      response.once('close', () => {
        if (turns.waiting.delete(resolve)) reject(new RateLimited(1));
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
