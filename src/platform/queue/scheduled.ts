import { DiscoveryService } from '@nestjs/core';

/** When a scheduled task runs. */
export interface Schedule {
  /** The id of its job scheduler, and the subject of log lines: `retention of deliveries`. */
  name: string;
  /** Milliseconds between two runs. */
  every: number;
}

/**
 * Runs a provider's method again and again, in one worker at a time, unless a run takes longer than the interval:
 * tasks must tolerate that. It is a BullMQ job scheduler. The method may return true if more is waiting: it then runs
 * again at once. Only the worker process runs scheduled tasks.
 */
export const Scheduled = DiscoveryService.createDecorator<Schedule>();
