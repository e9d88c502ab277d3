import { Reflector } from '@nestjs/core';
import type { Scope } from '../accounts/scope.rules';

/**
 * A handler, or every handler of a controller, needs a key with one of these scopes. Without the decorator reading needs
 * `read`, and everything else `write`.
 */
export const KeyScope = Reflector.createDecorator<[Scope, ...Scope[]]>();

/** The handler and its controller. */
type Targets = Parameters<Reflector['getAllAndOverride']>[1];

/** Any of these lets a key in. */
export const scopesOf = (reflector: Reflector, targets: Targets, isWrite: boolean): Scope[] =>
  reflector.getAllAndOverride(KeyScope, targets) ?? [isWrite ? 'write' : 'read'];
