import { HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { METHODS } from 'node:http';

/** 404, or 405 with `Allow` where the address exists for other methods. */
export function unknownRoute(request: Request, response: Response): HttpException {
  const allowed = methodsAt(request);
  if (allowed.length === 0) return new HttpException(nothingAt(request), 404);
  response.setHeader('Allow', allowed.join(', '));
  const list = new Intl.ListFormat('en').format(allowed);
  return new HttpException(`${request.method} is not possible here, only ${list}.`, 405);
}

function nothingAt({ path }: Request): string {
  const [, version] = /^\/api\/(v\d{1,9})(?:\/|$)/i.exec(path) ?? [];
  return version === undefined || version.toLowerCase() === 'v1'
    ? 'There is nothing at this address. The API lives under /api/v1.'
    : `There is no ${version} of this API. It lives under /api/v1.`;
}

interface Layer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** The methods of all routes at this address; a route for every method is a catch-all and no address. */
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
