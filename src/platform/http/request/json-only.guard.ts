import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import type { Request } from 'express';
import { NotAcceptable } from '../../errors/domain-errors';
import { Fails } from '../../openapi/failures';

/** Media ranges that cover `application/json`, most specific first: a more specific one takes precedence. */
const RANGES = ['application/json', 'application/*', '*/*'];

/**
 * Whether a client that sends this `Accept` header accepts JSON. Parameters other than the weight do not matter; a
 * blank header counts as absent.
 */
export function takesJson(accept: string): boolean {
  const weights = new Map<string, number>();
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((it) => it.trim().toLowerCase());
    const weight = parameters.find((it) => /^q\s*=/.test(it))?.split('=')[1];
    // An invalid weight is not a refusal.
    const refused = weight !== undefined && /^\s*0(?:\.0*)?\s*$/.test(weight);
    weights.set(range, Math.max(weights.get(range) ?? 0, refused ? 0 : 1));
  }
  const nearest = RANGES.find((range) => weights.has(range));
  return nearest === undefined ? accept.trim() === '' : weights.get(nearest) !== 0;
}

/**
 * Refuses requests that exclude JSON before anything is read or done for them. A guard and not an
 * interceptor: an ordinary request costs only a comparison.
 */
@Injectable()
class JsonOnlyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { accept } = context.switchToHttp().getRequest<Request>().headers;
    if (accept === undefined || accept === '*/*' || accept === 'application/json') return true;
    if (takesJson(accept)) return true;
    throw new NotAcceptable();
  }
}

/** The response is JSON: clients that exclude JSON get 406. */
export const JsonOnly = () =>
  applyDecorators(
    UseGuards(JsonOnlyGuard),
    Fails({
      status: 406,
      name: 'not-acceptable',
      title: 'The header Accept excludes JSON',
      error: new NotAcceptable().message,
      fix: 'Send `Accept: application/json`, or omit the header. It is checked after the key and the plan, before the body is read. For files use the export, whose `format` selects the format.',
    }),
  );
