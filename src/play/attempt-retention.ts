import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { LOGGER, type Logger } from '../platform/logger';
import { ATTEMPT_LASTS } from './attempt.rules';
import {
  deleteBoards,
  deleteEditions,
  deleteOrphans,
  deleteUnsubmitted,
} from './retention.queries';

const EVERY = 3_600_000;
/** Until then whoever comes back too late is told so (422), and not that there is nothing (404). */
const KEPT_AFTER_EXPIRY = ATTEMPT_LASTS;
/** A short transaction each. */
const BATCH = 1_000;

/**
 * Deletes what nobody can go on with or look at any more: attempts that were never submitted, a day after they
 * have expired; and by the same time what deleted quizzes have left behind, with the stored versions of quizzes
 * that no attempt plays. Runs in each API process, once an hour; processes that do so at the same time take
 * different rows.
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
        this.logger.warn({ err: error }, 'what is left of played quizzes could not be deleted'),
      );
    }, EVERY).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** @returns how many rows were deleted */
  async prune(): Promise<number> {
    const before = new Date(this.clock.now().getTime() - ATTEMPT_LASTS - KEPT_AFTER_EXPIRY);
    let deleted = 0;
    // In this order: each makes room for the next.
    for (const sweep of [deleteUnsubmitted, deleteOrphans, deleteBoards, deleteEditions])
      for (let count = BATCH; count === BATCH; deleted += count)
        count = await sweep(this.database, before, BATCH);
    return deleted;
  }
}
