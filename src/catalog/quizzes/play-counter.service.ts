import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { CoalescedTask } from '../../platform/coalesced-task';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import { StateLog } from '../../platform/state-log';
import { countWaitingPlays } from './plays.queries';

/**
 * Adds submitted attempts to `quizzes.plays`. A play is a row of `uncounted_plays`, written in the attempt's own
 * transaction (plays.listener.ts), so none is lost; one update per quiz adds all waiting plays. Many players then share one
 * lock of the quiz's row, instead of each holding it through their own commit.
 */
@Injectable()
export class PlayCounter implements OnModuleInit, OnModuleDestroy {
  private readonly counting = new CoalescedTask(() => this.countWaiting());
  private readonly state: StateLog;

  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.state = new StateLog(logger, 'the counting of plays');
  }

  /** Counts what a killed process has left behind. */
  onModuleInit(): Promise<void> {
    return this.count();
  }

  onModuleDestroy(): Promise<void> {
    return this.counting.close();
  }

  /**
   * Counts every play that was committed before the call; concurrent callers share one statement. Never fails and
   * never waits for a quiz that is being written: its plays are counted half a second later.
   */
  count(): Promise<void> {
    return this.counting.run();
  }

  private async countWaiting(): Promise<boolean> {
    try {
      const isLeft = await countWaitingPlays(this.database);
      this.state.works();
      return isLeft;
    } catch (error) {
      this.state.failed(error);
      return true;
    }
  }
}
