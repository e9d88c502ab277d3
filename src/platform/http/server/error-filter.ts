import { METHODS } from 'node:http';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Inject,
  NotFoundException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { isDeadlock, isTimeOut, isUnavailable } from '../../database/database-errors';
import {
  DomainError,
  type DomainErrorKind,
  type Issue,
  StatementTimeout,
  Unavailable,
} from '../../errors/domain-errors';
import type { ErrorCode } from '../../errors/error-codes';
import { LOGGER, type Logger } from '../../observability/logger';

const STATUS: Record<DomainErrorKind, number> = {
  malformed: 400,
  unauthenticated: 401,
  'plan-required': 403,
  'limit-reached': 403,
  forbidden: 403,
  'not-found': 404,
  'not-acceptable': 406,
  conflict: 409,
  gone: 410,
  'precondition-failed': 412,
  'too-large': 413,
  unsupported: 415,
  invalid: 422,
  'rate-limited': 429,
  'too-slow': 503,
  unavailable: 503,
};

/** The response header that names the cause of an error. */
export const ERROR_CODE = 'X-Error-Code';

/** The error envelope of the specification, part 7. */
export interface ErrorEnvelope {
  success: false;
  error: string;
  details?: Issue[];
}

declare module 'express-serve-static-core' {
  interface Request {
    /** Set where errors are pages and not envelopes: it responds instead of the filter. */
    sendErrorPage?: (status: number, envelope: ErrorEnvelope) => void;
  }
}

/**
 * The one place that makes error bodies. Anything that is not one of our errors is an internal error: its stack is
 * logged with the request id, and the client gets only that id.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(error, http.getRequest<Request>(), http.getResponse<Response>());
  }

  respond(error: unknown, request: Request, response: Response): void {
    // Only routing throws Nest's own: if a module does not find something, it throws a domain error.
    const found = error instanceof NotFoundException ? unknownRoute(request, response) : error;
    const reported = this.reportable(found, request);
    const [status, body, code] = this.describe(reported, request);
    // The client has gone, or the response has begun: it cannot receive an error.
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    if (reported instanceof DomainError && reported.retryAfter !== undefined)
      response.setHeader('Retry-After', reported.retryAfter);
    // Overrides what the route says about its responses.
    response.setHeader('Cache-Control', 'no-store');
    // Browsers ask for text/html, and htmx for anything.
    if (request.sendErrorPage && request.accepts('html', 'json') !== 'json') {
      request.sendErrorPage(status, body);
      return;
    }
    response.setHeader(ERROR_CODE, code);
    if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
    response.status(status).json(body);
  }

  /** The status and the body of an error for a response of another form; what has to be logged is logged. */
  envelope(error: unknown, request: Request): ErrorEnvelope & { status: number } {
    const [status, body] = this.describe(this.reportable(error, request), request);
    return { status, ...body };
  }

  /** The error that the client is told about. */
  private reportable(error: unknown, request: Request): unknown {
    const temporary = this.temporary(error);
    if (!temporary) return error;
    // While the database is unreachable every request fails in the same way, so the stack would be the same each
    // time.
    const { message: reason, code } = error as NodeJS.ErrnoException;
    const why = temporary instanceof Unavailable ? { reason, code } : { err: error };
    this.logger.warn({ ...why, requestId: request.id }, `request failed: ${temporary.name}`);
    return temporary;
  }

  /** What the database could not do at this moment, as an error that says when to retry. */
  private temporary(error: unknown): DomainError | null {
    if (isTimeOut(error) || isDeadlock(error)) return new StatementTimeout();
    return isUnavailable(error) ? new Unavailable() : null;
  }

  private describe(
    error: unknown,
    request: Request,
  ): [status: number, body: ErrorEnvelope, code: ErrorCode] {
    if (error instanceof DomainError) {
      const { message, details, code } = error;
      return [STATUS[error.kind], { success: false, error: message, details }, code];
    }
    if (error instanceof HttpException && error.getStatus() < 500) {
      const status = error.getStatus();
      return [status, { success: false, error: error.message }, codeOf(status)];
    }
    this.logger.error({ err: error, requestId: request.id }, 'request failed');
    return [500, { success: false, error: 'Something went wrong.' }, 'internal-error'];
  }
}

/** The code of an error of routing. */
function codeOf(status: number): ErrorCode {
  if (status === 404) return 'route-not-found';
  return status === 405 ? 'method-not-allowed' : 'malformed-request';
}

/** 404, or 405 with `Allow` if the path exists for other methods. */
function unknownRoute(request: Request, response: Response): HttpException {
  const allowed = methodsAt(request);
  if (allowed.length === 0) return new HttpException(nothingAt(request), 404);
  response.setHeader('Allow', allowed.join(', '));
  const list = new Intl.ListFormat('en').format(allowed);
  return new HttpException(`${request.method} is not allowed here, only ${list}.`, 405);
}

function nothingAt({ path }: Request): string {
  const [, version] = /^\/api\/(v\d{1,9})(?:\/|$)/i.exec(path) ?? [];
  return version === undefined || version.toLowerCase() === 'v1'
    ? 'There is no page at this URL. The documentation at /docs lists every endpoint.'
    : `There is no ${version} of this API. It lives under /api/v1.`;
}

interface Layer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/**
 * The methods of all routes at this path; a route for every method is a catch-all and does not count. Neither Nest nor
 * Express has a documented way to ask for them. Express reads its stack like this to respond to OPTIONS.
 */
function methodsAt({ app, path }: Request): string[] {
  const { stack } = (app as unknown as { router: { stack: Layer[] } }).router;
  const methods = new Set(
    stack
      .filter((layer) => layer.route && layer.match(path))
      .map((layer) => Object.keys(layer.route?.methods ?? {}))
      .filter((names) => names.length < METHODS.length - 1)
      .flat(),
  );
  if (methods.has('get')) methods.add('head');
  return [...methods].map((method) => method.toUpperCase()).sort();
}
