import { type AttemptOutcome, isAcknowledged } from './attempt-outcome';

/** `paused`: pending, and its endpoint is disabled. */
export type DeliveryStatus = 'pending' | 'paused' | 'delivered' | 'failed' | 'cancelled';

export const DELIVERY_STATUSES = [
  'pending',
  'delivered',
  'failed',
  'cancelled',
] as const satisfies DeliveryStatus[];

/** What people see: a paused delivery is a pending one whose endpoint is disabled. */
export type ShownStatus = (typeof DELIVERY_STATUSES)[number];

/** The type of test events, which nobody subscribes to. */
export const TEST_EVENT = 'webhook.test';

/** Why an attempt was made, or `interrupted` if it was interrupted by us. */
export type AttemptKind = 'automatic' | 'manual' | 'test' | 'interrupted';

/** An attempt that has ended. */
export interface EndedAttempt {
  /** The previous status of the delivery. A manual retry may be of a finished one. */
  readonly status: DeliveryStatus;
  readonly isTest: boolean;
  readonly isManual: boolean;
  /** Automatic attempts before this one. */
  readonly automaticAttempts: number;
  /** When it was due; for a manual retry, when the next automatic attempt is; null if there is none. */
  readonly nextAttemptAt: Date | null;
  readonly outcome: AttemptOutcome | 'interrupted';
  /** The endpoint as it is now, not as it was when the attempt began. */
  readonly endpoint: { readonly disabled: boolean; readonly deleted: boolean };
  /** When the failure is recorded: the schedule counts from here. */
  readonly now: Date;
  /** One delay per retry, in milliseconds. */
  readonly retryDelaysMs: readonly number[];
}

/** The next state of the delivery. */
export interface NextState {
  readonly kind: AttemptKind;
  readonly status: DeliveryStatus;
  readonly automaticAttempts: number;
  /** When the next attempt is due; null if there is none. */
  readonly nextAttemptAt: Date | null;
  /** The next attempt is still the manual retry that was requested. */
  readonly isManual: boolean;
  /** What the attempt shows about the endpoint. */
  readonly health: 'good' | 'failing' | 'gone' | 'unknown';
}

/**
 * Decides what follows an attempt (part 6, retry policy; contract, Events). Every failure is retried in the same way,
 * including redirects and network errors; only 410 Gone ends the delivery at once, and disables the endpoint. Manual
 * retries are outside the schedule: they do not count as automatic attempts. One that succeeds ends the delivery and
 * its automatic retries. One that fails keeps a finished delivery's status, and delays a pending automatic retry
 * again, counted from this failure. A test is sent once.
 * @param random from 0 to 1, 1 excluded
 */
export function decideNextState(attempt: EndedAttempt, random = Math.random): NextState {
  const { status, isTest, isManual, outcome, endpoint, now } = attempt;
  if (outcome === 'interrupted') return decideAfterInterruption(attempt);

  const kind = isTest ? 'test' : isManual ? 'manual' : 'automatic';
  const automaticAttempts =
    kind === 'automatic' ? attempt.automaticAttempts + 1 : attempt.automaticAttempts;
  const ended = { ...ENDED, kind, status, automaticAttempts } as const;
  if (isAcknowledged(outcome)) return { ...ended, status: 'delivered', health: 'good' };
  const health = outcome.status === 410 ? 'gone' : isTest ? 'unknown' : 'failing';
  if (!isUnfinished(status)) return { ...ended, health };
  if (isTest) return { ...ended, status: 'failed', health };
  if (endpoint.deleted) return { ...ended, status: 'cancelled', health };

  const step = attempt.retryDelaysMs[automaticAttempts - 1];
  if (step === undefined || health === 'gone') return { ...ended, status: 'failed', health };
  const delay = Math.max(
    step + Math.floor(step * MAX_JITTER * random()),
    Math.min(requestedDelay(outcome, now), Math.max(...attempt.retryDelaysMs)),
  );
  const nextAttemptAt = new Date(now.getTime() + delay);
  return { ...ended, status: endpoint.disabled ? 'paused' : 'pending', nextAttemptAt, health };
}

const ENDED = { nextAttemptAt: null, isManual: false } as const;

/**
 * An interruption is not the receiver's failure: repeated at once and not counted, unless the endpoint is no longer
 * in use. The schedule of automatic attempts stays if it was a manual retry.
 */
function decideAfterInterruption(attempt: EndedAttempt): NextState {
  const { status, isTest, isManual, automaticAttempts, endpoint, now } = attempt;
  const same = { kind: 'interrupted', status, automaticAttempts, health: 'unknown' } as const;
  const isInUse = !endpoint.deleted && (!endpoint.disabled || isTest);
  if (!isUnfinished(status)) return { ...same, ...ENDED, isManual: isManual && isInUse };
  if (endpoint.deleted) return { ...same, ...ENDED, status: 'cancelled' };
  const nextAttemptAt = isManual ? attempt.nextAttemptAt : now;
  if (endpoint.disabled && !isTest)
    return { ...same, status: 'paused', nextAttemptAt, isManual: false };
  return { ...same, status: 'pending', nextAttemptAt, isManual };
}

/** Attempts follow by themselves, now or when the endpoint is enabled. */
const isUnfinished = (status: DeliveryStatus) => status === 'pending' || status === 'paused';

/** Jitter adds at most this share of a step, so that retries after an outage are spread out. */
const MAX_JITTER = 0.1;

/** Milliseconds. `Retry-After` is respected for 429 and 503 only, and can only add delay. */
function requestedDelay({ status, retryAfter }: AttemptOutcome, now: Date): number {
  return status === 429 || status === 503 ? (retryAfterMs(retryAfter, now) ?? 0) : 0;
}

/**
 * The delay that a `Retry-After` header requests, in milliseconds from `now`; negative for a past date. Null for
 * anything except whole seconds or one of the three HTTP dates (RFC 9110, 5.6.7).
 */
export function retryAfterMs(header: string | null, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const isHttpDate =
    /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/.test(text);
  const isAsctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/.test(text);
  if (!isHttpDate && !isAsctime) return null;
  // Date.parse would read an asctime date, which has no zone, as local time.
  const time = Date.parse(isAsctime ? `${text} GMT` : text);
  return Number.isNaN(time) ? null : time - now.getTime();
}
