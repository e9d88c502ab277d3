import type { NextFunction, Request, Response } from 'express';
import type { Logger } from '../logger';

/**
 * One line a request, when its answer has gone out (or its client has). Headers and bodies are never
 * logged, and keys never appear, wherever in the URL they were put.
 */
export function accessLog(logger: Logger) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const started = performance.now();
    const { method, originalUrl } = request;
    response.once('close', () => {
      const line = {
        requestId: request.id,
        accountId: request.accountId,
        method,
        url: withoutKeys(originalUrl),
        status: response.statusCode,
        ms: Math.round((performance.now() - started) * 10) / 10,
        ...(response.writableFinished ? {} : { aborted: true }),
      };
      if (response.statusCode >= 500) logger.error(line, 'request');
      else logger.info(line, 'request');
    });
    next();
  };
}

/** What `api_key` and its kin carry, in any spelling, and everything that looks like a key elsewhere. */
export function withoutKeys(url: string): string {
  return url
    .replace(
      /([?&](?:a|%61)(?:p|%70)(?:i|%69)(?:_|%5f|-)?(?:k|%6b)(?:e|%65)(?:y|%79)[^=&]*=)[^&]*/gi,
      '$1[redacted]',
    )
    .replace(/svc(_|%5f)(live|test)(_|%5f)[^&/?#]*/gi, '[redacted]')
    .slice(0, 2_000);
}
