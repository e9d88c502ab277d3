import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { Unauthenticated } from '../../platform/errors/domain-errors';

/**
 * Checks for the caller what the path's id names. An interceptor, because the contract puts that after the body was
 * read as JSON and before it is validated.
 */
@Injectable()
export abstract class PathCheckInterceptor implements NestInterceptor {
  /** @throws what the caller is to be told */
  protected abstract check(accountId: string, id: string): Promise<unknown>;

  async intercept(context: ExecutionContext, next: CallHandler) {
    const { caller, params } = context.switchToHttp().getRequest<Request<{ id: string }>>();
    if (!caller) throw new Unauthenticated();
    await this.check(caller.accountId, params.id);
    return next.handle();
  }
}
