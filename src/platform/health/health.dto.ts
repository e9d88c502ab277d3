import { Choice } from '../openapi/fields';

export class Liveness {
  /** Always the same. */
  @Choice(['live']) status!: string;
}

export class Readiness {
  /** `degraded`: something is missing, see `notes`. */
  @Choice(['ready', 'degraded']) status!: string;
  /** `up`, or `read-only` while it refuses writes. @example up */
  database!: string;
  /** `up`, `down`, or `unused` where there is none. @example unused */
  redis!: string;
  /** The process that sends webhooks. @example up */
  worker!: string;
  /** A sentence for each thing that is wrong. @example ["Redis does not respond."] */
  notes!: string[];
}
