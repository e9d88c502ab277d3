import {
  applyDecorators,
  Controller,
  UseGuards,
  UseInterceptors,
  createParamDecorator,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request } from 'express';
import { isStorable } from '../../platform/text/text.rules';
import { PageInterceptor } from './page.interceptor';
import { AdministratorGuard, SignedInGuard } from './viewer';

/** A controller of pages that anybody may see. */
export const OpenPages = (path = '') =>
  applyDecorators(Controller(path), UseInterceptors(PageInterceptor));

/** A controller of pages below /dashboard that need a sign-in. */
export const SignedInPages = (path = '') =>
  applyDecorators(OpenPages(`dashboard/${path}`), UseGuards(SignedInGuard));

/** A controller of pages below /dashboard/admin, for administrators. */
export const AdministratorPages = (path: string) =>
  applyDecorators(OpenPages(`dashboard/admin/${path}`), UseGuards(AdministratorGuard));

/**
 * Parameter decorator: one parameter of the address, '' where it is absent or is no text. Pages are lenient
 * where the API answers 400: who mistypes an address gets the page.
 */
export const QueryText = createParamDecorator((name: string, context: ExecutionContext): string => {
  const value = context.switchToHttp().getRequest<Request>().query[name];
  return typeof value === 'string' && isStorable(value) ? value : '';
});
