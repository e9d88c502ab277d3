import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { AccountsService } from '../access/accounts.service';
import { Clock } from '../platform/clock';
import { Config } from '../platform/config/config';
import { Forbidden, LimitReached, NotFound } from '../platform/domain-errors';
import { isId, newId } from '../platform/ids';
import { WebhookEndpoint } from './endpoint.entity';
import {
  cancelDeliveries,
  disableEndpoints,
  lockEndpoints,
  wakeHeldDeliveries,
} from './endpoint.queries';
import { checkSettings, MAX_ENDPOINTS } from './endpoint.rules';
import { DISABLED_BY_OWNER, endpointView, type EndpointView } from './endpoint.view';
import { accountOf, type Owner } from './owner';
import { generateSecret } from './secret';
import { SecretBox } from './secret-box';

/** What its owner sets. */
export interface EndpointSettings {
  url: string;
  events: readonly string[];
  /** Administrators only: receive the events of every account. */
  allAccounts?: boolean;
}

/** Where accounts receive their events (specification, part 6, subscription). Needs no queue. */
@Injectable()
export class EndpointsService {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly accounts: AccountsService,
    private readonly box: SecretBox,
  ) {}

  /**
   * Adds an endpoint, which receives the events from now on. `secret` is its only appearance in clear.
   * @throws NotFound (account), Invalid, Forbidden, LimitReached
   */
  async add(
    accountId: string,
    settings: EndpointSettings,
  ): Promise<{ endpoint: EndpointView; secret: string }> {
    const { url = '', events = [] } = checkSettings(settings, this.config.webhooks);
    await this.mayReceiveAll(accountId, settings.allAccounts);
    const id = newId();
    const secret = generateSecret();
    return this.database.transaction(async (tx) => {
      const endpoints = tx.getRepository(WebhookEndpoint);
      // Two additions at once cannot both take the last place.
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
        `webhook_endpoints ${accountId}`,
      ]);
      if ((await endpoints.countBy({ accountId, deletedAt: IsNull() })) >= MAX_ENDPOINTS)
        throw new LimitReached(
          `An account may have ${MAX_ENDPOINTS} webhook endpoints, and you have reached that limit. Delete one to make room.`,
        );
      const endpoint = endpoints.create({
        id,
        accountId,
        url,
        events,
        allAccounts: settings.allAccounts ?? false,
        secret: this.box.seal(secret, id),
        otherSecret: null,
        rotation: null,
        createdAt: this.clock.now(),
        disabledAt: null,
        disabledReason: null,
        failingSince: null,
        deletedAt: null,
      });
      await endpoints.insert(endpoint);
      return { endpoint: endpointView(endpoint), secret };
    });
  }

  /** Oldest first. */
  async list(owner: Owner): Promise<EndpointView[]> {
    const accountId = accountOf(owner) ?? undefined;
    const found = await this.database.getRepository(WebhookEndpoint).find({
      where: { deletedAt: IsNull(), ...(accountId && { accountId }) },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    return found.map(endpointView);
  }

  /** @throws NotFound, also for another account's endpoint */
  async get(owner: Owner, id: string): Promise<EndpointView> {
    return endpointView(await this.find(this.database.manager, owner, id));
  }

  /**
   * Attempts from now on go to the new URL, those of earlier events too; the bodies stay as they were.
   * @throws NotFound, Invalid, Forbidden
   */
  async update(
    owner: Owner,
    id: string,
    changes: Partial<EndpointSettings>,
  ): Promise<EndpointView> {
    const { accountId } = await this.get(owner, id);
    const checked = checkSettings(changes, this.config.webhooks);
    await this.mayReceiveAll(accountId, changes.allAccounts);
    const { allAccounts } = changes;
    const set = { ...checked, ...(allAccounts === undefined ? {} : { allAccounts }) };
    return this.change(owner, id, (tx) =>
      Object.keys(set).length > 0 ? tx.getRepository(WebhookEndpoint).update({ id }, set) : null,
    );
  }

  /** Attempts stop; events are kept and sent when it is enabled again. @throws NotFound */
  disable(owner: Owner, id: string): Promise<EndpointView> {
    return this.change(owner, id, (tx) =>
      disableEndpoints(tx, [id], DISABLED_BY_OWNER, this.clock.now()),
    );
  }

  /** What was held goes on, within about a second. The five days begin anew. @throws NotFound */
  enable(owner: Owner, id: string): Promise<EndpointView> {
    return this.change(owner, id, async (tx) => {
      const set = { disabledAt: null, disabledReason: null, failingSince: null };
      await tx.getRepository(WebhookEndpoint).update({ id }, set);
      await wakeHeldDeliveries(tx, id, this.clock.now());
    });
  }

  /** Pending deliveries are cancelled; past ones can be looked at until they are pruned. @throws NotFound */
  async remove(owner: Owner, id: string): Promise<void> {
    const now = this.clock.now();
    await this.change(owner, id, async (tx) => {
      await tx.getRepository(WebhookEndpoint).update({ id }, { deletedAt: now });
      await cancelDeliveries(tx, id, now);
    });
  }

  /** Under the endpoint's lock: no worker settles a delivery of it meanwhile. */
  private change(
    owner: Owner,
    id: string,
    work: (tx: EntityManager) => unknown,
  ): Promise<EndpointView> {
    return this.database.transaction(async (tx) => {
      await this.find(tx, owner, id);
      await lockEndpoints(tx, [id]);
      await this.find(tx, owner, id);
      await work(tx);
      return endpointView(await tx.getRepository(WebhookEndpoint).findOneByOrFail({ id }));
    });
  }

  private async find(tx: EntityManager, owner: Owner, id: string): Promise<WebhookEndpoint> {
    const accountId = accountOf(owner) ?? undefined;
    const found = isId(id)
      ? await tx
          .getRepository(WebhookEndpoint)
          .findOneBy({ id, deletedAt: IsNull(), ...(accountId && { accountId }) })
      : null;
    if (!found) throw new NotFound('Webhook endpoint');
    return found;
  }

  private async mayReceiveAll(accountId: string, wanted: boolean | undefined): Promise<void> {
    const account = await this.accounts.get(accountId);
    if (wanted && !account.isAdmin)
      throw new Forbidden(
        "Only an administrator's endpoint may receive the events of all accounts.",
      );
  }
}
