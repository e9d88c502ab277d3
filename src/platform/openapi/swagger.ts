import type * as Swagger from '@nestjs/swagger';

type AnyDecorator = MethodDecorator & PropertyDecorator;

const waiting: ((swagger: typeof Swagger) => void)[] = [];

/**
 * Applies decorators of @nestjs/swagger when the document is first requested: loading the library takes 130 ms,
 * which no start, worker or command should have to spend.
 */
export const Described =
  (
    decorators: (
      swagger: typeof Swagger,
      target: object,
      key: string | symbol,
    ) => (MethodDecorator | PropertyDecorator)[],
  ): AnyDecorator =>
  (target: object, key: string | symbol, descriptor?: unknown) => {
    waiting.push((swagger) => {
      for (const decorate of decorators(swagger, target, key))
        (decorate as (...to: unknown[]) => void)(target, key, descriptor);
    });
  };

/** The library, with everything described so far. Null in production, where it is not installed. */
export function loadSwagger(): typeof Swagger | null {
  try {
    require.resolve('@nestjs/swagger');
  } catch {
    return null;
  }
  // Not an import: those are loaded at every start.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const swagger = require('@nestjs/swagger') as typeof Swagger;
  for (const describe of waiting.splice(0)) describe(swagger);
  return swagger;
}
