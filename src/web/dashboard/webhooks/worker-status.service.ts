import { Injectable } from '@nestjs/common';
import {
  DeliveriesService,
  type DeliveryDetail,
} from '../../../webhooks/deliveries/deliveries.service';
import type { Owner } from '../../../webhooks/endpoints/endpoint.entity';
import { WorkersService } from '../../../webhooks/deliveries/workers.service';

/** How long a page waits for the result of a test or a retry, in milliseconds. */
const PATIENCE = 3_000;

/** Tells pages whether a worker runs, and waits for one to make an attempt. */
@Injectable()
export class WorkerStatus {
  constructor(
    private readonly workers: WorkersService,
    private readonly deliveries: DeliveriesService,
  ) {}

  /** Whether at least one worker is alive. */
  async isRunning(): Promise<boolean> {
    return (await this.workers.list()).some(({ alive }) => alive);
  }

  /**
   * The delivery after the attempt that was just requested, or as it is after a short wait. A page without a script
   * shows the result this way.
   * @param attempts how many attempts there were before
   */
  async afterNextAttempt(owner: Owner, id: string, attempts: number): Promise<DeliveryDetail> {
    const patience = (await this.isRunning()) ? PATIENCE : 0;
    return this.deliveries.afterNextAttempt(owner, id, attempts, patience);
  }
}
