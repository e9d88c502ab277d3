import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { PreconditionFailed } from '../../errors/domain-errors';
import { isTagOf } from '../server/text-response';
import type { Precondition } from './precondition';

/** Parameter decorator: the header If-Match. Without it every version matches: the last write wins. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const tags = context.switchToHttp().getRequest<Request>().headers['if-match']?.split(',');
  const required: Precondition = (version) => {
    if (tags && !tags.some((tag) => tag.trim() === '*' || isTagOf(tag, version)))
      throw new PreconditionFailed(version);
  };
  return required;
});
