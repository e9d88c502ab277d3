import { RequestMethod, SetMetadata } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants';
import type { Scope } from '../accounts/scope.rules';

const KEY_SCOPES = 'key-scopes';

/**
 * The endpoint needs a key with one of these scopes. Without it a GET needs `read`, and everything else `write`. Only of
 * methods: the type refuses a class, where it would change nothing.
 */
export const KeyScope = (...scopes: [Scope, ...Scope[]]): MethodDecorator =>
  SetMetadata(KEY_SCOPES, scopes);

/** Any of these lets a key in. */
export function scopesOf(handler: object): Scope[] {
  const read = (name: string): unknown => Reflect.getMetadata(name, handler);
  const isGet = read(METHOD_METADATA) === RequestMethod.GET;
  return (read(KEY_SCOPES) as Scope[] | undefined) ?? [isGet ? 'read' : 'write'];
}
