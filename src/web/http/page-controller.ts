import { applyDecorators, Controller, UseGuards, UseInterceptors } from '@nestjs/common';
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
