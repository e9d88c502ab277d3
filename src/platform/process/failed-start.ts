import type { Logger } from '../observability/logger';

/** Stops what a failed start has opened. Never fails: the error of the start is the one to report. */
export const stopAfterFailure = (stop: () => Promise<void>, logger: Logger): Promise<void> =>
  stop().catch((error: unknown) =>
    logger.error({ err: error }, 'what the failed start had opened could not be closed'),
  );
