import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, type FindOptionsWhere, IsNull, Repository } from 'typeorm';
import type { Account } from '../../access/accounts/account.entity';
import { AccountsService } from '../../access/accounts/accounts.service';
import { OPERATOR } from '../../access/audit/actor';
import { AuditLog } from '../../access/audit/audit-log';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { Conflict, Forbidden, LimitReached, NotFound } from '../../platform/errors/domain-errors';
import { Precondition } from '../../platform/http/request/precondition';
import { LIMITS } from '../../platform/limits/limits';
import { isId, newId } from '../../platform/text/ids';
import { type EndpointWithSecrets, WebhookEndpoint } from './endpoint.entity';
import {
  cancelDeliveries,
  disableEndpoints,
  findWithSecrets,
  lockEndpoints,
  OF_DELETED_ENDPOINT,
  wakeHeldDeliveries,
} from './endpoint.queries';
import { accountOf, checkSettings, DISABLED_BY_OWNER, type Owner } from './endpoint.rules';
import {
  type EndpointView,
  endpointView,
  TOO_MANY_WEBHOOKS,
  type VersionedEndpoint,
  versionedEndpoint,
} from './endpoints.dto';
import { generateSecret, SecretBox } from './secret-box';

/** The settings of its owner. */
export interface EndpointSettings {
  url: string;
  events: readonly string[];
  /** Administrators only: receive the events of every account. */
  allAccounts?: boolean;
}

/** What is absent stays. `disabled` stops attempts, and events are kept until it is false again. */
export interface EndpointChanges extends Partial<EndpointSettings> {
  disabled?: boolean;
}

/** What was done to an endpoint, as the audit log names it. */
interface EndpointAction {
  action: string;
  detail?: string;
}

