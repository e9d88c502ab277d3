import { dataOf, part, type CallOptions, type Transport } from './transport.ts';
import type {
  ResponseBody,
  Body,
  CreatedWebhook,
  DeliveryDetail,
  Query,
  RotatedWebhook,
  Webhook,
} from './types.ts';

/** Where the account receives its events. */
export class Webhooks {
  constructor(private readonly transport: Transport) {}

  list(options?: CallOptions): Promise<Webhook[]> {
    return dataOf(this.transport, { ...options, method: 'GET', path: '/webhooks' });
  }

  get(id: string, options?: CallOptions): Promise<Webhook> {
    return dataOf(this.transport, { ...options, method: 'GET', path: `/webhooks/${part(id)}` });
  }

  /** `secret` is in this response only. */
  create(webhook: Body<'createWebhook'>, options?: CallOptions): Promise<CreatedWebhook> {
    const call = { ...options, method: 'POST', path: '/webhooks', body: webhook } as const;
    return dataOf(this.transport, call);
  }

  update(id: string, changes: Body<'updateWebhook'>, options?: CallOptions): Promise<Webhook> {
    const path = `/webhooks/${part(id)}`;
    return dataOf(this.transport, { ...options, method: 'PATCH', path, body: changes });
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.transport.send({ ...options, method: 'DELETE', path: `/webhooks/${part(id)}` });
  }

  /** Sends a test event. @returns the id of its delivery */
  async test(id: string, options?: CallOptions): Promise<string> {
    const path = `/webhooks/${part(id)}/test`;
    const call = { ...options, method: 'POST', path } as const;
    return (await dataOf<{ deliveryId: string }>(this.transport, call)).deliveryId;
  }

  /** One of the three steps; `stage` gives the next secret. */
  rotateSecret(
    id: string,
    step: Body<'rotateWebhookSecret'>['step'],
    options?: CallOptions,
  ): Promise<RotatedWebhook> {
    const path = `/webhooks/${part(id)}/secret`;
    return dataOf(this.transport, { ...options, method: 'POST', path, body: { step } });
  }

  /** Attempts again what failed since a time. @returns how many deliveries */
  async retryFailed(id: string, since: Date, options?: CallOptions): Promise<number> {
    const path = `/webhooks/${part(id)}/retry-failed`;
    const call = { ...options, method: 'POST', path, body: { since } } as const;
    return (await dataOf<{ retried: number }>(this.transport, call)).retried;
  }
}

/** What became of the events, endpoint by endpoint. */
export class Deliveries {
  constructor(private readonly transport: Transport) {}

  /** Newest first. */
  list(
    filter: Query<'listDeliveries'> = {},
    options?: CallOptions,
  ): Promise<ResponseBody<'listDeliveries'>> {
    return this.transport.send({ ...options, method: 'GET', path: '/deliveries', query: filter });
  }

  /** With every attempt. */
  get(id: string, options?: CallOptions): Promise<DeliveryDetail> {
    return dataOf(this.transport, { ...options, method: 'GET', path: `/deliveries/${part(id)}` });
  }

  /** Attempts it once more. To ask again is harmless. */
  retry(id: string, options?: CallOptions): Promise<DeliveryDetail> {
    const path = `/deliveries/${part(id)}/retry`;
    return dataOf(this.transport, { ...options, method: 'POST', path, repeatable: true });
  }
}
