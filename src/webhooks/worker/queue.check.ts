import { Injectable } from '@nestjs/common';
import type { Finding, HealthCheck } from '../../platform/health/readiness.service';
import { DeliveryQueues } from './delivery-queues';

/**
 * Whether the worker's queue takes and gives jobs. One that is away makes the worker useless for the moment, but
 * a restart would not help: it goes on by itself when the queue is back.
 */
@Injectable()
export class QueueCheck implements HealthCheck {
  readonly name = 'queue';

  constructor(private readonly queues: DeliveryQueues) {}

  look(): Finding {
    return this.queues.answers ? { state: 'up' } : AWAY;
  }
}

const AWAY: Finding = {
  state: 'down',
  effect: 'degraded',
  note: 'The queue does not answer: deliveries wait for it.',
};
