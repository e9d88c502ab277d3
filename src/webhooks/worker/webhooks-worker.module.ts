import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module';
import { Config } from '../../platform/config/config';
import { DeliverySender } from '../sending/sender';
import { WebhooksModule } from '../webhooks.module';
import { Attempts } from '../sending/attempts';
import { Heartbeat, Progress } from './liveness';
import { DELIVERY_QUEUES, DeliveryQueues } from './delivery-queues';
import { Leases } from '../sending/leases';
import { EndpointHealth } from '../sending/endpoint-health';
import { AttemptRecorder } from '../sending/attempt-recorder';
import { EventNotifications, Relay } from './relay';
import { Retention } from './retention';
import { Sweep } from './sweep';
import {
  FirstAttemptsProcessor,
  RetriesProcessor,
  SlowEndpointsProcessor,
  WebhookWorker,
} from './webhook-worker';

/** The half of webhooks that delivers. Only the worker process imports it. */
@Module({
  imports: [
    EventsModule,
    WebhooksModule,
    BullModule.registerQueue(...DELIVERY_QUEUES.map((name) => ({ name }))),
  ],
  providers: [
    {
      provide: DeliverySender,
      inject: [Config],
      useFactory: ({ webhooks }: Config) => new DeliverySender(webhooks),
    },
    DeliveryQueues,
    EventNotifications,
    Relay,
    Sweep,
    Leases,
    AttemptRecorder,
    EndpointHealth,
    Attempts,
    FirstAttemptsProcessor,
    SlowEndpointsProcessor,
    RetriesProcessor,
    Retention,
    Heartbeat,
    Progress,
    WebhookWorker,
  ],
  exports: [DeliveryQueues, Heartbeat, Progress],
})
export class WebhooksWorkerModule {}