/** The endpoints of accounts (specification, part 6, subscription). Needs no queue. */
@Injectable()
export class EndpointsService {
  constructor(
    private readonly database: DataSource,
    @InjectRepository(WebhookEndpoint) private readonly endpoints: Repository<WebhookEndpoint>,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly accounts: AccountsService,
    private readonly box: SecretBox,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Adds an endpoint, which receives events from now on. This is the only time `secret` is shown in plain text.
   * @param actor who adds it, if not the account itself
   * @throws NotFound (account), Invalid, Forbidden, Conflict (account disabled), LimitReached
   */
  async add(
    accountId: string,
    settings: EndpointSettings,
    actor: Owner = { accountId },
  ): Promise<{ endpoint: VersionedEndpoint; secret: string }> {
    const { url = '', events = [] } = checkSettings(settings, this.config.webhooks);
    const id = newId();
    const secret = generateSecret();
    return this.database.transaction(async (tx) => {
      const endpoints = tx.getRepository(WebhookEndpoint);
      // Concurrent additions cannot exceed the limit together, and no right ends meanwhile.
      const account = await this.accounts.lock(tx, accountId);
      requireEnabled(account);
      requireRight(account, settings.allAccounts);
      if (
        (await endpoints.countBy({ accountId, deletedAt: IsNull() })) >=
        LIMITS.accounts.endpoints.value
      )
        throw new LimitReached(TOO_MANY_WEBHOOKS.error, TOO_MANY_WEBHOOKS.name);
      const sealed = { secret: this.box.seal(secret, id), otherSecret: null };
      const endpoint = Object.assign(endpoints.create(), sealed, {
        id,
        accountId,
        url,
        events,
        allAccounts: settings.allAccounts ?? false,
        rotation: null,
        createdAt: this.clock.now(),
        disabledAt: null,
        disabledReason: null,
        failingSince: null,
        deletedAt: null,
      });
      await endpoints.insert(endpoint);
      await this.record(tx, actor, 'webhook.added', endpoint);
      return { endpoint: versionedEndpoint(endpoint), secret };
    });
  }

  /** Oldest first. */
  async list(owner: Owner): Promise<EndpointView[]> {
    const found = await this.endpoints.find({
      where: of(owner),
      order: OLDEST_FIRST,
    });
    return found.map(endpointView);
  }

  /** Those that receive the events of all accounts, with their owners' addresses, for administrators. Oldest first. */
  async listForAllAccounts(): Promise<(EndpointView & { email: string })[]> {
    const found = await this.endpoints.find({
      where: { deletedAt: IsNull(), allAccounts: true },
      order: OLDEST_FIRST,
    });
    const emails = await this.accounts.emailsOf(found.map(({ accountId }) => accountId));
    return found.map((endpoint) => ({
      ...endpointView(endpoint),
      email: emails.get(endpoint.accountId) ?? '',
    }));
  }

  /** @throws NotFound, also for another account's endpoint */
  async get(owner: Owner, id: string): Promise<VersionedEndpoint> {
    return versionedEndpoint(await this.find(this.endpoints, owner, id));
  }

  /**
   * Further attempts use the new URL, also for earlier events; the bodies stay the same. After enabling, paused
   * deliveries continue within about a second. The five days start again then, and with another URL.
   * @throws NotFound, Invalid, Forbidden, Conflict (account disabled)
   */
  update(
    owner: Owner,
    id: string,
    { disabled, ...settings }: EndpointChanges,
    expected?: Precondition,
  ): Promise<VersionedEndpoint> {
    const { allAccounts } = settings;
    const set: Partial<WebhookEndpoint> = {
      ...checkSettings(settings, this.config.webhooks),
      ...(allAccounts !== undefined && { allAccounts }),
    };
    const hasSettings = Object.keys(set).length > 0;
    return this.change(owner, id, expected, async (tx, before, account) => {
      requireRight(account, allAccounts);
      if (set.url !== undefined && set.url !== before.url) set.failingSince = null;
      if (disabled === false) {
        requireEnabled(account);
        Object.assign(set, { disabledAt: null, disabledReason: null, failingSince: null });
      }
      const endpoints = tx.getRepository(WebhookEndpoint);
      if (Object.keys(set).length > 0) await endpoints.update({ id }, set);
      if (disabled === false) await wakeHeldDeliveries(tx, id, this.clock.now());
      if (disabled) {
        await disableEndpoints(tx, [id], DISABLED_BY_OWNER, this.clock.now());
        // Also of one that the service has disabled: enabling the account must not enable it.
        await endpoints.update({ id }, { disabledReason: DISABLED_BY_OWNER });
      }
      return [
        ...(hasSettings ? [{ action: 'webhook.changed' }] : []),
        ...(disabled === undefined
          ? []
          : [{ action: disabled ? 'webhook.disabled' : 'webhook.enabled' }]),
      ];
    });
  }

  /** @throws NotFound */
  disable(owner: Owner, id: string): Promise<VersionedEndpoint> {
    return this.update(owner, id, { disabled: true });
  }

  /** @throws NotFound, Conflict (account disabled) */
  enable(owner: Owner, id: string): Promise<VersionedEndpoint> {
    return this.update(owner, id, { disabled: false });
  }

  /** Pending deliveries are cancelled; past ones can be viewed until they are deleted by age. @throws NotFound */
  async remove(owner: Owner, id: string, expected?: Precondition): Promise<void> {
    const now = this.clock.now();
    await this.change(owner, id, expected, async (tx) => {
      await tx.getRepository(WebhookEndpoint).update({ id }, { deletedAt: now });
      await cancelDeliveries(tx, OF_DELETED_ENDPOINT, [id], now);
      return [{ action: 'webhook.deleted' }];
    });
  }

  /**
   * Under the account's lock and the endpoint's: no right ends and no worker records an attempt meanwhile.
   * @param work @returns what it did, for the audit log
   * @throws NotFound
   */
  change(
    owner: Owner,
    id: string,
    expected: Precondition | undefined,
    work: (
      tx: EntityManager,
      endpoint: EndpointWithSecrets,
      account: Account,
    ) => Promise<EndpointAction[]>,
  ): Promise<VersionedEndpoint> {
    return this.database.transaction(async (tx) => {
      const { accountId } = await this.find(tx.getRepository(WebhookEndpoint), owner, id);
      const account = await this.accounts.lock(tx, accountId);
      await lockEndpoints(tx, [id]);
      const before = await this.find(tx.getRepository(WebhookEndpoint), owner, id);
      expected?.(versionedEndpoint(before).version);
      const actions = await work(tx, before, account);
      const changed = (await findWithSecrets(tx.getRepository(WebhookEndpoint), { id })) ?? before;
      for (const { action, detail } of actions)
        await this.record(tx, owner, action, changed, detail);
      return versionedEndpoint(changed);
    });
  }

  private async record(
    tx: EntityManager,
    owner: Owner,
    action: string,
    { id, url, allAccounts }: WebhookEndpoint,
    detail = '',
  ): Promise<void> {
    const actor = owner === 'operator' ? OPERATOR : owner;
    const object = { kind: 'webhook endpoint', id, name: url };
    const details = [allAccounts ? 'events of all accounts' : '', detail].filter(Boolean);
    await this.audit.record(tx, actor, action, object, details.join(', '));
  }

  private async find(
    endpoints: Repository<WebhookEndpoint>,
    owner: Owner,
    id: string,
  ): Promise<EndpointWithSecrets> {
    const found = isId(id) ? await findWithSecrets(endpoints, { id, ...of(owner) }) : null;
    if (!found) throw new NotFound('Webhook endpoint');
    return found;
  }
}

const OLDEST_FIRST = { createdAt: 'ASC', id: 'ASC' } as const;

/** The endpoints that an owner sees. */
function of(owner: Owner): FindOptionsWhere<WebhookEndpoint> {
  const accountId = accountOf(owner) ?? undefined;
  return { deletedAt: IsNull(), ...(accountId && { accountId }) };
}

function requireRight({ isAdmin }: Account, allAccounts: boolean | undefined): void {
  if (allAccounts && !isAdmin)
    throw new Forbidden(
      "Only an administrator's endpoint may receive the events of all accounts.",
      'administrators-only',
    );
}

function requireEnabled({ disabledAt, deletedAt }: Account): void {
  if (deletedAt) throw new Conflict('The account of this endpoint was deleted.');
  if (disabledAt) throw new Conflict('The account of this endpoint is disabled: enable it first.');
}
