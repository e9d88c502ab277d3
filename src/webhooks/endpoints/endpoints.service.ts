import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import type { Account } from '../../access/accounts/account.entity';
import { AccountsService } from '../../access/accounts/accounts.service';
import { AuditLog } from '../../access/accounts/audit-log';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { Conflict, Forbidden, LimitReached, NotFound } from '../../platform/errors/domain-errors';
import { isId, newId } from '../../platform/text/ids';
import { WebhookEndpoint } from './endpoint.entity';
import {
  cancelDeliveries,
  disableEndpoints,
  lockEndpoints,
  wakeHeldDeliveries,
} from './endpoint.queries';
import { checkSettings, MAX_ENDPOINTS } from './endpoint.rules';
import { DISABLED_BY_OWNER, endpointView, type EndpointView } from './endpoint.view';
import { accountOf, actorOf, type Owner } from './owner';
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
    private readonly audit: AuditLog,
  ) {}

  /**
   * Adds an endpoint, which receives the events from now on. `secret` is its only appearance in clear.
   * @param actor who adds it for the account, if somebody else does
   * @throws NotFound (account), Invalid, Forbidden, Conflict (account disabled), LimitReached
   */
  async add(
    accountId: string,
    settings: EndpointSettings,
    actor: Owner = { accountId },
  ): Promise<{ endpoint: EndpointView; secret: string }> {
    const { url = '', events = [] } = checkSettings(settings, this.config.webhooks);
    const id = newId();
    const secret = generateSecret();
    return this.database.transaction(async (tx) => {
      const endpoints = tx.getRepository(WebhookEndpoint);
      // Two additions at once cannot both take the last place, and no right ends meanwhile.
      const account = await this.accounts.lock(tx, accountId);
      requireEnabled(account);
      requireRight(account, settings.allAccounts);
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
        noticeDismissedAt: null,
        deletedAt: null,
      });
      await endpoints.insert(endpoint);
      await this.record(tx, actor, 'webhook.added', endpoint);
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

  /** Those that receive the events of all accounts, with their owners' addresses, for administrators. Oldest first. */
  async listForAllAccounts(): Promise<(EndpointView & { email: string })[]> {
    const found = await this.database.getRepository(WebhookEndpoint).find({
      where: { deletedAt: IsNull(), allAccounts: true },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    return Promise.all(
      found.map(async (endpoint) => {
        const { email } = await this.accounts.get(endpoint.accountId);
        return { ...endpointView(endpoint), email };
      }),
    );
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
    await this.get(owner, id);
    const checked = checkSettings(changes, this.config.webhooks);
    const { allAccounts } = changes;
    const set = { ...checked, ...(allAccounts === undefined ? {} : { allAccounts }) };
    return this.change(owner, id, 'webhook.changed', async (tx, account) => {
      requireRight(account, allAccounts);
      if (Object.keys(set).length > 0) await tx.getRepository(WebhookEndpoint).update({ id }, set);
    });
  }

  /** Attempts stop; events are kept and sent when it is enabled again. @throws NotFound */
  disable(owner: Owner, id: string): Promise<EndpointView> {
    return this.change(owner, id, 'webhook.disabled', (tx) =>
      disableEndpoints(tx, [id], DISABLED_BY_OWNER, this.clock.now()),
    );
  }

  /**
   * What was paused continues, within about a second. The five days begin again.
   * @throws NotFound, Conflict (account disabled)
   */
  enable(owner: Owner, id: string): Promise<EndpointView> {
    return this.change(owner, id, 'webhook.enabled', async (tx, account) => {
      requireEnabled(account);
      const set = { disabledAt: null, disabledReason: null, failingSince: null };
      await tx.getRepository(WebhookEndpoint).update({ id }, set);
      await wakeHeldDeliveries(tx, id, this.clock.now());
    });
  }

  /** Pending deliveries are cancelled; past ones can be looked at until they are pruned. @throws NotFound */
  async remove(owner: Owner, id: string): Promise<void> {
    const now = this.clock.now();
    await this.change(owner, id, 'webhook.deleted', async (tx) => {
      await tx.getRepository(WebhookEndpoint).update({ id }, { deletedAt: now });
      await cancelDeliveries(tx, id, now);
    });
  }

  /** Under the account's lock and the endpoint's: no right ends and no worker settles a delivery meanwhile. */
  private change(
    owner: Owner,
    id: string,
    action: string,
    work: (tx: EntityManager, account: Account) => Promise<unknown>,
  ): Promise<EndpointView> {
    return this.database.transaction(async (tx) => {
      const { accountId } = await this.find(tx, owner, id);
      const account = await this.accounts.lock(tx, accountId);
      await lockEndpoints(tx, [id]);
      await this.find(tx, owner, id);
      await work(tx, account);
      const changed = await tx.getRepository(WebhookEndpoint).findOneByOrFail({ id });
      await this.record(tx, owner, action, changed);
      return endpointView(changed);
    });
  }

  private record(
    tx: EntityManager,
    actor: Owner,
    action: string,
    { id, url, allAccounts }: WebhookEndpoint,
  ): Promise<void> {
    const object = { kind: 'webhook endpoint', id, name: url };
    return this.audit.record(
      tx,
      actorOf(actor),
      action,
      object,
      allAccounts ? 'events of all accounts' : '',
    );
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
}

function requireRight({ isAdmin }: Account, allAccounts: boolean | undefined): void {
  if (allAccounts && !isAdmin)
    throw new Forbidden("Only an administrator's endpoint may receive the events of all accounts.");
}

function requireEnabled({ disabledAt }: Account): void {
  if (disabledAt) throw new Conflict('The account of this endpoint is disabled: enable it first.');
}
