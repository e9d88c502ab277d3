import { All, Controller, HttpException, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { NO_ROUTE } from './error-filter';

interface Layer {
  route?: { methods: Record<string, boolean>; path: unknown };
  match(path: string): boolean;
}

/**
 * Everything under the API's prefix that no other controller answers: 404, or 405 where the address
 * exists for other methods. A controller, so that these requests too are counted by the rate limit.
 * It must be registered last.
 */
@Controller()
export class UnknownRouteController {
  @All('{*path}')
  answer(@Req() request: Request, @Res({ passthrough: true }) response: Response): never {
    const allowed = methodsAt(request);
    if (allowed.length === 0) throw new HttpException(NO_ROUTE, 404);
    response.setHeader('Allow', allowed.join(', '));
    throw new HttpException(
      `${request.method} is not possible here, only ${allowed.join(' and ')}.`,
      405,
    );
  }
}

function methodsAt({ app, path, route }: Request): string[] {
  const { stack } = (app as unknown as { router: { stack: Layer[] } }).router;
  const self = (route as Layer['route'])?.path;
  const layers = stack.filter(
    (layer) => layer.route && layer.route.path !== self && layer.match(path),
  );
  const methods = new Set(layers.flatMap((layer) => Object.keys(layer.route?.methods ?? {})));
  if (methods.has('get')) methods.add('head');
  methods.delete('_all');
  return [...methods].map((method) => method.toUpperCase()).sort();
}
