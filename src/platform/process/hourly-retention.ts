import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from '../observability/logger';

const EVERY = 3_600_000;
/** A short transaction each. */
const BATCH = 1_000;

/**
 * Deletes expired rows hourly in each API process. Processes that run at the same time take different rows, because
 * the
 * statements skip locked ones.
 */
@Injectable()
export abstract class HourlyRetention implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  /** @param what the subject of a log line: `old responses` */
  protected constructor(
    protected readonly logger: Logger,
    private readonly what: string,
  ) {}

  /** @returns how many rows were deleted */
  abstract prune(): Promise<number>;

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.prune().catch((error: unknown) =>
        this.logger.warn({ err: error }, `${this.what} could not be deleted`),
      );
    }, EVERY).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Batch by batch, until nothing is left. @returns how many rows were deleted */
  protected async all(deleteSome: (limit: number) => Promise<number>): Promise<number> {
    let deleted = 0;
    for (let count = BATCH; count === BATCH; deleted += count) count = await deleteSome(BATCH);
    return deleted;
  }
}
