import { isAcknowledged, type AttemptOutcome } from './attempt-outcome';
import { decideRetry } from './retry';

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'cancelled';

/** What an attempt was made for, and `interrupted` once it is known that we broke it off. */
export type AttemptKind = 'automatic' | 'manual' | 'test' | 'interrupted';

/** An attempt that has ended. */
export interface EndedAttempt {
  /** The delivery's status before. A manual retry may be of a finished one. */
  readonly status: DeliveryStatus;
  readonly isTest: boolean;
  readonly isManual: boolean;
  /** Automatic attempts before this one. */
  readonly automaticAttempts: number;
  readonly outcome: AttemptOutcome | 'interrupted';
  /** The endpoint as it is now, not as it was when the attempt began. */
  readonly endpoint: { readonly disabled: boolean; readonly deleted: boolean };
  readonly now: Date;
  readonly retryDelaysMs: readonly number[];
}

/** What becomes of the delivery. */
export interface NextState {
  readonly kind: AttemptKind;
  readonly status: DeliveryStatus;
  readonly state: 'waiting' | 'paused' | 'idle';
  readonly automaticAttempts: number;
  /** When the next attempt is due; null when none is. */
  readonly nextAttemptAt: Date | null;
  /** The next attempt is still the manual retry that was asked for. */
  readonly isManual: boolean;
  /** What the attempt says of the endpoint. */
  readonly health: 'good' | 'failing' | 'gone' | 'unknown';
}

/**
 * Decides what an attempt comes to (part 6, retry policy; contract, Events).
 *
 * Manual retries are beside the schedule: they spend no automatic attempt. One that succeeds ends the
 * delivery, automatic retries included. One that fails leaves a finished delivery as it was and puts a
 * pending one's automatic retry off, to its step after this failure. A test is sent once.
 */
export function decideNextState(attempt: EndedAttempt): NextState {
  const { status, isTest, isManual, outcome, endpoint, now } = attempt;
  const kind = isTest ? 'test' : isManual ? 'manual' : 'automatic';
  const automaticAttempts =
    kind === 'automatic' && outcome !== 'interrupted'
      ? attempt.automaticAttempts + 1
      : attempt.automaticAttempts;
  const ended = {
    status,
    automaticAttempts,
    state: 'idle',
    nextAttemptAt: null,
    isManual: false,
  } as const;

  if (outcome === 'interrupted') {
    const again = {
      ...interruptedAgain(attempt),
      automaticAttempts,
      kind,
      health: 'unknown',
    } as const;
    return { ...again, kind: 'interrupted' };
  }
  if (isAcknowledged(outcome)) return { ...ended, kind, status: 'delivered', health: 'good' };
  const health = outcome.status === 410 ? 'gone' : isTest ? 'unknown' : 'failing';
  if (isTest) return { ...ended, kind, status: 'failed', health };
  if (status !== 'pending') return { ...ended, kind, health };
  if (endpoint.deleted) return { ...ended, kind, status: 'cancelled', health };

  const { retryDelaysMs } = attempt;
  const next = decideRetry({ automaticAttempts, outcome, now, retryDelaysMs });
  if (next.kind !== 'retry') return { ...ended, kind, status: 'failed', health };
  return {
    kind,
    status,
    automaticAttempts,
    state: endpoint.disabled ? 'paused' : 'waiting',
    nextAttemptAt: next.at,
    isManual: false,
    health,
  };
}

/** Our error, not the receiver's: again at once, unless the endpoint is out of use by now. */
function interruptedAgain({ status, isTest, isManual, endpoint, now }: EndedAttempt) {
  const dropped = { state: 'idle', nextAttemptAt: null, isManual: false } as const;
  if (endpoint.deleted)
    return { ...dropped, status: status === 'pending' ? ('cancelled' as const) : status };
  if (!endpoint.disabled || isTest)
    return { status, state: 'waiting', nextAttemptAt: now, isManual } as const;
  if (status !== 'pending') return { ...dropped, status };
  return { status, state: 'paused', nextAttemptAt: now, isManual: false } as const;
}
