/** Attempts at deliveries. */
export const DELIVERIES = 'webhook-deliveries';

/** Imports of files of any size, and a queue of their own for small ones: large files never keep them waiting. */
export const IMPORTS = 'imports';
export const SMALL_IMPORTS = 'small-imports';

/** Everything that repeats. */
export const SCHEDULED_TASKS = 'scheduled-tasks';
