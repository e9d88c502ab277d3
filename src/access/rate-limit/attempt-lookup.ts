/** Whether an attempt exists. The module of attempts provides it: requests are counted before it is reached. */
export abstract class AttemptLookup {
  /** Without a statement; false: unknown. */
  abstract isInMemory(attemptId: string): boolean;

  abstract exists(attemptId: string): Promise<boolean>;
}
