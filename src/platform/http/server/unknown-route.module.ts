import { Module } from '@nestjs/common';
import { ErrorFilter } from './error-filter';
import { UnknownRouteController } from './unknown-route.controller';

/** Has the catch-all route, so the application imports it last. */
@Module({ controllers: [UnknownRouteController], providers: [ErrorFilter] })
export class UnknownRouteModule {}
