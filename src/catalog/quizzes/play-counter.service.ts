import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { LOGGER, type Logger } from '../../platform/observability/logger';

/** Plays that could not be counted at once are retried after this many milliseconds. */
const TRY_AGAIN = 500;

/**
 * Adds submitted attempts to `quizzes.plays`. A play is a row of `uncounted_plays`, written in the attempt's own
 * transaction (plays.listener.ts), so none is lost; one update per quiz adds all waiting plays. Many players then share one lock of the
 * quiz's row, instead of each holding it through their own commit.
 */
@Injectable()
export class PlayCounter implements OnModuleInit, OnModuleDestroy {
  private last: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Counts what a killed process has left behind. */
  onModuleInit(): Promise<void> {
    return this.count();
  }

  async onModuleDestroy(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.last;
  }

  /**
   * Counts every play that was committed before the call; concurrent callers share one statement. Never fails and
   * never waits for a quiz that is being written: its plays are counted half a second later.
   */
  count(): Promise<void> {
    this.next ??= this.last = this.last.then(() => {
      this.next = undefined;
      return this.countWaiting();
    });
    return this.next;
  }

  private async countWaiting(): Promise<void> {
    const left = await this.database
      .query<[{ left: boolean }]>(COUNT_WAITING)
      .then(([row]) => row.left)
      .catch((error: unknown) => {
        this.logger.warn({ err: error }, 'plays could not be counted yet');
        return true;
      });
    if (!left || this.timer || this.closed) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.count();
    }, TRY_AGAIN).unref();
  }
}

/**
 * The quiz's row is the lock of its plays: whoever holds it counts all of them, and others skip it. Plays of a
 * deleted quiz are deleted too. PostgreSQL runs the parts in one snapshot, and does not return a row that another
 * process has deleted meanwhile: no play counts twice. The commit need not wait for the disk: a crash would undo all
 * of it, and the plays would be counted again.
 */
const COUNT_WAITING = `
WITH free AS (
  SELECT id FROM quizzes WHERE id IN (SELECT quiz_id FROM uncounted_plays)
  ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), taken AS (
  DELETE FROM uncounted_plays
  WHERE quiz_id IN (SELECT id FROM free) OR NOT EXISTS (SELECT FROM quizzes WHERE id = quiz_id)
  RETURNING quiz_id
), counted AS (
  UPDATE quizzes SET plays = plays + n
  FROM (SELECT quiz_id, count(*) AS n FROM taken GROUP BY quiz_id) AS played WHERE id = quiz_id
)
SELECT (SELECT count(*) FROM uncounted_plays) > (SELECT count(*) FROM taken) AS "left",
  set_config('synchronous_commit', 'off', true)`;
