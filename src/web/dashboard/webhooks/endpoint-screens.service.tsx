import { Injectable } from '@nestjs/common';
import type { VNode } from 'preact';
import { DeliveriesService } from '../../../webhooks/deliveries/deliveries.service';
import { EndpointsService } from '../../../webhooks/endpoints/endpoints.service';
import type { Owner } from '../../../webhooks/endpoints/owner';
import type { Form } from '../../http/form';
import { Delivering } from './delivering.service';
import { EndpointPage } from './endpoint.page';

/** Deliveries on an endpoint's own page. */
const NEWEST = 5;

/** The page of one endpoint, to which several acts lead back. */
@Injectable()
export class EndpointScreens {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly deliveries: DeliveriesService,
    private readonly delivering: Delivering,
  ) {}

  /** @throws NotFound, also for another account's endpoint */
  async endpoint(owner: Owner, id: string, form: Form): Promise<VNode> {
    const endpoint = await this.endpoints.get(owner, id);
    const [deliveries, delivering] = await Promise.all([
      this.deliveries.list(owner, { endpointId: id, limit: NEWEST }),
      this.delivering.isOn(),
    ]);
    return <EndpointPage {...{ endpoint, deliveries, delivering, form }} />;
  }
}
