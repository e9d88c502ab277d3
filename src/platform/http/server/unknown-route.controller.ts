import { All, Controller, NotFoundException, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express, NextFunction, Request, Response } from 'express';
import { ErrorFilter } from './error-filter';

/**
 * Every request that no other controller handles. Under the API's prefix it is a controller, so that these
 * requests are counted by the rate limit too; it must be registered last. The error filter makes the response.
 */
@Controller()
export class UnknownRouteController implements OnApplicationBootstrap {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly errors: ErrorFilter,
  ) {}

  @All(['', '{*path}'])
  notFound(): never {
    throw new NotFoundException();
  }

  /** Outside the prefix Nest handles none of this: Express would respond with a page of HTML. */
  onApplicationBootstrap(): void {
    const app = this.host.httpAdapter.getInstance<Express>();
    app.use(() => {
      throw new NotFoundException();
    });
    // Express knows a handler of errors by its four parameters.
    app.use((error: unknown, request: Request, response: Response, _: NextFunction) =>
      this.errors.respond(error, request, response),
    );
  }
}
