import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountsService } from '../access/accounts/accounts.service';
import { Clock } from '../platform/clock';
import { DAY, HOUR } from '../platform/durations';
import { LIMITS } from '../platform/limits/limits';
import { Scheduled } from '../platform/queue/scheduled';
import { deleteUnused, findUnused, noteUnused } from './media.queries';

const KEPT = LIMITS.content.unusedPictureDays.value * DAY;

/**
 * Deletes pictures that no question has shown for a week: until then an edit can be taken back. Those that an attempt
 * or an approved version shows stay as long as it is stored.
 */
@Injectable()
export class MediaRetention {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'retention of pictures', every: 6 * HOUR })
  async prune(): Promise<void> {
    await noteUnused(this.database.manager, this.clock.now());
    const since = this.clock.cutoff(KEPT);
    for (const accountId of await findUnused(this.database.manager, since))
      await this.database.transaction(async (tx) => {
        await this.accounts.lock(tx, accountId);
        await deleteUnused(tx, accountId, since);
      });
  }
}
