import { LIMITS } from '../../src/platform/limits/limits';

/** Shares of sending capacity that a small schedule can exceed. Imported before what reads them. */
export const SHARE = 4;

const { accountFirstAttempts, accountSlow, accountRetries } = LIMITS.webhooks;
for (const limit of [accountFirstAttempts, accountSlow, accountRetries])
  (limit as { value: number }).value = SHARE;
