import { Injectable } from '@nestjs/common';
import {
  DeliveriesService,
  type DeliveryDetail,
} from '../../../webhooks/deliveries/deliveries.service';
import type { Owner } from '../../../webhooks/endpoints/owner';
import { WorkersService } from '../../../webhooks/deliveries/workers.service';

/** How long a page waits to show what a test or a retry came to, in milliseconds. */
const PATIENCE = 3_000;

/** What pages want to know of the workers. */
@Injectable()
export class Delivering {
  constructor(
    private readonly workers: WorkersService,
    private readonly deliveries: DeliveriesService,
  ) {}

  /** Whether anybody delivers. */
  async isOn(): Promise<boolean> {
    return (await this.workers.list()).some(({ alive }) => alive);
  }

  /**
   * A delivery after the attempt that was just asked for, if that ends soon; so that a page without a script
   * shows what came of it.
   * @param attempts how many there were before
   */
  async afterNextAttempt(owner: Owner, id: string, attempts: number): Promise<DeliveryDetail> {
    const patience = (await this.isOn()) ? PATIENCE : 0;
    return this.deliveries.afterNextAttempt(owner, id, attempts, patience);
  }
}
