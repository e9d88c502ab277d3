import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { Clock } from '../clock';
import { LOGGER, type Logger } from '../logger';
import { KEY_LASTS } from './idempotency.rules';

const EVERY = 3_600_000;
/** A short transaction each. */
const BATCH = 1_000;

/**
 * Deletes answers whose keys are no longer good. Runs in each API process, once an hour; processes that do so
 * at the same time take different rows.
 */
@Injectable()
export class IdempotencyRetention implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.prune().catch((error: unknown) =>
        this.logger.warn({ err: error }, 'old idempotent answers could not be deleted'),
      );
    }, EVERY).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** @returns how many answers were deleted */
  async prune(): Promise<number> {
    const before = new Date(this.clock.now().getTime() - KEY_LASTS);
    let deleted = 0;
    for (;;) {
      const [, count] = await this.database.query<[unknown[], number]>(PRUNE, [before, BATCH]);
      deleted += count;
      if (count < BATCH) return deleted;
    }
  }
}

const PRUNE = `
DELETE FROM idempotent_answers WHERE (account_id, key) IN (
  SELECT account_id, key FROM idempotent_answers WHERE created_at <= $1
  ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)`;
