import {
  changing,
  dataOf,
  part,
  type CallOptions,
  type ChangeOptions,
  type Transport,
} from './transport.ts';
import type {
  ResponseBody,
  Body,
  CreatedWebhook,
  DeliveryDetail,
  Query,
  RotatedWebhook,
  Webhook,
} from './types.ts';

/** The endpoints at which the account receives its events. */
export class Webhooks {
  constructor(private readonly transport: Transport) {}

  /** All endpoints of the account. */
  list(options?: CallOptions): Promise<Webhook[]> {
    return dataOf(this.transport, { ...options, method: 'GET', path: '/webhooks' });
  }

  /** One endpoint. */
  get(id: string, options?: CallOptions): Promise<Webhook> {
    return dataOf(this.transport, { ...options, method: 'GET', path: `/webhooks/${part(id)}` });
  }

  /** Creates an endpoint. Only this response has its `secret`. */
  create(webhook: Body<'createWebhook'>, options?: CallOptions): Promise<CreatedWebhook> {
    const call = { ...options, method: 'POST', path: '/webhooks', body: webhook } as const;
    return dataOf(this.transport, call);
  }

  /** Changes the fields that are given. */
  update(id: string, changes: Body<'updateWebhook'>, options?: ChangeOptions): Promise<Webhook> {
    return dataOf(this.transport, changing('PATCH', `/webhooks/${part(id)}`, changes, options));
  }

  /** Deletes an endpoint; its pending deliveries are cancelled. */
  async delete(id: string, options?: ChangeOptions): Promise<void> {
    await this.transport.send(changing('DELETE', `/webhooks/${part(id)}`, undefined, options));
  }

  /** Sends a test event. @returns the id of its delivery */
  async test(id: string, options?: CallOptions): Promise<string> {
    const path = `/webhooks/${part(id)}/test`;
    const call = { ...options, method: 'POST', path } as const;
    return (await dataOf<{ deliveryId: string }>(this.transport, call)).deliveryId;
  }

  /** One of the three steps of a rotation; the response to `stage` has the next secret. */
  rotateSecret(
    id: string,
    step: Body<'rotateWebhookSecret'>['step'],
    options?: ChangeOptions,
  ): Promise<RotatedWebhook> {
    const path = `/webhooks/${part(id)}/secret`;
    return dataOf(this.transport, { ...options, method: 'POST', path, body: { step } });
  }

  /** Retries all deliveries that failed since a time. @returns how many */
  async retryFailed(id: string, since: Date, options?: CallOptions): Promise<number> {
    const path = `/webhooks/${part(id)}/retry-failed`;
    const call = { ...options, method: 'POST', path, body: { since } } as const;
    return (await dataOf<{ retried: number }>(this.transport, call)).retried;
  }
}

/** Deliveries: each is one event for one endpoint. */
export class Deliveries {
  constructor(private readonly transport: Transport) {}

  /** One page of deliveries, newest first. */
  list(
    filter: Query<'listDeliveries'> = {},
    options?: CallOptions,
  ): Promise<ResponseBody<'listDeliveries'>> {
    return this.transport.send({ ...options, method: 'GET', path: '/deliveries', query: filter });
  }

  /** A delivery with its attempts. */
  get(id: string, options?: CallOptions): Promise<DeliveryDetail> {
    return dataOf(this.transport, { ...options, method: 'GET', path: `/deliveries/${part(id)}` });
  }

  /** Sends a delivery again. Repeating the call is harmless. */
  retry(id: string, options?: CallOptions): Promise<DeliveryDetail> {
    const path = `/deliveries/${part(id)}/retry`;
    return dataOf(this.transport, { ...options, method: 'POST', path, repeatable: true });
  }
}
