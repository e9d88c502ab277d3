import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, MoreThan, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Conflict, Invalid, LimitReached, NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { codePoints, isStorable, tidy } from '../../platform/text/text.rules';
import { AccountsService } from '../accounts/accounts.service';
import { ApiKey } from './api-key.entity';
import { ApiKeysService } from './api-keys.service';
import { ApiKeyCache } from './api-key-cache';

/** Active keys, at one time. */
const KEYS_PER_ACCOUNT = 50;

/** What holders do with their own keys. Every method names the account: somebody else's key is not found. */
@Injectable()
export class OwnKeysService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly keys: ApiKeysService,
    private readonly clock: Clock,
    private readonly known: ApiKeyCache,
  ) {}

  /** @param lifetime milliseconds; null: it never expires. @throws Invalid, LimitReached */
  issue(
    accountId: string,
    name: string,
    lifetime: number | null,
  ): Promise<{ stored: ApiKey; key: string }> {
    const tidied = keyName(name);
    return this.database.transaction(async (tx) => {
      await this.reserve(tx, accountId);
      return this.keys.issueIn(tx, { accountId }, accountId, tidied, this.after(lifetime));
    });
  }

  /**
   * A new key in the place of an old one, which works on for `overlap` milliseconds. A key that expires
   * is followed by one that lasts as long as it did.
   * @throws NotFound; Conflict when the key does not work any more
   */
  async rotate(
    accountId: string,
    id: string,
    overlap: number,
  ): Promise<{ stored: ApiKey; key: string; old: ApiKey }> {
    const rotated = await this.database.transaction(async (tx) => {
      await this.accounts.lock(tx, accountId);
      const old = await this.find(tx, accountId, id);
      const now = this.clock.now();
      if (old.revokedAt || (old.expiresAt && old.expiresAt <= now))
        throw new Conflict(`The key “${old.name}” no longer works. Create a new one instead.`);
      const lifetime = old.expiresAt ? old.expiresAt.getTime() - old.createdAt.getTime() : null;
      const ends = new Date(now.getTime() + overlap);
      const end =
        overlap === 0
          ? { revokedAt: now }
          : { expiresAt: old.expiresAt && old.expiresAt < ends ? old.expiresAt : ends };
      await tx.getRepository(ApiKey).update({ id: old.id }, end);
      await this.keys.record(tx, { accountId }, 'key.rotated', old);
      const issued = await this.keys.issueIn(
        tx,
        { accountId },
        accountId,
        old.name,
        this.after(lifetime),
      );
      return { ...issued, old: { ...old, ...end } };
    });
    this.known.forget();
    return rotated;
  }

  /** Revoking twice is not an error. @throws NotFound */
  async revoke(accountId: string, id: string): Promise<ApiKey> {
    const { id: own } = await this.get(accountId, id);
    return this.keys.revoke(own, { accountId });
  }

  /** @throws NotFound */
  get(accountId: string, id: string): Promise<ApiKey> {
    return this.find(this.database.manager, accountId, id);
  }

  /** How many keys of the account work. */
  countWorking(accountId: string, tx: EntityManager = this.database.manager): Promise<number> {
    const working = { accountId, revokedAt: IsNull() };
    return tx.getRepository(ApiKey).countBy([
      { ...working, expiresAt: IsNull() },
      { ...working, expiresAt: MoreThan(this.clock.now()) },
    ]);
  }

  private async find(tx: EntityManager, accountId: string, id: string): Promise<ApiKey> {
    const key = isId(id) ? await tx.getRepository(ApiKey).findOneBy({ id, accountId }) : null;
    if (!key) throw new NotFound('API key');
    return key;
  }

  /** Under the account's lock, so that two at once cannot pass the limit together. */
  private async reserve(tx: EntityManager, accountId: string): Promise<void> {
    await this.accounts.lock(tx, accountId);
    const count = await this.countWorking(accountId, tx);
    if (count >= KEYS_PER_ACCOUNT)
      throw new LimitReached(
        `An account may have ${KEYS_PER_ACCOUNT} keys. Revoke one that is not in use.`,
      );
  }

  private after(lifetime: number | null): Date | null {
    return lifetime === null ? null : new Date(this.clock.now().getTime() + lifetime);
  }
}

function keyName(name: string): string {
  const tidied = tidy(name);
  if (!tidied || codePoints(tidied) > 60 || !isStorable(tidied))
    throw new Invalid('The key', [
      {
        path: 'name',
        message: 'Give the key a name of 1 to 60 characters, so you can recognise it later',
        code: 'name',
      },
    ]);
  return tidied;
}
