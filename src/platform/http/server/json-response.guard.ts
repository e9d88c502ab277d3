import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { NotAcceptable } from '../../errors/domain-errors';
import { Documents } from '../../openapi/operation';
import { takesJson } from '../request/accept.rules';
import { JSON_ANSWER } from '../http.openapi';

/**
 * Refuses what asks for another format than JSON before anything is read or done for it. A guard and no
 * interceptor: it costs the ordinary request a comparison.
 */
@Injectable()
@Documents(JSON_ANSWER)
export class JsonAnswerGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { accept } = context.switchToHttp().getRequest<Request>().headers;
    if (accept === undefined || accept === '*/*' || accept === 'application/json') return true;
    if (takesJson(accept)) return true;
    throw new NotAcceptable();
  }
}
