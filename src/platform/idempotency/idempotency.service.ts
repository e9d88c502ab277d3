import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../clock';
import { LIMITS } from '../limits/limits';
import {
  dropOldest,
  findStored,
  LARGE,
  store,
  type StoredResponse,
  tryLock,
} from './idempotency.queries';
import {
  KEY_LASTS,
  type KeyedRequest,
  KeyInUse,
  KeyReused,
  lockOf,
  ResponseDropped,
} from './idempotency.rules';

/** The response to a request. */
export interface RepeatableResponse {
  body: object;
  /** The URL of what was created. */
  location?: string;
  /** What the response can be rebuilt from, instead of storing a copy: see `replayFrom`. */
  madeFrom?: { kind: string; id: string };
  /** It repeats the response to an earlier request. */
  replayed?: true;
}

/**
 * Changes that happen once, however often their request is sent. The response is stored in the transaction of
 * the change: neither exists without the other, and a failed request leaves nothing behind.
 */
@Injectable()
export class IdempotencyService {
  private readonly rebuilders = new Map<string, (id: string) => Promise<object>>();

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** @param rebuild makes the body of a response of this kind again, while its key is valid */
  replayFrom(kind: string, rebuild: (id: string) => Promise<object>): void {
    this.rebuilders.set(kind, rebuild);
  }

  /** The response that the same request got before; null if there is none (yet). */
  async findResponse(request: KeyedRequest): Promise<RepeatableResponse | null> {
    const found = await this.find(this.database.manager, request);
    return found && isOf(request, found) ? this.replay(found) : null;
  }

  /** Whether the key was used before, for this request or another. Worth knowing before reading a long body. */
  async isUsed(request: Pick<KeyedRequest, 'accountId' | 'key'>): Promise<boolean> {
    return (await this.find(this.database.manager, request)) !== undefined;
  }

  /**
   * Does the work in a transaction. If the key was used before, returns the earlier response instead.
   * @param request null for a request without a key
   * @param work an error rolls everything back, so the key is free again
   * @throws KeyReused, KeyInUse
   */
  once(
    request: KeyedRequest | null,
    work: (tx: EntityManager) => Promise<RepeatableResponse>,
  ): Promise<RepeatableResponse> {
    return this.database.transaction(async (tx) => {
      if (!request) return work(tx);
      // Repeating a request in progress is an error.
      if (!(await tryLock(tx, lockOf(request.accountId, request.key)))) throw new KeyInUse();
      const found = await this.find(tx, request);
      if (found && !isOf(request, found)) throw new KeyReused();
      if (found) return this.replay(found);
      const response = await work(tx);
      const body = response.madeFrom?.id ?? JSON.stringify(response.body);
      const stored = {
        fingerprint: request.fingerprint,
        kind: response.madeFrom?.kind ?? null,
        body,
        location: response.location ?? null,
      };
      await store(tx, request, stored, this.clock.now());
      if (Buffer.byteLength(body) > LARGE)
        await dropOldest(tx, request.accountId, LIMITS.storage.storedResponses.value);
      return response;
    });
  }

  private async replay({ kind, body, location }: StoredResponse): Promise<RepeatableResponse> {
    if (body === null) throw new ResponseDropped();
    const rebuild = kind === null ? undefined : this.rebuilders.get(kind);
    if (kind !== null && !rebuild) throw new Error(`Nothing rebuilds responses of kind ${kind}.`);
    return {
      body: rebuild ? await rebuild(body) : (JSON.parse(body) as object),
      location: location ?? undefined,
      replayed: true,
    };
  }

  private find(
    database: EntityManager,
    request: Pick<KeyedRequest, 'accountId' | 'key'>,
  ): Promise<StoredResponse | undefined> {
    const since = new Date(this.clock.now().getTime() - KEY_LASTS);
    return findStored(database, request, since);
  }
}

const isOf = (request: KeyedRequest, found: StoredResponse) =>
  found.fingerprint.equals(request.fingerprint);
