import {
  type ArgumentsHost,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  HttpException,
  Injectable,
} from '@nestjs/common';
import type { Response } from 'express';
import { Config } from '../../platform/config/config';
import { RateLimited } from '../../platform/errors/domain-errors';
import { ERROR_CODE } from '../../platform/http/server/error-filter';
import { CODE } from './opentdb.rules';

/** With OPENTDB=off there is nothing here. */
@Injectable()
export class OpenTdbEnabled implements CanActivate {
  constructor(private readonly config: Config) {}

  canActivate(): boolean {
    // Not a NotFoundException: the routes exist, so it would become a 405.
    if (!this.config.openTdb)
      throw new HttpException('This service does not have the endpoints of OpenTDB.', 404);
    return true;
  }
}

/** Too many requests, in OpenTDB's words. Other errors are those of the API. */
@Catch(RateLimited)
export class OpenTdbErrors implements ExceptionFilter<RateLimited> {
  catch({ code, retryAfter }: RateLimited, host: ArgumentsHost): void {
    host
      .switchToHttp()
      .getResponse<Response>()
      .status(429)
      .set({ 'Cache-Control': 'no-store', 'Retry-After': `${retryAfter}`, [ERROR_CODE]: code })
      .json({ response_code: CODE.rateLimit, results: [] });
  }
}
