/** Attempts at deliveries. */
export const DELIVERIES = 'webhook-deliveries';

/** Imports of large files, and those of small ones (`LIMITS.imports.smallFile`), which large files never keep waiting. */
export const IMPORTS = 'imports';
export const SMALL_IMPORTS = 'small-imports';

/** Everything that repeats. */
export const SCHEDULED_TASKS = 'scheduled-tasks';
