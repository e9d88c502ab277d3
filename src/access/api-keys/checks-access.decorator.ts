import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import type { Request } from 'express';
import type { Caller } from './caller';
import { callerOf } from './current-caller.decorator';

/**
 * Checks the caller's access to the path's id. An interceptor, because the contract puts this check between reading
 * the body as JSON and validating it.
 * @param check throws the error that the caller gets
 */
export function ChecksAccess<Service>(
  service: Type<Service>,
  check: (service: Service, caller: Caller, id: string) => Promise<unknown>,
) {
  @Injectable()
  class AccessCheck implements NestInterceptor {
    constructor(@Inject(service) private readonly service: Service) {}

    async intercept(context: ExecutionContext, next: CallHandler) {
      const { params } = context.switchToHttp().getRequest<Request<{ id: string }>>();
      await check(this.service, callerOf(context), params.id);
      return next.handle();
    }
  }
  return UseInterceptors(AccessCheck);
}
