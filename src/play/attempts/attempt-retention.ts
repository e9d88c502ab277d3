import { Inject, Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { HourlyRetention } from '../../platform/process/hourly-retention';
import { LIMITS } from '../../platform/limits/limits';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import { ATTEMPT_LASTS } from './attempt.rules';
import {
  deleteBoards,
  deleteSnapshots,
  deleteEmptyOpen,
  deleteEmptySubmitted,
  deleteOrphans,
  deleteSubmitted,
  deleteUnsubmitted,
} from './retention.queries';

const { emptyAttempts, submittedAttempts } = LIMITS.storage;

/** Until then whoever comes back too late is told so (422), and not that there is nothing (404). */
const KEPT_AFTER_EXPIRY = ATTEMPT_LASTS;

/**
 * Deletes what nobody can go on with or look at any more: visitors' attempts without an answer, submitted attempts
 * after 90 days, attempts that were never submitted a day after they have expired; and by the same time what deleted quizzes have left behind, with the stored versions of quizzes
 * that no attempt plays.
 */
@Injectable()
export class AttemptRetention extends HourlyRetention {
  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(logger, 'what is left of played quizzes');
  }

  async prune(): Promise<number> {
    const over = ATTEMPT_LASTS + KEPT_AFTER_EXPIRY;
    let deleted = 0;
    // In this order: each makes room for the next.
    for (const [sweep, age] of [
      [deleteEmptyOpen, emptyAttempts.value],
      [deleteEmptySubmitted, ATTEMPT_LASTS],
      [deleteSubmitted, submittedAttempts.value],
      [deleteUnsubmitted, over],
      [deleteOrphans, over],
      [deleteBoards, over],
      [deleteSnapshots, over],
    ] as const) {
      const before = this.clock.cutoff(age);
      deleted += await this.all((limit) => sweep(this.database, before, limit));
    }
    return deleted;
  }
}
