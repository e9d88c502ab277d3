import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/access.module';
import { EventsModule } from '../events/events.module';
import { DeliveriesController } from './deliveries/deliveries.controller';
import { DeliveriesService } from './deliveries/deliveries.service';
import { WebhookAttempt, WebhookDelivery } from './deliveries/delivery.entity';
import { WebhookMetricsService } from './deliveries/webhook-metrics.service';
import { WebhooksOfDeletedAccounts } from './deliveries/webhooks-of-deleted-accounts.service';
import { WorkersService } from './deliveries/workers.service';
import { WebhookEndpoint } from './endpoints/endpoint.entity';
import { EndpointRightsListener } from './endpoints/endpoint-rights.listener';
import { EndpointSecretsService } from './endpoints/endpoint-secrets.service';
import { EndpointsController } from './endpoints/endpoints.controller';
import { EndpointsService } from './endpoints/endpoints.service';
import { SealedSecretsService } from './endpoints/sealed-secrets.service';
import { SecretBox } from './endpoints/secret-box';
import { EventsController } from './events/events.controller';
import { StoredEventsService } from './events/stored-events.service';

/**
 * The half of webhooks that pages, tools and the API use. It does not know the queue: a request is a row, and the
 * worker is notified at the commit. The half that delivers is in webhooks-worker.module.ts.
 */
@Module({
  imports: [
    TypeOrmModule.forFeature([WebhookEndpoint, WebhookDelivery, WebhookAttempt]),
    AccessModule,
    EventsModule,
  ],
  controllers: [EndpointsController, DeliveriesController, EventsController],
  providers: [
    EndpointsService,
    EndpointRightsListener,
    WebhooksOfDeletedAccounts,
    EndpointSecretsService,
    DeliveriesService,
    StoredEventsService,
    WorkersService,
    SealedSecretsService,
    SecretBox,
    WebhookMetricsService,
  ],
  exports: [
    EndpointsService,
    EndpointSecretsService,
    DeliveriesService,
    WebhookMetricsService,
    WorkersService,
    SealedSecretsService,
    SecretBox,
    WebhooksOfDeletedAccounts,
  ],
})
export class WebhooksModule {}
