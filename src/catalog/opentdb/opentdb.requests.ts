import {
  type ArgumentsHost,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  HttpException,
  Injectable,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../platform/config/config';
import { DomainError } from '../../platform/errors/domain-errors';
import { ErrorFilter } from '../../platform/http/server/error-filter';
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

/** Says in OpenTDB's words that there were too many requests; other errors are those of the API. */
@Injectable()
@Catch()
export class OpenTdbErrors implements ExceptionFilter {
  constructor(private readonly errors: ErrorFilter) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    if (error instanceof DomainError && error.kind === 'rate-limited') {
      const { json } = response;
      response.json = () => json.call(response, { response_code: CODE.rateLimit, results: [] });
    }
    this.errors.respond(error, http.getRequest<Request>(), response);
  }
}
