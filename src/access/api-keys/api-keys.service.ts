import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  DataSource,
  type EntityManager,
  type FindOperator,
  type FindOptionsWhere,
  IsNull,
  MoreThan,
  Not,
  Repository,
} from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import type { Slice } from '../../platform/database/sql';
import { Conflict, Invalid, LimitReached, NotFound } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { isId, newId } from '../../platform/text/ids';
import { codePoints, isStorable, tidy } from '../../platform/text/text.rules';
import { AccountsService } from '../accounts/accounts.service';
import { ALL_SCOPES, isForPages, readOrigins, readScopes } from '../accounts/scope.rules';
import { type Actor, OPERATOR } from '../audit/actor';
import { AuditLog } from '../audit/audit-log';
import { ApiKey } from './api-key.entity';
import { findCaller, lockKeyRates } from './api-key.queries';
import {
  generateKey,
  hashKey,
  hashKeyBase64,
  isWellFormedKey,
  keyPrefix,
  maskedKey,
} from './api-key.rules';
import { ApiKeyCache } from './api-key-cache';
import type { Caller, FoundCaller } from './caller';
import { KeyUse } from './key-use';

const KEYS_PER_ACCOUNT = LIMITS.accounts.keys.value;
const KEYS_WITH_RATE = LIMITS.accounts.keysWithRate.value;
const NAME_LENGTH = LIMITS.accounts.keyName.value;
const MOST_PER_MINUTE = LIMITS.requests.perMinuteByKey.value;

/** The only time `key` is shown in plain text. */
export interface IssuedKey {
  stored: ApiKey;
  key: string;
}

/** What a key is restricted to, as somebody has typed it. Without scopes it has all, without origins it works anywhere. */
export interface KeyRestrictions {
  scopes?: readonly string[];
  origins?: readonly string[];
}

/** Issues, finds and revokes API keys. Methods for owners take the account: keys of others are not found. */
@Injectable()
export class ApiKeysService implements OnModuleDestroy {
  private readonly use: KeyUse;

  constructor(
    private readonly database: DataSource,
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
    private readonly accounts: AccountsService,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly keyCache: ApiKeyCache,
    private readonly audit: AuditLog,
  ) {
    this.use = new KeyUse(database);
  }

  onModuleDestroy(): Promise<void> {
    return this.use.flush();
  }

  /** A new key, issued by the operator. @throws Invalid; NotFound when there is no such account */
  async issue(
    accountId: string,
    name: string,
    { expiresAt = null, ...restrictions }: KeyRestrictions & { expiresAt?: Date | null } = {},
  ): Promise<IssuedKey> {
    const made = { accountId, name: keyName(name), ...readRestrictions(restrictions) };
    return this.database.transaction(async (tx) => {
      await this.accounts.lockUndeleted(tx, accountId);
      return this.insert(tx, OPERATOR, { ...made, expiresAt });
    });
  }

  /**
   * A new key, issued by its owner.
   * @param lifetime milliseconds; null: it never expires
   * @throws Invalid, LimitReached; NotFound when the account was deleted
   */
  async issueOwn(
    accountId: string,
    name: string,
    lifetime: number | null,
    restrictions: KeyRestrictions = {},
  ): Promise<IssuedKey> {
    const made = { accountId, name: keyName(name), ...readRestrictions(restrictions) };
    return this.database.transaction(async (tx) => {
      // Under the account's lock: concurrent requests cannot exceed the limit together.
      await this.accounts.lockUndeleted(tx, accountId);
      if (await this.isFull(accountId, tx))
        throw new LimitReached(
          `An account may have ${KEYS_PER_ACCOUNT} keys. Revoke one that is not in use.`,
        );
      return this.insert(tx, { accountId }, { ...made, expiresAt: this.after(lifetime) });
    });
  }

