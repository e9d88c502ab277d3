import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { Unauthenticated } from '../platform/domain-errors';
import { Documents } from '../platform/openapi/operation';
import { AttemptsService } from './attempts.service';
import { OWN_ATTEMPT } from './play.openapi';

/** 404 for an attempt that is not the caller's: after the body was read, before it is validated (contract). */
@Injectable()
@Documents(OWN_ATTEMPT)
export class OwnAttemptInterceptor implements NestInterceptor {
  constructor(private readonly attempts: AttemptsService) {}

  async intercept(context: ExecutionContext, next: CallHandler) {
    const { caller, params } = context.switchToHttp().getRequest<Request<{ id: string }>>();
    if (!caller) throw new Unauthenticated();
    await this.attempts.requireOwn(caller.accountId, params.id);
    return next.handle();
  }
}
