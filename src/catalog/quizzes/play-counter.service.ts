import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import { countWaitingPlays } from './plays.queries';

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
    const left = await countWaitingPlays(this.database).catch((error: unknown) => {
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
