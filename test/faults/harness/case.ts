import type { Count } from './audit';
import type { Fixture } from './fixture';

/** One row of the fault matrix. */
export interface FaultCase {
  /** What breaks: `kill worker`. */
  broken: string;
  /** At which point: `POST sent`. */
  when: string;
  /**
   * Does it, and judges what came of it. `skipped` says what the row needs and is not installed.
   * @throws Error when a guarantee does not hold
   */
  run(fixture: Fixture): Promise<Partial<Count> & { note?: string; skipped?: string }>;
}

/** Rows that share a fixture. */
export interface Suite {
  /** Which queues it is run on. `once`: what it breaks has nothing to do with the queue. */
  queues: 'both' | 'redis' | 'once';
  settings?: Record<string, string>;
  /** The gate leaves it to the night. */
  nightly?: boolean;
  /** It measures, so nothing else runs meanwhile. */
  alone?: boolean;
  /** PostgreSQL itself is stopped: the fixture has one of its own. */
  ownServer?: boolean;
  /** The rows do not disturb each other. */
  atOnce?: boolean;
  /** What all rows need, such as a worker. */
  prepare?(fixture: Fixture): Promise<void>;
  cases: FaultCase[];
}

/** With the name under which its own check, that nothing more is sent after its rows, is reported and run again. */
export interface NamedSuite extends Suite {
  name: string;
}
