import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Account } from './account.entity';

type Follower = (tx: EntityManager, before: Account, after: Account) => Promise<void>;

/**
 * Lets other modules act in the transaction that changes an account's rights, so that nothing they keep for the
 * account outlives a right that was withdrawn.
 */
@Injectable()
export class AccountChangesService {
  private readonly followers: Follower[] = [];

  /** Called once by each module, at its start. */
  follow(follower: Follower): void {
    this.followers.push(follower);
  }

  /** In the order of registration, under the account's lock. */
  async apply(tx: EntityManager, before: Account, after: Account): Promise<void> {
    for (const follower of this.followers) await follower(tx, before, after);
  }
}
