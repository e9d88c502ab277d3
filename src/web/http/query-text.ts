import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { isStorable } from '../../platform/text/text.rules';

/**
 * Parameter decorator: one parameter of the address, '' where it is absent or is no text. Pages are lenient
 * where the API answers 400: who mistypes an address gets the page.
 */
export const QueryText = createParamDecorator((name: string, context: ExecutionContext): string => {
  const value = context.switchToHttp().getRequest<Request>().query[name];
  return typeof value === 'string' && isStorable(value) ? value : '';
});
