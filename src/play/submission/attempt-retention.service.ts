import { Inject, Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { inBatches } from '../../platform/batches';
import { Clock } from '../../platform/clock';
import { HOUR } from '../../platform/durations';
import { LIMITS } from '../../platform/limits/limits';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import { Scheduled } from '../../platform/queue/scheduled';
import { ATTEMPT_LASTS, GRACE } from '../attempts/attempt.rules';
import {
  deleteAttempts,
  deleteClosedReports,
  deleteLeaderboards,
  deleteUnplayedSnapshots,
  deleteWithoutQuiz,
  type ExpiredAttempts,
  findOverdue,
  lockUnplayedSnapshots,
  QUIZ_TABLES,
} from './attempt-retention.queries';
import { SubmissionService } from './submission.service';

const { emptyAttempts, submittedAttempts } = LIMITS.storage;

/**
 * Expired attempts are kept as long again: until then a late request gets the error that the attempt has expired
 * (422, not 404).
 */
const OVER = 2 * ATTEMPT_LASTS;

/** Where so many attempts cannot be submitted, probably none can: the database is away. */
const MOST_FAILED = 100;

/**
 * Submits what was answered in time by players who did not submit it, and deletes what nobody can continue or see any
 * more: attempts, and the remains of deleted quizzes and changed questions. Rows that another transaction has
 * locked are left for the next run.
 */
@Injectable()
export class AttemptRetention {
  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly submissions: SubmissionService,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Scheduled({ name: 'retention of attempts', every: HOUR })
  async prune(): Promise<number> {
    const failed: string[] = [];
    await inBatches((limit) => this.submitOverdue(limit, failed));
    let deleted = 0;
    for (const [age, attempts] of ATTEMPTS)
      deleted += await inBatches((limit) =>
        deleteAttempts(this.database, attempts, this.clock.cutoff(age), limit),
      );
    for (const table of QUIZ_TABLES)
      deleted += await inBatches((limit) => deleteWithoutQuiz(this.database, table, limit));
    const closed = this.clock.cutoff(submittedAttempts.value);
    deleted += await inBatches((limit) => deleteClosedReports(this.database, closed, limit));
    // Last: the deleted attempts have freed leaderboards and snapshots.
    deleted += await inBatches((limit) => deleteLeaderboards(this.database, limit));
    return deleted + (await inBatches((limit) => this.deleteSnapshots(limit)));
  }

  /** Without counting plays: the address, by which some are limited, is not known here. */
  private async submitOverdue(limit: number, failed: string[]): Promise<number> {
    const ended = this.clock.cutoff(GRACE);
    const overdue = await findOverdue(this.database, ended, failed, limit);
    for (const { id, accountId } of overdue)
      try {
        await this.submissions.submit(accountId, id, null);
      } catch (error) {
        // One that fails is tried again in an hour, and keeps no other from being submitted or deleted.
        this.logger.warn({ err: error, attempt: id }, 'an attempt could not be submitted');
        if (failed.push(id) >= MOST_FAILED) return 0;
      }
    return overdue.length;
  }

  /**
   * Deletes snapshots that no attempt uses. In two statements: once a snapshot is locked no attempt can start with
   * it, and the second statement sees those that have started until then.
   */
  private deleteSnapshots(limit: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      const ids = await lockUnplayedSnapshots(tx, this.clock.cutoff(OVER), limit);
      return deleteUnplayedSnapshots(tx, ids);
    });
  }
}

/** The attempts that are deleted, and at which age. */
const ATTEMPTS: [age: number, attempts: ExpiredAttempts][] = [
  [emptyAttempts.value, 'openEmpty'],
  [ATTEMPT_LASTS, 'submittedEmpty'],
  [submittedAttempts.value, 'submitted'],
  [OVER, 'open'],
  [OVER, 'ofNoQuiz'],
];
