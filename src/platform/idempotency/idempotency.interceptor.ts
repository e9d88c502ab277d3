import {
  applyDecorators,
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable, of } from 'rxjs';
import { Unauthenticated } from '../errors/domain-errors';
import { RequestHeader, ResponseHeader } from '../openapi/endpoint';
import { Fails } from '../openapi/failures';
import { header } from '../openapi/fields';
import {
  fingerprintOf,
  INVALID_KEY,
  type KeyedRequest,
  KeyInUse,
  KeyReused,
  LONGEST_KEY,
  readIdempotencyKey,
  ResponseDropped,
} from './idempotency.rules';
import { IdempotencyService, type RepeatableResponse } from './idempotency.service';

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by IdempotencyInterceptor for a request with an Idempotency-Key. */
    keyed?: KeyedRequest;
  }
}

/**
 * Makes a POST repeatable by the header `Idempotency-Key`; its handler does its work in
 * `IdempotencyService.once` and returns the result. It runs after the body was read and before the quiz is
 * looked up: a repeated request gets the first response, even if the quiz has been deleted since.
 * @throws Malformed
 */
@Injectable()
class IdempotencyInterceptor implements NestInterceptor<RepeatableResponse, object> {
  constructor(private readonly idempotency: IdempotencyService) {}

  async intercept(
    context: ExecutionContext,
    next: CallHandler<RepeatableResponse>,
  ): Promise<Observable<object>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const key = readIdempotencyKey(request.headers['idempotency-key']);
    if (key !== null) {
      if (!request.accountId) throw new Unauthenticated();
      request.keyed = { accountId: request.accountId, key, fingerprint: fingerprintOf(request) };
    }
    const before = request.keyed ? await this.idempotency.findResponse(request.keyed) : null;
    const responses = before ? of(before) : next.handle();
    return responses.pipe(map((response) => unpack(response, http.getResponse<Response>())));
  }
}

function unpack({ body, location, replayed }: RepeatableResponse, response: Response): object {
  if (location !== undefined) response.location(location);
  if (replayed) response.setHeader('Idempotency-Replayed', 'true');
  return body;
}

/** Parameter decorator: the request's key, for `IdempotencyService.once`. */
export const Keyed = createParamDecorator(
  (_: unknown, context: ExecutionContext): KeyedRequest | null =>
    context.switchToHttp().getRequest<Request>().keyed ?? null,
);

/** On a method that returns what `IdempotencyService.once` does. */
type HandlerDecorator = <T extends (...args: never[]) => Promise<RepeatableResponse>>(
  target: object,
  name: string | symbol,
  handler: TypedPropertyDescriptor<T>,
) => void;

/** The request may be repeated with the header Idempotency-Key: see IdempotencyInterceptor. */
export const Repeatable = (): HandlerDecorator =>
  applyDecorators(
    UseInterceptors(IdempotencyInterceptor),
    RequestHeader(
      'Idempotency-Key',
      'A name of your own for this request, such as a random UUID. Sent again with the same key, within 24 hours and from the same account, the request changes nothing more and gets the first response again. Only success is kept: after anything else the key is still free.',
      {
        type: 'string',
        minLength: 1,
        maxLength: LONGEST_KEY,
        pattern: '^[\\x21-\\x7E]+$',
        examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
      },
    ),
    ResponseHeader(
      'Idempotency-Replayed',
      '`true` if this is the response to an earlier request with the same key.',
      'true',
      { const: 'true', required: false },
    ),
    Fails(
      {
        status: 400,
        name: 'invalid-idempotency-key',
        title: 'The Idempotency-Key is invalid',
        error: INVALID_KEY,
        fix: 'Make a random UUID for each new request, and send it once.',
      },
      {
        status: 409,
        name: 'idempotency-key-in-use',
        title: 'The first request with this key has not ended',
        error: new KeyInUse().message,
        fix: 'Wait for as long as `Retry-After` says, and send the same request again.',
        headers: {
          'Retry-After': header(
            'Seconds after which the same request gets its response.',
            { type: 'integer', minimum: 1, examples: [1] },
            false,
          ),
        },
      },
      {
        status: 409,
        name: 'response-dropped',
        title: 'The first request was done, and its response is no longer stored',
        error: new ResponseDropped().message,
        fix: 'Read what the first request changed. Up to 16 MiB of responses above 4 KiB are stored per account, the newest first.',
      },
      {
        status: 422,
        name: 'idempotency-key-reused',
        title: 'The Idempotency-Key belongs to another request',
        error: new KeyReused().message,
        fix: 'A key identifies one path and one body. Use a new key for each new request, and repeat a request unchanged.',
      },
    ),
  );
