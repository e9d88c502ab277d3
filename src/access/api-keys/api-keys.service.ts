import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { NotFound } from '../../platform/errors/domain-errors';
import { isId, newId } from '../../platform/text/ids';
import { Account } from '../accounts/account.entity';
import { AuditLog, OPERATOR, type Actor } from '../accounts/audit-log';
import { ApiKey } from './api-key.entity';
import { generateKey, hashKey, hashText, isWellFormedKey, keyPrefix } from './api-key.rules';
import type { Caller } from './caller';
import { KeyUse } from './key-use';
import { ApiKeyCache } from './api-key-cache';

/** Issues, finds and revokes API keys. */
@Injectable()
export class ApiKeysService implements OnModuleDestroy {
  private readonly use: KeyUse;

  constructor(
    private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly known: ApiKeyCache,
    private readonly audit: AuditLog,
  ) {
    this.use = new KeyUse(database);
  }

  onModuleDestroy(): Promise<void> {
    return this.use.flush();
  }

  /**
   * A new key, issued by the operator. `key` is its only appearance in clear.
   * @throws NotFound when there is no such account
   */
  issue(
    accountId: string,
    name: string,
    expiresAt: Date | null = null,
  ): Promise<{ stored: ApiKey; key: string }> {
    return this.database.transaction((tx) =>
      this.issueIn(tx, OPERATOR, accountId, name, expiresAt),
    );
  }

  /** The same inside a transaction of the caller's. */
  async issueIn(
    tx: EntityManager,
    actor: Actor,
    accountId: string,
    name: string,
    expiresAt: Date | null,
  ): Promise<{ stored: ApiKey; key: string }> {
    const keys = tx.getRepository(ApiKey);
    if (!(await tx.getRepository(Account).existsBy({ id: accountId })))
      throw new NotFound('Account');
    const { keyEnvironment } = this.config;
    const key = generateKey(keyEnvironment);
    const stored = keys.create({
      id: newId(),
      accountId,
      name,
      hash: hashKey(key),
      prefix: keyPrefix(keyEnvironment),
      lastFour: key.slice(-4),
      createdAt: this.clock.now(),
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
    });
    await keys.insert(stored);
    await this.record(tx, actor, 'key.issued', stored);
    return { stored, key };
  }

  /** Refuses a key from now on. Revoking twice is not an error. @throws NotFound */
  async revoke(id: string, actor: Actor = OPERATOR): Promise<ApiKey> {
    const revoked = await this.database.transaction(async (tx) => {
      const keys = tx.getRepository(ApiKey);
      const found = isId(id) ? await keys.findOneBy({ id }) : null;
      if (!found) throw new NotFound('API key');
      const now = { revokedAt: this.clock.now() };
      const { affected } = await keys.update({ id, revokedAt: IsNull() }, now);
      if (affected) await this.record(tx, actor, 'key.revoked', found);
      return keys.findOneByOrFail({ id });
    });
    this.known.forget();
    return revoked;
  }

  /** An entry in the audit log: what was done with a key, and whose it is. */
  record(tx: EntityManager, actor: Actor, action: string, key: ApiKey): Promise<void> {
    const name = `${key.name} (${key.prefix}…${key.lastFour})`;
    const object = { kind: 'API key', id: key.id, name };
    return this.audit.record(tx, actor, action, object, `account ${key.accountId}`);
  }

  list(accountId: string): Promise<ApiKey[]> {
    return this.database
      .getRepository(ApiKey)
      .find({ where: { accountId }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  /**
   * The holder of a key; null for every key that is not good: missing, malformed, unknown, expired,
   * revoked, of the other environment or of a disabled account. What other processes change is seen within
   * REMEMBERED_FOR.
   */
  async findCaller(key: string | null): Promise<Caller | null> {
    if (key === null) return null;
    const caller = await this.known.find(hashText(key), () => this.lookUp(key));
    if (caller) this.use.note(caller.keyId, this.clock.now());
    return caller;
  }

  private async lookUp(key: string): Promise<{ caller: Caller; expiresAt: Date | null } | null> {
    if (!isWellFormedKey(key, this.config.keyEnvironment)) return null;
    const values = [hashKey(key), this.clock.now()];
    const [row] = await this.database.query<CallerRow[]>(CALLER_BY_HASH, values);
    if (!row) return null;
    const { expiresAt, ...caller } = row;
    return { caller, expiresAt };
  }
}

interface CallerRow extends Caller {
  expiresAt: Date | null;
}

const CALLER_BY_HASH = `
SELECT k.id AS "keyId", a.id AS "accountId", a.plan, a.is_admin AS "isAdmin", k.expires_at AS "expiresAt"
FROM api_keys k JOIN accounts a ON a.id = k.account_id
WHERE k.hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)
  AND a.disabled_at IS NULL`;
