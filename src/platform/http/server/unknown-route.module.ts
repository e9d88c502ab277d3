import { Module } from '@nestjs/common';
import { UnknownRouteController } from './unknown-route.controller';

/** Has the catch-all route, so the application imports it last. */
@Module({ controllers: [UnknownRouteController] })
export class UnknownRouteModule {}
