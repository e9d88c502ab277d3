import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { LOGGER, type Logger } from '../platform/logger';
import { ATTEMPT_LASTS } from './attempt.rules';

const EVERY = 3_600_000;
/** Until then whoever comes back too late is told so (422), and not that there is nothing (404). */
const KEPT_AFTER_EXPIRY = ATTEMPT_LASTS;
/** A short transaction each. */
const BATCH = 1_000;

/**
 * Deletes attempts that were never submitted, a day after they have expired. Runs in each API process, once an
 * hour; processes that do so at the same time take different rows.
 */
@Injectable()
export class AttemptRetention implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.prune().catch((error: unknown) =>
        this.logger.warn({ err: error }, 'expired attempts could not be deleted'),
      );
    }, EVERY).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** @returns how many attempts were deleted */
  async prune(): Promise<number> {
    const before = new Date(this.clock.now().getTime() - ATTEMPT_LASTS - KEPT_AFTER_EXPIRY);
    let deleted = 0;
    for (;;) {
      const [, count] = await this.database.query<[unknown[], number]>(PRUNE, [before, BATCH]);
      deleted += count;
      if (count < BATCH) return deleted;
    }
  }
}

const PRUNE = `
DELETE FROM quiz_attempts WHERE id IN (
  SELECT id FROM quiz_attempts WHERE submitted_at IS NULL AND started_at < $1
  ORDER BY started_at LIMIT $2 FOR UPDATE SKIP LOCKED)`;
