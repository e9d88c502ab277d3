import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { RateLimited } from '../../platform/errors/domain-errors';
import { onUpload } from '../../platform/http/request/body-time';
import { addressKey } from '../../platform/http/request/client-address.rules';
import { isHealth } from '../../platform/text/places.rules';
import { LIMITS } from '../../platform/limits/limits';

/** Of one client. */
interface Turns {
  underWay: number;
  waiting: Set<() => void>;
}

const AT_A_TIME = LIMITS.requests.underWay.value;
const MOST_WAITING = LIMITS.requests.waiting.value;

/**
 * A client has some requests under way at a time, and its further ones wait for their turn: who asks for much at once
 * takes neither all database connections nor the event loop from others. The client is the holder of the key, whatever
 * addresses it uses, or else the address.
 */
@Injectable()
export class TurnsInterceptor implements NestInterceptor {
  private readonly clients = new Map<string, Turns>();

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    if (isHealth(request.path)) return next.handle();
    const client = request.caller?.accountId ?? addressKey(request.ip);
    await this.enter(client, context.switchToHttp().getResponse<Response>());
    let isUnderWay = true;
    const leave = () => {
      if (isUnderWay) this.leave(client);
      isUnderWay = false;
    };
    // An upload takes as long as its client likes; uploads have limits of their own.
    onUpload(request, leave);
    return next.handle().pipe(finalize(leave));
  }

  /** @throws RateLimited when too many wait already */
  private async enter(client: string, response: Response): Promise<void> {
    const turns = this.clients.get(client) ?? { underWay: 0, waiting: new Set() };
    this.clients.set(client, turns);
    if (turns.underWay < AT_A_TIME) {
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

  private leave(client: string): void {
    const turns = this.clients.get(client);
    if (!turns) return;
    const [next] = turns.waiting;
    if (next) {
      turns.waiting.delete(next);
      next();
    } else if (--turns.underWay === 0) this.clients.delete(client);
  }
}
