/** A start that failed for a reason that its message says whole: no stack is wanted. */
export class StartupError extends Error {}
