/** One thing that `/health/ready` looks at. Modules implement it, the API's root puts them together. */
export interface HealthCheck {
  /** Its field in the answer. */
  readonly name: string;
  /** May throw or take as long as it likes: the answer then says so, and does not wait. */
  look(): Finding | Promise<Finding>;
  /** What it means that the look failed or took too long; absent: `unknown`, without effect. */
  readonly otherwise?: Finding;
}

export interface Finding {
  /** One word: `up`, `down`, `unused`. */
  state: string;
  /** On the readiness of this process: it serves with something missing, or cannot serve. */
  effect?: 'degraded' | 'unready';
  /** A sentence for people, where something is wrong. */
  note?: string;
}

/** Injection token of the list. */
export const HEALTH_CHECKS = Symbol('HEALTH_CHECKS');
