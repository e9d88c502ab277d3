import { setMaxListeners } from 'node:events';
import { Agent } from 'undici';
import { errorCode, type AttemptOutcome } from '../deliveries/attempt-outcome';
import { DeliveryHttpRequest, type Answer } from './delivery-request';
import { guardedConnector } from './guarded-connector';
import type { ResolveHost } from './guarded-lookup';
import { receiverText } from './receiver-text';
import { checkEndpointUrl } from '../endpoints/safe-url';

/** How a sender may reach receivers. */
export interface DeliverySenderOptions {
  /** `WEBHOOK_ALLOW_INSECURE`: http, any port, local names and private addresses. */
  readonly allowInsecure: boolean;
  /**
   * Connections to one origin, default 100. A delivery that waits for one spends its time-out, so
   * this stays above the number of deliveries under way at once to one receiver.
   */
  readonly connectionsPerOrigin?: number;
  /** Certificate authorities (PEM) instead of the system's. */
  readonly ca?: string;
  /** Instead of DNS, for tests. */
  readonly resolve?: ResolveHost;
}

/** One POST to make. */
export interface DeliveryRequest {
  readonly url: string;
  /** The stored bytes: what was signed is what is sent. */
  readonly body: string | Buffer;
  /** From `deliveryHeaders`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Over DNS, connect, TLS, headers and body together (part 8: 30 000). Milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Makes delivery attempts (part 6, delivery request). One per process: its connections are kept for
 * two seconds between deliveries, and one receiver's never wait for another's.
 */
export class DeliverySender {
  private readonly agent: Agent;
  private readonly closing = new AbortController();

  constructor(private readonly options: DeliverySenderOptions) {
    // One listener per connection.
    setMaxListeners(0, this.closing.signal);
    this.agent = new Agent({
      connect: guardedConnector({ ...options, signal: this.closing.signal }),
      connections: options.connectionsPerOrigin ?? 100,
      pipelining: 1,
      // Short: a receiver that drops idle connections must not cost an attempt.
      keepAliveTimeout: 2_000,
      keepAliveMaxTimeout: 2_000,
      // The one deadline of `sendDelivery` stands for these.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16 * 1024,
      allowH2: false,
    });
  }

  /**
   * Makes one attempt and says what it came to; a receiver cannot make it throw. Redirects are
   * answers like any other, never followed. At most 4 KiB of the answer are read, then the connection
   * is cut and the status stands. A status whose body breaks off or outlasts the time-out comes with
   * an `error` beside it and is no acknowledgement.
   *
   * @throws Error for errors of ours: headers that cannot be sent, or the sender was closed meanwhile.
   *   Such an attempt is interrupted, not failed.
   */
  async sendDelivery(request: DeliveryRequest): Promise<AttemptOutcome> {
    const started = performance.now();
    const check = checkEndpointUrl(request.url, this.options);
    if (!check.ok) return refused();
    const exchange = this.post(check.url, request);
    const error = await exchange.ended.then(() => null, errorUnlessOurs);
    if (this.closing.signal.aborted)
      throw new Error('The sender was closed while a delivery was under way.');
    return {
      status: exchange.answer.status,
      error: error === null ? null : errorCode(error),
      durationMs: Math.round(performance.now() - started),
      responseSnippet: snippet(exchange.answer),
      retryAfter: exchange.answer.retryAfter,
    };
  }

  /** Cuts every connection. Call it once the deliveries under way have ended. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.agent.destroy();
  }

  private post(url: URL, { headers, body, timeoutMs }: DeliveryRequest): DeliveryHttpRequest {
    const exchange = new DeliveryHttpRequest(timeoutMs);
    const { origin, pathname, search } = url;
    this.agent.dispatch(
      { origin, path: pathname + search, method: 'POST', headers, body },
      exchange,
    );
    return exchange;
  }
}

/** Our own guard's answer: nothing was sent. */
function refused(): AttemptOutcome {
  const error = 'address_refused';
  return { status: null, error, durationMs: 0, responseSnippet: null, retryAfter: null };
}

function snippet({ chunks, compressed }: Answer): string | null {
  if (chunks.length === 0) return null;
  // Inflating is what a gzip bomb waits for, and the packed bytes tell nobody anything.
  return compressed ? '(compressed answer, not shown)' : receiverText(Buffer.concat(chunks));
}

/** Passes a network failure on as a value; a request that undici would not send is our own error. */
function errorUnlessOurs(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && error.code === 'UND_ERR_INVALID_ARG')
    throw error;
  return error;
}
