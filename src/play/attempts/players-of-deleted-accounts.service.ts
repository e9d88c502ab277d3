import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  type AccountContent,
  type DeletedAccount,
  ROWS_AT_ONCE,
} from '../../access/administration/account-content';
import { DomainEvents } from '../../events/domain-events';
import { Config } from '../../platform/config/config';
import { encryptionKeysOf } from '../../platform/encryption-key';
import {
  deleteLinksAndReports,
  findNamedAttempts,
  findNamedEntries,
  type NamedPlayer,
  renameInAttempts,
  renameOnLeaderboards,
} from './account-deletion.queries';
import { deletedPlayer } from './visitor.rules';

/** The results at other accounts' quizzes stay, without the names of the players. */
@Injectable()
export class PlayersOfDeletedAccounts implements AccountContent {
  private readonly key: Buffer;

  constructor(
    private readonly events: DomainEvents,
    config: Config,
  ) {
    this.key = encryptionKeysOf(config)[0] as Buffer;
  }

  async deleteSome(tx: EntityManager, { id: accountId }: DeletedAccount): Promise<boolean> {
    const limit = ROWS_AT_ONCE;
    const attempts = this.renamed(accountId, await findNamedAttempts(tx, accountId, limit));
    await renameInAttempts(tx, attempts);
    const entries = this.renamed(accountId, await findNamedEntries(tx, accountId, limit));
    await renameOnLeaderboards(tx, accountId, entries);
    await this.renameInEvents(tx, accountId, [...attempts, ...entries]);
    const moreOfQuizzes = await deleteLinksAndReports(tx, accountId, limit);
    return attempts.length === limit || entries.length === limit || moreOfQuizzes;
  }

  private renamed<Row extends NamedPlayer>(accountId: string, rows: readonly Row[]) {
    return rows.map((row) => ({ ...row, name: this.nameOf(accountId, row.player) }));
  }

  /** The same for all attempts of a player, in every batch, and unknown to everybody else. */
  private nameOf(accountId: string, player: string): string {
    const secret = createHmac('sha256', this.key).update(`player ${accountId} ${player}`).digest();
    return deletedPlayer(secret);
  }

  /** Those of other accounts: the account's own are deleted. */
  private async renameInEvents(
    tx: EntityManager,
    accountId: string,
    rows: readonly (NamedPlayer & { name: string })[],
  ): Promise<void> {
    const byPlayer = new Map<string, { ownerId: string; before: string; after: string }>();
    for (const { ownerId, player, name } of rows)
      if (ownerId !== null && ownerId !== accountId)
        byPlayer.set(`${ownerId} ${player}`, { ownerId, before: player, after: name });
    if (byPlayer.size > 0) await this.events.renamePlayers(tx, [...byPlayer.values()]);
  }
}
