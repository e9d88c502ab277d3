import { Reflector } from '@nestjs/core';

const decorator = Reflector.createDecorator<true>();

/** On a controller: its requests are not counted by the API's rate limit. */
export const NotCounted = () => decorator(true);

/** Whether a controller is marked so. */
export function isNotCounted(reflector: Reflector, controller: new (...args: never[]) => unknown) {
  return reflector.get(decorator, controller) === true;
}
