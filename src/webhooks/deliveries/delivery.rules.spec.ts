import * as fc from 'fast-check';
import { HOUR, MINUTE } from '../../platform/durations';
import type { AttemptOutcome } from './attempt-outcome';
import { decideNextState, type NextState, retryAfterMs } from './delivery.rules';

const NOW = new Date('2026-01-01T00:00:00.000Z');
const DELAYS = [MINUTE, 10 * MINUTE, HOUR];

type Given = Pick<AttemptOutcome, 'status' | 'error' | 'retryAfter'>;

function response(status: number | null, retryAfter: string | null = null): Given {
  return { status, error: status === null ? 'timeout' : null, retryAfter };
}

/** After this many automatic attempts, including the one with this outcome. */
function decide(
  spent: number,
  outcome: Given | 'interrupted',
  random = 0,
  retryDelaysMs = DELAYS,
): NextState {
  const attempt = {
    status: 'pending',
    isTest: false,
    isManual: false,
    automaticAttempts: outcome === 'interrupted' ? spent : spent - 1,
    nextAttemptAt: NOW,
    outcome:
      outcome === 'interrupted' ? outcome : { ...outcome, durationMs: 1, responseSnippet: null },
    endpoint: { disabled: false, deleted: false },
    now: NOW,
    retryDelaysMs,
  } as const;
  return decideNextState(attempt, () => random);
}

/** A manual retry of a test that was delivered. */
const retryTest = (outcome: Given | 'interrupted') =>
  decideNextState({
    status: 'delivered',
    isTest: true,
    isManual: true,
    automaticAttempts: 0,
    nextAttemptAt: null,
    now: NOW,
    retryDelaysMs: DELAYS,
    endpoint: { disabled: true, deleted: false },
    outcome:
      outcome === 'interrupted' ? outcome : { ...outcome, durationMs: 1, responseSnippet: null },
  });

/** The wait until the retry in milliseconds. */
function wait({ status, nextAttemptAt }: NextState): number {
  if (status !== 'pending' || !nextAttemptAt) throw new Error(`expected a retry, got ${status}`);
  return nextAttemptAt.getTime() - NOW.getTime();
}

