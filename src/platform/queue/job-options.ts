import type { DefaultJobOptions, WorkerOptions } from 'bullmq';

/**
 * Options of every job. A job that is kept after its end would block another one with the same id. Failed scheduled tasks
 * are kept for a while (`TASK_OPTIONS`).
 */
export const JOB_OPTIONS = {
  removeOnComplete: true,
  removeOnFail: true,
} satisfies DefaultJobOptions;

/** Options of every worker. */
export const WORKER_OPTIONS = {
  // A stalled job is one of a dead worker: no reason to fail it.
  maxStalledCount: 1_000_000,
  // A worker renews its jobs' locks in half of this time, however long they take. The jobs of a killed worker
  // continue in another one when the lock has expired and the next checks for stalled jobs have seen it: within 15 s.
  lockDuration: 8_000,
  stalledInterval: 3_000,
  // After a restart of the database or of Redis; BullMQ's own is 15 s.
  runRetryDelay: 1_000,
} satisfies Partial<WorkerOptions>;
