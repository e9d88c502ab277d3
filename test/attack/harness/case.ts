import type { Stage } from '../../faults/harness/stage';

/** One attack on real processes. */
export interface AttackCase {
  name: string;
  /** Attacks, and judges what came of it. @returns the figures. @throws Error when the service did not hold */
  run(stage: Stage): Promise<string>;
}

/** Cases that share a database and processes. Each subject is a file in cases/, listed in run.ts. */
export interface Subject {
  name: string;
  settings?: Record<string, string>;
  cases: AttackCase[];
}