describe('the retry decision', () => {
  it('a failed delivery is retried 1 minute, 10 minutes and 1 hour after the previous failure, then fails', () => {
    expect([1, 2, 3].map((spent) => wait(decide(spent, response(500))))).toEqual([
      MINUTE,
      10 * MINUTE,
      HOUR,
    ]);
    expect(decide(4, response(500))).toMatchObject({ status: 'failed', health: 'failing' });
    expect(decide(5, response(500))).toMatchObject({ status: 'failed', health: 'failing' });
  });

  it('a manual retry of a delivered test that fails leaves it delivered, and one that is interrupted goes on', () => {
    expect(retryTest(response(500))).toMatchObject({ status: 'delivered', isManual: false });
    // Tests are sent to disabled endpoints too.
    expect(retryTest('interrupted')).toMatchObject({ status: 'delivered', isManual: true });
  });

  it('a complete 2xx response and nothing else is a success', () => {
    for (let status = 100; status < 600; status++) {
      expect(decide(1, response(status)).status === 'delivered').toBe(
        status >= 200 && status < 300,
      );
    }
  });

  it('redirects, 4xx, 5xx and network errors are retried alike', () => {
    for (const status of [301, 302, 307, 308, 400, 401, 404, 413, 500, 502]) {
      expect(wait(decide(1, response(status)))).toBe(MINUTE);
    }
    const errors = ['timeout', 'dns_error', 'connection_refused', 'connection_reset'] as const;
    const more = ['tls_error', 'address_refused', 'protocol_error', 'network_error'] as const;
    for (const error of [...errors, ...more]) {
      expect(wait(decide(1, { status: null, error, retryAfter: null }))).toBe(MINUTE);
    }
  });

  it('a 2xx response whose body times out or is cut off is a failure', () => {
    expect(wait(decide(1, { status: 200, error: 'timeout', retryAfter: null }))).toBe(MINUTE);
    expect(wait(decide(1, { status: 200, error: 'connection_reset', retryAfter: null }))).toBe(
      MINUTE,
    );
  });

  it('410 fails the delivery at once and disables the endpoint', () => {
    expect(decide(1, response(410, '60'))).toMatchObject({ status: 'failed', health: 'gone' });
    expect(decide(4, response(410))).toMatchObject({ status: 'failed', health: 'gone' });
    expect(decide(1, { status: 410, error: 'timeout', retryAfter: null }).status).toBe('failed');
  });

  it('an interrupted attempt is repeated at once and never counts', () => {
    for (const spent of [0, 1, 3, 4, 9]) {
      const next = decide(spent, 'interrupted');
      expect(wait(next)).toBe(0);
      expect(next).toMatchObject({ status: 'pending', automaticAttempts: spent });
    }
  });

  it('an interrupted manual retry leaves the schedule of automatic attempts as it is', () => {
    const nextAttemptAt = new Date(NOW.getTime() + HOUR);
    const manual = {
      status: 'pending',
      isTest: false,
      isManual: true,
      automaticAttempts: 3,
      nextAttemptAt,
      outcome: 'interrupted',
      now: NOW,
      retryDelaysMs: DELAYS,
    } as const;
    const used = decideNextState({ ...manual, endpoint: { disabled: false, deleted: false } });
    expect(used).toMatchObject({ status: 'pending', isManual: true, nextAttemptAt });
    const disabled = decideNextState({ ...manual, endpoint: { disabled: true, deleted: false } });
    expect(disabled).toMatchObject({ status: 'paused', isManual: false, nextAttemptAt });
  });

  it('Retry-After on 429 and 503 delays a retry by at most the longest step', () => {
    expect(wait(decide(1, response(429, '300')))).toBe(5 * MINUTE);
    expect(wait(decide(1, response(503, 'Thu, 01 Jan 2026 00:05:00 GMT')))).toBe(5 * MINUTE);
    expect(wait(decide(1, response(429, '86400')))).toBe(HOUR);
    expect(wait(decide(1, response(429, '9'.repeat(64))))).toBe(HOUR);
    expect(wait(decide(2, response(429, '1')))).toBe(10 * MINUTE);
    expect(wait(decide(1, response(503, 'Wed, 31 Dec 2025 00:00:00 GMT')))).toBe(MINUTE);
    expect(wait(decide(1, response(500, '300')))).toBe(MINUTE);
    expect(wait(decide(1, { status: 429, error: 'timeout', retryAfter: '300' }))).toBe(5 * MINUTE);
    // The last step with its jitter is longer than the cap of Retry-After, so the schedule applies.
    expect(wait(decide(3, response(429, '86400'), 0.5))).toBe(HOUR * 1.05);
  });

  it('retries follow the configured delays', () => {
    expect(wait(decide(2, response(500), 0, [5, 7]))).toBe(7);
    expect(decide(3, response(500), 0, [5, 7]).status).toBe('failed');
    expect(decide(1, response(500), 0, []).status).toBe('failed');
  });

  it('a retry is never early and at most a tenth late, whatever the response', () => {
    const outcome = fc.record({
      status: fc.oneof(
        fc.constant(null),
        fc.constantFrom(429, 503, 500),
        fc.integer({ min: 300, max: 599 }),
      ),
      error: fc.constantFrom(null, 'timeout' as const),
      retryAfter: fc.oneof(fc.constant(null), fc.string(), fc.nat().map(String)),
    });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), outcome, random, (spent, given, chance) => {
        fc.pre(given.status !== 410);
        const step = DELAYS[spent - 1]!;
        const delay = wait(decide(spent, given, chance));
        expect(delay).toBeGreaterThanOrEqual(step);
        const mayDelay = given.retryAfter !== null && [429, 503].includes(given.status ?? 0);
        expect(delay).toBeLessThanOrEqual(mayDelay ? Math.max(HOUR, step * 1.1) : step * 1.1);
      }),
    );
  });
});

describe('reading Retry-After', () => {
  it('Retry-After is read as seconds or one of the three HTTP dates', () => {
    expect(retryAfterMs('120', NOW)).toBe(120_000);
    expect(retryAfterMs(' 0 ', NOW)).toBe(0);
    for (const date of [
      'Thu, 01 Jan 2026 00:02:00 GMT',
      'Thursday, 01-Jan-26 00:02:00 GMT',
      'Thu Jan  1 00:02:00 2026',
    ]) {
      expect(retryAfterMs(date, NOW)).toBe(120_000);
    }
  });

  it('any other Retry-After is ignored', () => {
    const texts = [
      '',
      '-5',
      '1.5',
      '1e3',
      '0x10',
      'soon',
      '2026-01-01',
      '1 2',
      'Thu, 99 Foo 2026 00:00:00 GMT',
    ];
    for (const text of [null, ...texts]) expect(retryAfterMs(text, NOW)).toBeNull();
  });
});
