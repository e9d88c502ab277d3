import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { Config } from '../platform/config/config';
import { DELIVERIES } from '../platform/queue/queue-names';
import { DeliveryRetention } from './deliveries/delivery-retention.service';
import { DeliveryQueue } from './relay/delivery-queue';
import { Heartbeat, Progress } from './relay/liveness';
import { ReconcilerService } from './relay/reconciler.service';
import { RelayService } from './relay/relay.service';
import { DeliveriesProcessor } from './sending/deliveries.processor';
import { DeliveryAttemptsService } from './sending/delivery-attempts.service';
import { DeliverySender } from './sending/delivery-sender';
import { EndpointHealthService } from './sending/endpoint-health.service';
import { WebhookWorker } from './webhook-worker';
import { WebhooksModule } from './webhooks.module';

/** The half of webhooks that delivers. Only the worker process imports it. */
@Module({
  imports: [EventsModule, WebhooksModule, BullModule.registerQueue({ name: DELIVERIES })],
  providers: [
    {
      provide: DeliverySender,
      inject: [Config],
      useFactory: ({ webhooks }: Config) => new DeliverySender(webhooks),
    },
    DeliveryQueue,
    RelayService,
    ReconcilerService,
    EndpointHealthService,
    DeliveryAttemptsService,
    DeliveriesProcessor,
    DeliveryRetention,
    Heartbeat,
    Progress,
    WebhookWorker,
  ],
  exports: [DeliveryQueue, Heartbeat, Progress],
})
export class WebhooksWorkerModule {}
