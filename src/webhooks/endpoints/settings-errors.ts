import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { catchError } from 'rxjs';
import { EVENT_NAMES } from '../../events/event-map';
import { Config } from '../../platform/config/config';
import { Invalid } from '../../platform/errors/domain-errors';
import { readSettings } from './endpoint.rules';

/**
 * Adds what `readSettings` finds to the other errors of a body, so that a client gets all of them at once. No validator of
 * the class can: which URLs are valid depends on the configuration.
 */
@Injectable()
export class SettingsErrors implements NestInterceptor {
  constructor(private readonly config: Config) {}

  intercept(context: ExecutionContext, next: CallHandler) {
    const { body } = context.switchToHttp().getRequest<Request<object, unknown, object | null>>();
    return next.handle().pipe(
      catchError((error: unknown) => {
        if (!(error instanceof Invalid)) throw error;
        const [first, ...others] = error.details ?? [];
        const more = this.errorsOf({ ...body }).filter(
          ({ path }) => !error.details?.some((known) => known.path.startsWith(path)),
        );
        throw first && more.length > 0
          ? new Invalid('The body', [first, ...others, ...more])
          : error;
      }),
    );
  }

  private errorsOf({ url, events }: { url?: unknown; events?: unknown }) {
    const isList = Array.isArray(events) && events.length <= EVENT_NAMES.length;
    const names = isList && events.every((name) => typeof name === 'string') ? events : undefined;
    const settings = { url: typeof url === 'string' ? url : undefined, events: names };
    return readSettings(settings, this.config.webhooks).errors;
  }
}
