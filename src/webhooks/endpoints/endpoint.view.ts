import type { EventName } from '../../events/event-map';
import type { WebhookEndpoint } from './endpoint.entity';

/** The reason of an endpoint that its owner has disabled; every other one is of the service's making. */
export const DISABLED_BY_OWNER = 'Its owner disabled it.';

/** An endpoint as people see it: without its secrets. */
export interface EndpointView {
  id: string;
  accountId: string;
  url: string;
  events: EventName[];
  allAccounts: boolean;
  /** Null while no rotation is under way. */
  rotation: 'staged' | 'retiring' | null;
  createdAt: Date;
  disabledAt: Date | null;
  /** A sentence for its owner; null unless it is disabled. */
  disabledReason: string | null;
  /** The first failure since the last success; null while it answers. */
  failingSince: Date | null;
}

export function endpointView(endpoint: WebhookEndpoint): EndpointView {
  return {
    id: endpoint.id,
    accountId: endpoint.accountId,
    url: endpoint.url,
    events: endpoint.events,
    allAccounts: endpoint.allAccounts,
    rotation: endpoint.rotation,
    createdAt: endpoint.createdAt,
    disabledAt: endpoint.disabledAt,
    disabledReason: endpoint.disabledReason,
    failingSince: endpoint.failingSince,
  };
}
