import type { AttackTarget } from './attack-target';

/** One attack on real processes. */
export interface AttackCase {
  name: string;
  /** Attacks, and judges what came of it. @returns the figures. @throws Error when the service did not hold */
  run(target: AttackTarget): Promise<string>;
}

/** Cases of one kind: a file in cases/, listed in run.ts. */
export interface Subject {
  name: string;
  cases: AttackCase[];
}
