import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Unauthenticated } from '../../platform/errors/domain-errors';
import type { Caller } from './caller';

declare module 'express-serve-static-core' {
  interface Request {
    caller?: Caller;
  }
}

/** The caller of the request. @throws Unauthenticated if ApiKeyGuard has not run before */
export function callerOf(context: ExecutionContext): Caller {
  const { caller } = context.switchToHttp().getRequest<Request>();
  if (!caller) throw new Unauthenticated();
  return caller;
}

/** Parameter decorator: the caller, set by ApiKeyGuard. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context),
);
