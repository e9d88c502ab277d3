import { setMaxListeners } from 'node:events';
import { Agent } from 'undici';
import { type AttemptOutcome, errorCode } from '../deliveries/attempt-outcome';
import { checkEndpointUrl } from '../endpoints/endpoint.rules';
import { DeliveryHttpRequest } from './delivery-request';
import { guardedConnector, type ReceiverAccess } from './guarded-connector';
import { CONNECTIONS_PER_ORIGIN } from './sending-limits';

/** One POST to make. */
export interface DeliveryRequest {
  readonly url: string;
  /** The stored bytes: exactly what was signed is sent. */
  readonly body: string | Buffer;
  /** From `deliveryHeaders`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Over DNS, connect, TLS, headers and body together (part 8: 30 000). Milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Makes delivery attempts (part 6, delivery request). One per process: its connections are kept for two seconds
 * between deliveries, and one receiver's never wait for another's.
 */
export class DeliverySender {
  private readonly agent: Agent;
  private readonly closing = new AbortController();

  constructor(private readonly access: ReceiverAccess) {
    // One listener per connection.
    setMaxListeners(0, this.closing.signal);
    this.agent = new Agent({
      connect: guardedConnector(access, this.closing.signal),
      connections: CONNECTIONS_PER_ORIGIN,
      pipelining: 1,
      // Short, so that a receiver that closes idle connections does not cost an attempt.
      keepAliveTimeout: 2_000,
      keepAliveMaxTimeout: 2_000,
      // The one deadline of `sendDelivery` replaces these.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16 * 1024,
      allowH2: false,
    });
  }

  /**
   * Makes one attempt and returns its outcome; a receiver cannot make it throw. Redirects are responses like any
   * other, never followed. At most 4 KiB of the response are read; then the connection is closed and the status
   * counts. A status whose body breaks off or exceeds the timeout has an `error` as well and is no acknowledgement.
   * @throws Error for errors of our own: headers that cannot be sent, or the sender was closed meanwhile. Such an
   *   attempt is interrupted, not failed.
   */
  async sendDelivery({ url, ...request }: DeliveryRequest): Promise<AttemptOutcome> {
    const started = performance.now();
    const check = checkEndpointUrl(url, this.access);
    if (!check.ok) return ADDRESS_REFUSED;
    const { origin, pathname, search } = check.url;
    const { headers, body } = request;
    const exchange = new DeliveryHttpRequest(request.timeoutMs);
    this.agent.dispatch(
      { origin, path: pathname + search, method: 'POST', headers, body },
      exchange,
    );
    const error = await exchange.ended.then(() => null, errorOfReceiver);
    if (this.closing.signal.aborted)
      throw new Error('The sender was closed while a delivery was under way.');
    return {
      status: exchange.status,
      error: error === null ? null : errorCode(error),
      durationMs: Math.round(performance.now() - started),
      responseSnippet: exchange.snippet,
      retryAfter: exchange.retryAfter,
    };
  }

  /** Closes every connection. Call it when the current deliveries have ended. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.agent.destroy();
  }
}

/** Our own guard refused the URL: nothing was sent. */
const ADDRESS_REFUSED: AttemptOutcome = {
  status: null,
  error: 'address_refused',
  durationMs: 0,
  responseSnippet: null,
  retryAfter: null,
};

/** Returns a network failure as a value; a request that undici does not send is an error of our own. */
function errorOfReceiver(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && error.code === 'UND_ERR_INVALID_ARG')
    throw error;
  return error;
}
