import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Request } from 'express';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import { findKeyRates, type KeyRate } from '../api-keys/api-key.queries';
import { findKey, hashKeyBase64 } from '../api-keys/api-key.rules';

/** Rates older than this are read again, beside the request that finds them so old. */
const READ_AGAIN_MS = 5_000;

/**
 * The keys whose requests are counted by key instead of by client address. They are few, and all of them are in memory:
 * requests are counted before their key is looked up, so that a refused one costs the database nothing, and none of
 * them waits for a database that hangs.
 */
@Injectable()
export class KeyRatesService implements OnModuleInit {
  /** By the hash of the key. */
  private rates: ReadonlyMap<string, KeyRate> = new Map();
  private readAt = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): Promise<void> {
    return this.read();
  }

  /** The rate of the request's key; null if its address counts. */
  of({ headers, query }: Request): KeyRate | null {
    if (this.clock.now().getTime() - this.readAt > READ_AGAIN_MS)
      // While the database hangs, one read waits for it, not one more every five seconds.
      void (this.reading ??= this.read().finally(() => (this.reading = undefined)));
    if (this.rates.size === 0) return null;
    const key = findKey(headers, query);
    return (key !== null && this.rates.get(hashKeyBase64(key))) || null;
  }

  /** Never fails: without the database, the rates that are known hold. */
  async read(): Promise<void> {
    const now = this.clock.now();
    this.readAt = now.getTime();
    try {
      const rates = await findKeyRates(this.database, now);
      this.rates = new Map(rates.map((rate) => [rate.hash, rate]));
    } catch (error) {
      this.logger.warn({ err: error }, 'the rates of API keys could not be read');
    }
  }
}
