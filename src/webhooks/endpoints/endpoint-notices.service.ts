import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { WebhookEndpoint, type EndpointView, type Owner } from './endpoint.entity';
import { FAILED_DELIVERIES } from './endpoint.queries';
import { DISABLED_BY_OWNER, EndpointsService } from './endpoints.service';

/** An endpoint that needs attention: it fails, the service has disabled it, or deliveries to it have failed. */
export interface EndpointNotice {
  endpoint: EndpointView;
  /** Deliveries that failed since the last dismissal, at most `MOST_COUNTED`. */
  failed: number;
}

/** Failed deliveries that a notice counts; beyond that it says "more than". */
export const MOST_COUNTED = 1_000;

/** Shows owners the problems of their endpoints, until they are resolved or dismissed. */
@Injectable()
export class EndpointNoticesService {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly endpoints: EndpointsService,
  ) {}

  async list(accountId: string): Promise<EndpointNotice[]> {
    const [endpoints, rows] = await Promise.all([
      this.endpoints.list({ accountId }),
      this.database.query<{ id: string; failed: number; dismissed_at: Date | null }[]>(
        FAILED_DELIVERIES,
        [accountId, MOST_COUNTED + 1],
      ),
    ]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return endpoints
      .map((endpoint) => ({ endpoint, ...byId.get(endpoint.id) }))
      .map(({ endpoint, failed = 0, dismissed_at = null }) => ({ endpoint, failed, dismissed_at }))
      .filter(({ endpoint, failed, dismissed_at }) => failed > 0 || isNews(endpoint, dismissed_at));
  }

  /** Hides the notice until there is a further problem. @throws NotFound */
  async dismiss(owner: Owner, id: string): Promise<void> {
    await this.endpoints.get(owner, id);
    const repository = this.database.getRepository(WebhookEndpoint);
    await repository.update({ id }, { noticeDismissedAt: this.clock.now() });
  }
}

/** What its owner did to it needs no notice. */
function isNews(
  { disabledAt, disabledReason, failingSince }: EndpointView,
  dismissed: Date | null,
) {
  const since = disabledAt
    ? disabledReason === DISABLED_BY_OWNER
      ? null
      : disabledAt
    : failingSince;
  return since !== null && (dismissed === null || since > dismissed);
}
