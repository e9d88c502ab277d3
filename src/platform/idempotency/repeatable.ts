import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { RequestHeader, ResponseHeader } from '../openapi/endpoint';
import { Fails } from '../openapi/failures';
import { header } from '../openapi/fields';
import { KeyInUse, KeyReused, ResponseDropped } from './idempotency-errors';
import { IdempotencyInterceptor } from './idempotency.interceptor';
import { INVALID_KEY, LONGEST_KEY } from './idempotency.rules';

/** The request may be repeated with the header Idempotency-Key: see IdempotencyInterceptor. */
export const Repeatable = () =>
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
      '`true` where this is the response to an earlier request with the same key.',
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
        fix: 'Read the quiz to see what the first request changed. Up to 16 MiB of responses above 4 KiB are stored per account, the newest first.',
      },
      {
        status: 422,
        name: 'idempotency-key-reused',
        title: 'The Idempotency-Key belongs to another request',
        error: new KeyReused().message,
        fix: 'A key stands for one path and one body. Make a new key for each new request; when you repeat one, repeat it unchanged.',
      },
    ),
  );
