import { Choice } from '../openapi/fields';

export class Liveness {
  /** Always the same. */
  @Choice(['live']) status!: string;
}

export class Readiness {
  /**
   * `degraded`: the database refuses writes, or Redis does not respond; `notes` says which. It stays `ready`
   * without a worker.
   */
  @Choice(['ready', 'degraded']) status!: string;
  /** `up`, or `read-only` while it refuses writes. @example up */
  database!: string;
  /** `up`, `down`, or `unused` where there is none. @example unused */
  redis!: string;
  /**
   * Whether a worker sends webhooks and runs imports. `up`: a worker runs. `down`: none does. `stuck`: the queue does not respond to any.
   * `unknown`: the check failed or took too long.
   * @example up
   */
  worker!: string;
  /** A sentence for each thing that is wrong. @example ["Redis does not respond."] */
  notes!: string[];
}
