import { Post } from '@nestjs/common';
import type { PageRequest } from './page-controller';
import { OnRefusal } from './page-controller';
import type { PageResult } from './page-results';

const page = () => null as unknown as PageResult;
const handler = () => ({ value: (_: PageRequest) => Promise.resolve(page()) });

it('a handler keeps the route that Nest’s decorators above @OnRefusal give it', () => {
  const decorated = handler();
  OnRefusal('show')({ show: page }, 'save', decorated);
  Post()({}, 'save', decorated);
  expect(Reflect.getMetadata('path', decorated.value)).toBe('/');
});

it('@OnRefusal above Nest’s decorators, whose route would be lost, is an error at the start', () => {
  const decorated = handler();
  Post()({}, 'save', decorated);
  expect(() => OnRefusal('show')({ show: page }, 'save', decorated)).toThrow(
    'Put @OnRefusal below Nest’s decorators of save.',
  );
});
