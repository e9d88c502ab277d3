import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { catchError, mergeMap, type Observable } from 'rxjs';
import { PreconditionFailed } from '../../errors/domain-errors';
import { RequestHeader, ResponseHeader } from '../../openapi/endpoint';
import { EXAMPLE_TAG } from '../../openapi/every-response';
import { Fails } from '../../openapi/failures';
import { header } from '../../openapi/fields';
import { entityTag } from '../server/text-response';

/** The resource as its GET sends it: the whole body, and the version in its tag. */
export interface Representation {
  body: string | Buffer | object;
  version: string;
}

/** The body of a response, whose ETag begins with this version of the resource. */
export function versioned<Body>(response: Response, version: string, body: Body): Body {
  (response.locals as { version?: string }).version = version;
  return body;
}

/**
 * The change may be made conditional by If-Match; its handler takes `@IfMatch()`. A 412 carries the present ETag, and so
 * does the response of a handler that returns `versioned`. The version is the one that the transaction saw. The rest of
 * the tag is read after it: if another change comes between, the tag is stale, as it must be.
 * @param read what the GET of the path's id sends
 */
export function Conditional<Service>(
  service: Type<Service>,
  read: (service: Service, accountId: string, id: string) => Promise<Representation>,
) {
  @Injectable()
  class EntityTagInterceptor implements NestInterceptor {
    constructor(@Inject(service) private readonly service: Service) {}

    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      const http = context.switchToHttp();
      const { accountId = '', params } = http.getRequest<Request<{ id: string }>>();
      const response = http.getResponse<Response<unknown, { version?: string }>>();
      const setTag = async (version: string) => {
        const { body } = await read(this.service, accountId, params.id);
        response.setHeader('ETag', await entityTag(body, version));
      };
      return next.handle().pipe(
        catchError(async (error: unknown) => {
          if (error instanceof PreconditionFailed) await setTag(error.version);
          throw error;
        }),
        mergeMap(async (body: unknown) => {
          const { version } = response.locals;
          // The change is made, also if its tag cannot be read.
          if (version !== undefined) await setTag(version).catch(() => undefined);
          return body;
        }),
      );
    }
  }
  return applyDecorators(
    UseInterceptors(EntityTagInterceptor),
    RequestHeader(
      'If-Match',
      'The `ETag` of the version that you have read: the change is made only if the resource is still the same; otherwise the response is 412. `*` stands for any version. Without this header the last write wins.',
      { type: 'string', examples: [EXAMPLE_TAG] },
    ),
    Fails({
      status: 412,
      name: 'precondition-failed',
      title: 'The resource has changed since you read it',
      error: new PreconditionFailed('').message,
      fix: 'Nothing was changed. Read the resource again, look at what is different, and send your change with the new `ETag` in `If-Match`.',
      headers: {
        ETag: header('The present tag of the resource.', {
          type: 'string',
          examples: [EXAMPLE_TAG],
        }),
      },
    }),
  );
}

/** The response of a change has the ETag that the GET of the resource now has: see `versioned`. */
export const SendsTag = () =>
  ResponseHeader('ETag', 'The tag that the GET of this resource has now.', EXAMPLE_TAG, {
    required: false,
  });
