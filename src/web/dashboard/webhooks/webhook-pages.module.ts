import { Module } from '@nestjs/common';
import { AccessModule } from '../../../access/access.module';
import { WebhooksModule } from '../../../webhooks/webhooks.module';
import { DeliveriesController } from './deliveries.controller';
import { Delivering } from './delivering.service';
import { EndpointActionsController } from './endpoint-actions.controller';
import { EndpointScreens } from './endpoint-screens.service';
import { EndpointsController } from './endpoints.controller';

/** The webhook screens of the dashboard. */
@Module({
  imports: [AccessModule, WebhooksModule],
  // In this order: `deliveries` is no id of an endpoint.
  controllers: [DeliveriesController, EndpointsController, EndpointActionsController],
  providers: [Delivering, EndpointScreens],
})
export class WebhookPagesModule {}
