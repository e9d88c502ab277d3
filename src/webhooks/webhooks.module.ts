import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/access.module';
import { EventsModule } from '../events/events.module';
import { DeliveriesService } from './deliveries.service';
import { WebhookEndpoint } from './endpoint.entity';
import { EndpointEvents } from './endpoint-events';
import { EndpointNoticesService } from './endpoint-notices.service';
import { EndpointRightsService } from './endpoint-rights.service';
import { EndpointSecretsService } from './endpoint-secrets.service';
import { EndpointsService } from './endpoints.service';
import { SealedSecretsService } from './sealed-secrets.service';
import { SecretBox } from './secret-box';
import { TestEventsService } from './test-events.service';
import { WebhookMetricsService } from './webhook-metrics.service';
import { WorkersService } from './workers.service';

/**
 * The half of webhooks that people use, by pages and tools. It knows no queue: what it asks for is a row that a
 * worker finds within about a second. The half that delivers is in worker/.
 */
@Module({
  imports: [TypeOrmModule.forFeature([WebhookEndpoint]), AccessModule, EventsModule],
  providers: [
    EndpointsService,
    EndpointEvents,
    EndpointNoticesService,
    EndpointRightsService,
    EndpointSecretsService,
    TestEventsService,
    DeliveriesService,
    WorkersService,
    SealedSecretsService,
    SecretBox,
    WebhookMetricsService,
  ],
  exports: [
    EndpointsService,
    EndpointEvents,
    EndpointNoticesService,
    EndpointSecretsService,
    TestEventsService,
    DeliveriesService,
    WorkersService,
    SealedSecretsService,
    SecretBox,
  ],
})
export class WebhooksModule {}
