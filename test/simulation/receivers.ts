import type { AttemptOutcome } from '../../src/webhooks/deliveries/attempt-outcome';
import type { DeliveryRequest } from '../../src/webhooks/sending/sender';
import type { LeasedDelivery } from '../../src/webhooks/sending/leases';
import type { SimulatedProcess, World } from './world';

/** How an endpoint's receiver behaves. */
export const BEHAVIOURS = [
  'well',
  'slow',
  'hanging',
  'broken',
  'flaky',
  'busy',
  'refusing',
  'gone',
] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** What a busy receiver asks for, in seconds. */
export const RETRY_AFTER = 3;

/** Begins every text of a receiver's. */
export const RECEIVER_TEXT = 'text of the receiver';

/** One POST, as the network saw it. */
export interface Sent {
  process: SimulatedProcess;
  lease: LeasedDelivery | undefined;
  url: string;
  eventId: string;
  body: string;
  signature: string;
  at: number;
  /** When it reached the receiver; null when it did not. */
  arrivedAt: number | null;
  /** What the sender was told, and when; null when it was never told. */
  outcome: AttemptOutcome | null;
  endedAt: number | null;
}

/** The network and the receivers behind it, by URL. */
export class Receivers {
  readonly behaviour = new Map<string, Behaviour>();
  readonly sent: Sent[] = [];

  constructor(private readonly world: World) {}

  /** The sender of one process. */
  sender(
    process: SimulatedProcess,
    leaseOf: (request: DeliveryRequest) => LeasedDelivery | undefined,
  ) {
    const underWay = new Set<(error: Error) => void>();
    return {
      sendDelivery: (request: DeliveryRequest): Promise<AttemptOutcome> =>
        new Promise((resolve, reject) => {
          underWay.add(reject);
          this.post(process, request, leaseOf(request), (outcome) => {
            underWay.delete(reject);
            resolve(outcome);
          });
        }),
      close: () => {
        for (const reject of underWay) reject(new Error('The sender was closed.'));
        return Promise.resolve();
      },
    };
  }

  private post(
    process: SimulatedProcess,
    { url, headers, body, timeoutMs }: DeliveryRequest,
    lease: LeasedDelivery | undefined,
    tell: (outcome: AttemptOutcome) => void,
  ): void {
    const { world } = this;
    const { random } = world;
    const sent: Sent = {
      process,
      lease,
      url,
      eventId: String(headers['X-Service-Delivery']),
      signature: String(headers['X-Service-Signature']),
      body: String(body),
      at: world.now,
      arrivedAt: null,
      outcome: null,
      endedAt: null,
    };
    this.sent.push(sent);
    let behaviour = this.behaviour.get(url) ?? 'well';
    if (behaviour === 'flaky') behaviour = random.chance(0.5) ? 'well' : 'broken';
    const travel = random.between(1, 20);
    const thinks =
      behaviour === 'slow' ? random.between(1_000, timeoutMs - 500) : random.between(0, 50);
    if (behaviour !== 'refusing')
      world.after(travel, () => {
        if (process.state !== 'dead') sent.arrivedAt = world.now;
      });
    const [delay, outcome] =
      behaviour === 'hanging' ? [timeoutMs, 'timeout' as const] : [travel + thinks, behaviour];
    world.after(delay, () => {
      const end = this.outcomeOf(outcome, delay);
      process.deliver(() => {
        sent.outcome = end;
        sent.endedAt = world.now;
        tell(end);
      });
    });
  }

  private outcomeOf(behaviour: Behaviour | 'timeout', durationMs: number): AttemptOutcome {
    const failure = { durationMs, retryAfter: null, status: null, responseSnippet: null };
    if (behaviour === 'timeout') return { ...failure, error: 'timeout' };
    if (behaviour === 'refusing') return { ...failure, error: 'connection_refused' };
    const status = { well: 200, slow: 200, broken: 500, busy: 503, gone: 410 }[behaviour as 'well'];
    return {
      status,
      error: null,
      durationMs,
      responseSnippet: `${RECEIVER_TEXT} ${this.sent.length}`,
      retryAfter: behaviour === 'busy' ? String(RETRY_AFTER) : null,
    };
  }
}