  /**
   * Replaces a key by a new one; the old one works for another `overlap` milliseconds. A key that expires is followed
   * by one that lasts as long as it did. Scopes, origins and rate stay.
   * @throws NotFound; Conflict when the key does not work any more, or was rotated already; LimitReached when both
   * would work and the account has its most keys, or both would have a rate and too many have one
   */
  async rotate(
    accountId: string,
    id: string,
    overlap: number,
  ): Promise<IssuedKey & { old: ApiKey }> {
    const rotated = await this.database.transaction(async (tx) => {
      await this.accounts.lockUndeleted(tx, accountId);
      let old = await this.get(accountId, id, tx);
      if (old.requestsPerMinute !== null) {
        await lockKeyRates(tx);
        old = await this.get(accountId, id, tx);
      }
      const now = this.clock.now();
      requireWorking(old, now);
      // Its expiry was shortened to the overlap, so its lifetime is no longer known.
      if (old.rotatedAt)
        throw new Conflict(
          `The key “${old.name}” was rotated already. Rotate the key that replaced it, or create a new one.`,
        );
      if (overlap > 0 && (await this.isFull(accountId, tx)))
        throw new LimitReached(
          `An account may have ${KEYS_PER_ACCOUNT} keys, and the old key counts while it works. Revoke it immediately, or revoke another one first.`,
        );
      if (overlap > 0 && old.requestsPerMinute !== null && (await this.areRatesFull(tx)))
        throw new LimitReached(
          `${KEYS_WITH_RATE.toLocaleString('en')} keys have a rate of their own, the most there may be. Revoke the old key immediately, or reset the rate of another one first.`,
        );
      const lifetime = old.expiresAt ? old.expiresAt.getTime() - old.createdAt.getTime() : null;
      const ends = new Date(now.getTime() + overlap);
      const end = {
        rotatedAt: now,
        ...(overlap === 0
          ? { revokedAt: now }
          : { expiresAt: old.expiresAt && old.expiresAt < ends ? old.expiresAt : ends }),
      };
      await tx.getRepository(ApiKey).update({ id: old.id }, end);
      const actor = { accountId };
      await this.record(tx, actor, 'key.rotated', old);
      const issued = await this.insert(tx, actor, { ...old, expiresAt: this.after(lifetime) });
      return { ...issued, old: { ...old, ...end } };
    });
    this.keyCache.forget();
    return rotated;
  }

