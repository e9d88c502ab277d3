import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import express, { type Request, type Response } from 'express';
import type { Observable } from 'rxjs';
import { Malformed, TooLarge } from '../domain-errors';

/** 1 MiB: fifty long questions with their answers take less than a tenth of it. */
const LIMIT = 1_048_576;
const DEPTH = 32;

const readRaw = express.raw({ type: () => true, limit: LIMIT });
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the request's body as JSON. An interceptor and not a middleware, since it must come after the
 * guards: the body of a caller without a key or without a plan is never read (contract, order of checks).
 * @throws Malformed (400) when it is not JSON, TooLarge (413) above 1 MiB
 */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(request.headers['content-type'] ?? ''))
      throw new Malformed('Send the body as JSON, with the header Content-Type: application/json.');
    request.body = parse(await readBody(request, response));
    return next.handle();
  }
}

function readBody(request: Request, response: Response): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    readRaw(request, response, (error?: unknown) => {
      if (!error) resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
      else if ((error as { status?: number }).status === 413)
        reject(
          new TooLarge(
            'The body is larger than 1 MiB. Send fewer or shorter questions in one request.',
          ),
        );
      else reject(new Malformed('The body could not be read. Send it whole, as JSON in UTF-8.'));
    });
  });
}

function parse(bytes: Buffer): unknown {
  let body: unknown;
  try {
    body = JSON.parse(utf8.decode(bytes));
  } catch {
    throw new Malformed(
      bytes.length === 0 ? 'The body is empty. Send it as JSON.' : 'The body is not valid JSON.',
    );
  }
  if (depthExceeds(body, DEPTH))
    throw new Malformed(`The body is nested more than ${DEPTH} levels deep.`);
  return body;
}

/** Stops at the limit: a body nested 400,000 deep parses, and everything recursive after it would overflow. */
function depthExceeds(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => depthExceeds(child, levels - 1));
}
