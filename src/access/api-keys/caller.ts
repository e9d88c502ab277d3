import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Unauthenticated } from '../../platform/errors/domain-errors';
import type { Plan } from '../accounts/plan.rules';

/** The holder of the request's API key (specification, part 5). */
export interface Caller {
  accountId: string;
  keyId: string;
  plan: Plan;
  isAdmin: boolean;
}

declare module 'express-serve-static-core' {
  interface Request {
    caller?: Caller;
  }
}

/** Parameter decorator: the caller, set by ApiKeyGuard. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => {
    const { caller } = context.switchToHttp().getRequest<Request>();
    if (!caller) throw new Unauthenticated();
    return caller;
  },
);
