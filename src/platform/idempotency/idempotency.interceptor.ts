import {
  createParamDecorator,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, of, type Observable } from 'rxjs';
import { Unauthenticated } from '../errors/domain-errors';
import { fingerprintOf, readIdempotencyKey } from './idempotency.rules';
import { IdempotencyService, type Answer, type KeyedRequest } from './idempotency.service';

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by IdempotencyInterceptor for a request with an Idempotency-Key. */
    keyed?: KeyedRequest;
  }
}

/**
 * Makes a POST repeatable by the header `Idempotency-Key`; its handler does its work in
 * `IdempotencyService.once` and returns what that returns. After the body was read, and before its quiz is
 * looked for: a repeated request is answered as the first was, also when the quiz has gone since.
 * @throws Malformed
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor<Answer, object> {
  constructor(private readonly answers: IdempotencyService) {}

  async intercept(
    context: ExecutionContext,
    next: CallHandler<Answer>,
  ): Promise<Observable<object>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const key = readIdempotencyKey(request.headers['idempotency-key']);
    if (key !== null) {
      if (!request.accountId) throw new Unauthenticated();
      request.keyed = { accountId: request.accountId, key, fingerprint: fingerprintOf(request) };
    }
    const before = request.keyed ? await this.answers.findAnswer(request.keyed) : null;
    const answers = before ? of(before) : next.handle();
    return answers.pipe(map((answer) => unpack(answer, http.getResponse<Response>())));
  }
}

function unpack({ body, location, replayed }: Answer, response: Response): object {
  if (location !== undefined) response.location(location);
  if (replayed) response.setHeader('Idempotency-Replayed', 'true');
  return body;
}

/** Parameter decorator: the request's key, for `IdempotencyService.once`. */
export const Keyed = createParamDecorator(
  (_: unknown, context: ExecutionContext): KeyedRequest | null =>
    context.switchToHttp().getRequest<Request>().keyed ?? null,
);
