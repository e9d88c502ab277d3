import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In, IsNull, type EntityManager } from 'typeorm';
import { AccountAdministrationService } from '../../access/accounts/account-administration.service';
import type { Account } from '../../access/accounts/account.entity';
import { Outbox } from '../../events/outbox';
import { Clock } from '../../platform/clock';
import { WebhookEndpoint } from './endpoint.entity';
import {
  cancelDeliveries,
  disableEndpoints,
  disableFor,
  lockEndpoints,
  OF_OTHER_ACCOUNTS,
  wakeHeldDeliveries,
} from './endpoint.queries';

/** Endpoints change with their account's rights, in the same transaction. */
@Injectable()
export class EndpointRightsService implements OnModuleInit {
  constructor(
    private readonly accounts: AccountAdministrationService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.accounts.follow((tx, before, after) => this.follow(tx, before, after));
  }

  private async follow(tx: EntityManager, before: Account, after: Account): Promise<void> {
    const demoted = before.isAdmin && !after.isAdmin;
    const disabled = !before.disabledAt && after.disabledAt !== null;
    const enabled = before.disabledAt !== null && !after.disabledAt;
    if (!demoted && !disabled && !enabled) return;
    const now = this.clock.now();
    const endpoints = tx.getRepository(WebhookEndpoint);
    const own = { accountId: after.id, deletedAt: IsNull() };
    const ids = (await endpoints.findBy(own)).map(({ id }) => id);
    await lockEndpoints(tx, ids);
    if (demoted || disabled) {
      const wide = (await endpoints.findBy({ ...own, allAccounts: true })).map(({ id }) => id);
      await this.outbox.recordAll(tx, await disableFor(tx, 'right_withdrawn', wide, now));
      await endpoints.update({ id: In(wide) }, { allAccounts: false });
      await cancelDeliveries(tx, OF_OTHER_ACCOUNTS, ids, now);
    }
    if (disabled) await disableEndpoints(tx, ids, ACCOUNT_DISABLED, now);
    if (enabled) {
      const stopped = { ...own, disabledReason: ACCOUNT_DISABLED };
      await endpoints.update(stopped, { disabledAt: null, disabledReason: null });
      for (const { id } of await endpoints.findBy({ ...own, disabledAt: IsNull() }))
        await wakeHeldDeliveries(tx, id, now);
    }
  }
}

/** Also used to find these endpoints again when the account is enabled. */
const ACCOUNT_DISABLED = 'Its account is disabled.';