  /** Revokes a key at once. Revoking it twice is not an error. @throws NotFound */
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
    this.keyCache.forget();
    return revoked;
  }

  /** The same by its owner. @throws NotFound */
  async revokeOwn(accountId: string, id: string): Promise<ApiKey> {
    const own = await this.get(accountId, id);
    return this.revoke(own.id, { accountId });
  }

  /**
   * Has the requests of a key counted by key instead of by client address, within five seconds.
   * @param perMinute null: by address again
   * @throws NotFound, Invalid; Conflict for a key that does not work any more or that anybody may have, or where too
   * many keys have a rate
   */
  setRate(actor: Actor, id: string, perMinute: number | null): Promise<ApiKey> {
    return this.database.transaction(async (tx) => {
      const keys = tx.getRepository(ApiKey);
      // Under a lock: concurrent changes cannot exceed the limit together.
      await lockKeyRates(tx);
      const found = isId(id) ? await keys.findOneBy({ id }) : null;
      if (!found) throw new NotFound('API key');
      requireWorking(found, this.clock.now());
      if (found.requestsPerMinute === perMinute) return found;
      if (perMinute !== null) {
        requireRate(perMinute);
        if (isForPages(found)) throw new Conflict(RATE_FOR_PAGES);
        if (await this.areRatesFull(tx, Not(id))) throw new Conflict(TOO_MANY_RATES);
      }
      await keys.update({ id }, { requestsPerMinute: perMinute });
      const change = `${inWords(found.requestsPerMinute)} to ${inWords(perMinute)}`;
      await this.record(tx, actor, 'key.rate-changed', found, `requests counted ${change}`);
      return { ...found, requestsPerMinute: perMinute };
    });
  }

  list(accountId: string): Promise<ApiKey[]> {
    return this.keys.find({ where: { accountId }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  /** A page of them: revoked ones, which are kept, come last. */
  async listPage(
    accountId: string,
    { limit, offset }: Slice,
  ): Promise<{ keys: ApiKey[]; total: number }> {
    const [keys, total] = await this.keys.findAndCount({
      where: { accountId },
      order: {
        revokedAt: { direction: 'DESC', nulls: 'FIRST' },
        createdAt: 'DESC',
        id: 'DESC',
      },
      take: limit,
      skip: offset,
    });
    return { keys, total };
  }

  /** The keys of the account that work, the newest first. */
  listWorking(accountId: string): Promise<ApiKey[]> {
    return this.keys.find({
      where: this.working({ accountId }),
      order: { createdAt: 'DESC', id: 'DESC' },
    });
  }

  /** A key of the account. @throws NotFound */
  async get(accountId: string, id: string, tx = this.database.manager): Promise<ApiKey> {
    // Administrators take both from an address and a form.
    const areIds = isId(accountId) && isId(id);
    const key = areIds ? await tx.getRepository(ApiKey).findOneBy({ id, accountId }) : null;
    if (!key) throw new NotFound('API key');
    return key;
  }

  /** How many keys of the account work. */
  countWorking(accountId: string, tx = this.database.manager): Promise<number> {
    return tx.getRepository(ApiKey).countBy(this.working({ accountId }));
  }

  private async isFull(accountId: string, tx: EntityManager): Promise<boolean> {
    return (await this.countWorking(accountId, tx)) >= KEYS_PER_ACCOUNT;
  }

  private async areRatesFull(tx: EntityManager, id?: FindOperator<string>): Promise<boolean> {
    const rated = this.working({ ...(id && { id }), requestsPerMinute: Not(IsNull()) });
    return (await tx.getRepository(ApiKey).countBy(rated)) >= KEYS_WITH_RATE;
  }

  /** Conditions for the given keys that still work. */
  private working(which: FindOptionsWhere<ApiKey>): FindOptionsWhere<ApiKey>[] {
    const working = { ...which, revokedAt: IsNull() };
    return [
      { ...working, expiresAt: IsNull() },
      { ...working, expiresAt: MoreThan(this.clock.now()) },
    ];
  }

  /**
   * The account of a key; null for an invalid one: missing, malformed, unknown, expired, revoked, of the other
   * environment or of a disabled account. Changes by other processes take effect within CACHE_TTL_MS.
   */
  async findCaller(key: string | null): Promise<Caller | null> {
    if (key === null) return null;
    const caller = await this.keyCache.find(hashKeyBase64(key), () => this.lookUp(key));
    if (caller) this.use.note(caller.keyId, this.clock.now());
    return caller;
  }

  private async lookUp(key: string): Promise<FoundCaller | null> {
    if (!isWellFormedKey(key, this.config.keyEnvironment)) return null;
    return findCaller(this.database, hashKey(key), this.clock.now());
  }

  private async insert(
    tx: EntityManager,
    actor: Actor,
    made: Pick<ApiKey, 'accountId' | 'name' | 'expiresAt' | 'scopes' | 'origins'> &
      Partial<Pick<ApiKey, 'requestsPerMinute'>>,
  ): Promise<IssuedKey> {
    const { accountId, name, expiresAt, scopes, origins, requestsPerMinute = null } = made;
    const { keyEnvironment } = this.config;
    const key = generateKey(keyEnvironment);
    const stored: ApiKey = {
      id: newId(),
      accountId,
      name,
      prefix: keyPrefix(keyEnvironment),
      lastFour: key.slice(-4),
      createdAt: this.clock.now(),
      expiresAt,
      revokedAt: null,
      rotatedAt: null,
      lastUsedAt: null,
      scopes,
      origins,
      requestsPerMinute,
    };
    await tx.getRepository(ApiKey).insert({ ...stored, hash: hashKey(key) });
    await this.record(tx, actor, 'key.issued', stored);
    return { stored, key };
  }

  private record(
    tx: EntityManager,
    actor: Actor,
    action: string,
    key: ApiKey,
    change?: string,
  ): Promise<void> {
    const name = `${key.name} (${maskedKey(key)})`;
    const object = { kind: 'API key', id: key.id, name };
    const origins = key.origins.length > 0 ? `, origins ${key.origins.join(' ')}` : '';
    const detail = `account ${key.accountId}, ${change ?? `scopes ${key.scopes.join(' ')}${origins}`}`;
    return this.audit.record(tx, actor, action, object, detail);
  }

  private after(lifetime: number | null): Date | null {
    return lifetime === null ? null : new Date(this.clock.now().getTime() + lifetime);
  }
}

const RATE_FOR_PAGES =
  'A key with only the scope play stands in web pages, where one visitor could use up the rate of all. Give a rate to a key of a server.';
const TOO_MANY_RATES = `${KEYS_WITH_RATE.toLocaleString('en')} keys have a rate of their own, the most there may be. Reset one that is not in use.`;

/** @throws Conflict */
function requireWorking({ name, revokedAt, expiresAt }: ApiKey, now: Date): void {
  if (revokedAt || (expiresAt && expiresAt <= now))
    throw new Conflict(`The key “${name}” no longer works. Create a new one instead.`);
}

/** @throws Invalid */
function requireRate(perMinute: number): void {
  if (Number.isInteger(perMinute) && perMinute >= 1 && perMinute <= MOST_PER_MINUTE) return;
  const message = `A rate is a whole number of requests a minute, from 1 to ${MOST_PER_MINUTE.toLocaleString('en')}`;
  throw new Invalid('The rate', [{ path: 'requestsPerMinute', message, code: 'range' }]);
}

const inWords = (perMinute: number | null): string =>
  perMinute === null ? 'by address' : `by key, ${perMinute} a minute`;

const readRestrictions = ({ scopes = ALL_SCOPES, origins = [] }: KeyRestrictions) => ({
  scopes: readScopes(scopes),
  origins: readOrigins(origins),
});

function keyName(name: string): string {
  const tidied = tidy(name);
  if (!tidied || codePoints(tidied) > NAME_LENGTH || !isStorable(tidied))
    throw new Invalid('The key', [
      {
        path: 'name',
        message: `Give the key a name of 1 to ${NAME_LENGTH} characters, so you can recognise it later`,
        code: 'name',
      },
    ]);
  return tidied;
}
