import { RequestMethod, type Type } from '@nestjs/common';
import {
  GUARDS_METADATA,
  HTTP_CODE_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
} from '@nestjs/common/constants';
import { operationOf, traitOf, type Operation, type Trait } from './operation';

/** A documented handler, with what its decorators say. */
export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below the prefix, as OpenAPI writes it: `/quizzes/{id}`. */
  path: string;
  status: number;
  operation: Operation;
  traits: Trait[];
}

/** The documented routes of the controllers, in their order. */
export function routesOf(controllers: readonly Type[]): Route[] {
  return controllers.flatMap((controller) => {
    const prototype = controller.prototype as object;
    return Object.values(Object.getOwnPropertyDescriptors(prototype)).flatMap((property) => {
      // Not read by name: a getter would be run, without its object.
      const handler = property.value as unknown;
      const operation = typeof handler === 'function' ? operationOf(handler) : undefined;
      return operation ? [routeOf(controller, handler as object, operation)] : [];
    });
  });
}

function routeOf(controller: Type, handler: object, operation: Operation): Route {
  const read = (key: string, of: object) => Reflect.getMetadata(key, of) as unknown;
  const method = RequestMethod[
    read(METHOD_METADATA, handler) as number
  ]?.toLowerCase() as Route['method'];
  const parts = [read(PATH_METADATA, controller), read(PATH_METADATA, handler)]
    .flatMap((part) => (typeof part === 'string' ? part.split('/') : []))
    .filter(Boolean);
  const traits = [GUARDS_METADATA, INTERCEPTORS_METADATA]
    .flatMap((key) => [read(key, controller), read(key, handler)])
    .flatMap((classes) => (classes as object[] | undefined) ?? [])
    .map((it) => traitOf(it))
    .filter((trait) => trait !== undefined);
  return {
    method,
    path: `/${parts.join('/')}`.replace(/:(\w+)/g, '{$1}'),
    status: (read(HTTP_CODE_METADATA, handler) as number) ?? (method === 'post' ? 201 : 200),
    operation,
    traits,
  };
}
