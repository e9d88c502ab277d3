import table from './limit-table.json';

/**
 * The one table of limits, `limit-table.json`: it lists everything that grows or costs, and the code that enforces a
 * limit reads its value from it. `npm run limits` writes docs/limits.md; limits.spec.ts compares the two, and checks
 * that code reads each limit and that the test named for it exists.
 */
export interface Limit {
  /** Bytes and milliseconds where that is the unit; the page shows MiB and minutes. */
  readonly value: number;
  /** What is counted: "questions", "characters", "bytes", "ms". */
  readonly unit: string;
  /** What is bounded, as a noun phrase: "Questions in a quiz". */
  readonly what: string;
  /** Whose use is counted: "quiz", "account", "client address", "process". */
  readonly per: string;
  /** What a client sees beyond it: "422 that names the limit". */
  readonly beyond: string;
  /** The setting that changes it, if there is one. */
  readonly setting?: string;
  /** The test that shows it, as `path › title`. */
  readonly test: string;
  /** The reason for the value, where it is not obvious. */
  readonly why?: string;
}

/** Limits by subject: `LIMITS.requests.bodyBytes.value`. Each subject becomes a section of docs/limits.md. */
export const LIMITS = table satisfies Record<string, Record<string, Limit>>;
