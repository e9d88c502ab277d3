import {
  applyDecorators,
  Injectable,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request } from 'express';
import { NotAcceptable } from '../../errors/domain-errors';
import { Fails } from '../../openapi/failures';
import { takesJson } from '../request/accept.rules';

/**
 * Refuses what asks for another format than JSON before anything is read or done for it. A guard and no
 * interceptor: it costs the ordinary request a comparison.
 */
@Injectable()
class JsonAnswerGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { accept } = context.switchToHttp().getRequest<Request>().headers;
    if (accept === undefined || accept === '*/*' || accept === 'application/json') return true;
    if (takesJson(accept)) return true;
    throw new NotAcceptable();
  }
}

/** The response is JSON: 406 for who takes none. */
export const JsonOnly = () =>
  applyDecorators(
    UseGuards(JsonAnswerGuard),
    Fails({
      status: 406,
      name: 'not-acceptable',
      title: 'The header Accept excludes JSON',
      error: new NotAcceptable().message,
      fix: 'Send `Accept: application/json`, or leave the header out. It is checked after the key and the plan, before the body is read. Files come from the export, whose `format` says which.',
    }),
  );
