import { isAcknowledged, type AttemptOutcome } from './attempt-outcome';

/** Milliseconds after the previous failure (part 6, retry policy): 1 minute, 10 minutes, 1 hour. */
export const DEFAULT_RETRY_DELAYS_MS: readonly number[] = [60_000, 600_000, 3_600_000];

/** Jitter adds at most this share of a step, so retries of one outage do not come back as one. */
const MAX_JITTER = 0.1;

/** What becomes of a delivery after an attempt. */
export type RetryDecision =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly at: Date }
  | { readonly kind: 'failed'; readonly disableEndpoint: boolean };

/** What the decision rests on. */
export interface FinishedAttempt {
  /**
   * Attempts spent so far, this one included: 1 after the first POST. An interrupted attempt is not
   * counted.
   */
  readonly automaticAttempts: number;
  /** `interrupted`: we died, or were stopped, before the outcome was known. */
  readonly outcome: Pick<AttemptOutcome, 'status' | 'error' | 'retryAfter'> | 'interrupted';
  /** When the failure was noted: the schedule runs from here. */
  readonly now: Date;
  /** One wait per retry, milliseconds. */
  readonly retryDelaysMs?: readonly number[];
  /** From 0 to 1, 1 excluded. */
  readonly random?: () => number;
}

/**
 * Decides what follows an attempt (part 6, retry policy; contract, Events).
 *
 * Never earlier than the schedule: jitter and `Retry-After` (429 and 503 only) can but delay, the
 * latter to the longest step at most. Every failure is retried alike, redirects and network errors
 * included; only 410 Gone ends the delivery at once, and asks for the endpoint to be disabled. An
 * interrupted attempt is our error: it is due again now and spends nothing.
 */
export function decideRetry(attempt: FinishedAttempt): RetryDecision {
  const { automaticAttempts, outcome, now } = attempt;
  const { retryDelaysMs = DEFAULT_RETRY_DELAYS_MS, random = Math.random } = attempt;

  if (outcome === 'interrupted') return { kind: 'retry', at: new Date(now) };
  if (isAcknowledged(outcome)) return { kind: 'delivered' };
  if (outcome.status === 410) return { kind: 'failed', disableEndpoint: true };

  const step = retryDelaysMs[automaticAttempts - 1];
  if (step === undefined) return { kind: 'failed', disableEndpoint: false };

  const scheduled = step + Math.floor(step * MAX_JITTER * random());
  const asked = Math.min(askedDelayMs(outcome, now), Math.max(...retryDelaysMs));
  return { kind: 'retry', at: new Date(now.getTime() + Math.max(scheduled, asked)) };
}

function askedDelayMs(outcome: Pick<AttemptOutcome, 'status' | 'retryAfter'>, now: Date): number {
  if (outcome.status !== 429 && outcome.status !== 503) return 0;
  return retryAfterMs(outcome.retryAfter, now) ?? 0;
}

/**
 * The wait a `Retry-After` header asks for, in milliseconds from `now`; a date already past is
 * negative. Null for anything but whole seconds or one of the three HTTP dates (RFC 9110, 5.6.7).
 */
export function retryAfterMs(header: string | null, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const isHttpDate =
    /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/.test(text);
  const isAsctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/.test(text);
  if (!isHttpDate && !isAsctime) return null;
  // Date.parse would take an asctime date, which names no zone, for local time.
  const time = Date.parse(isAsctime ? `${text} GMT` : text);
  return Number.isNaN(time) ? null : time - now.getTime();
}
