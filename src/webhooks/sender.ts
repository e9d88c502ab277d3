import { Agent, type Dispatcher } from 'undici';
import { AttemptError, type AttemptOutcome } from './attempt-outcome';
import { errorCode } from './error-code';
import { guardedConnector } from './guarded-connector';
import type { ResolveHost } from './guarded-lookup';
import { receiverHeader, receiverText, SNIPPET_BYTES } from './receiver-text';
import { checkEndpointUrl } from './safe-url';

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

/** What is known of an answer so far: a deadline keeps it. */
interface Answer {
  status: number | null;
  retryAfter: string | null;
  compressed: boolean;
  chunks: Buffer[];
}

/**
 * Makes delivery attempts (part 6, delivery request). One per process: its connections are kept for
 * two seconds between deliveries, and one receiver's never wait for another's.
 */
export class DeliverySender {
  private readonly agent: Agent;
  private closed = false;

  constructor(private readonly options: DeliverySenderOptions) {
    this.agent = new Agent({
      connect: guardedConnector(options),
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
   * @throws Error for faults of ours: headers that cannot be sent, or the sender was closed meanwhile.
   *   Such an attempt is interrupted, not failed.
   */
  async sendDelivery(request: DeliveryRequest): Promise<AttemptOutcome> {
    const started = performance.now();
    const answer: Answer = { status: null, retryAfter: null, compressed: false, chunks: [] };
    const error = await this.exchange(request, answer).then(() => null, errorUnlessOurs);
    if (this.closed) throw new Error('The sender was closed while a delivery was under way.');
    return {
      status: answer.status,
      error: error === null ? null : errorCode(error),
      durationMs: Math.round(performance.now() - started),
      responseSnippet: snippet(answer),
      retryAfter: answer.retryAfter,
    };
  }

  /** Cuts every connection. Call it once the deliveries under way have ended. */
  async close(): Promise<void> {
    this.closed = true;
    await this.agent.destroy();
  }

  private async exchange(request: DeliveryRequest, answer: Answer): Promise<void> {
    const check = checkEndpointUrl(request.url, this.options);
    if (!check.ok) throw new AttemptError('address_refused');

    const deadline = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const expiry = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        const timeout = new AttemptError('timeout');
        deadline.abort(timeout);
        reject(timeout);
      }, request.timeoutMs);
    });
    try {
      // undici heeds the signal only once connected: while it resolves and connects the race does.
      await Promise.race([this.post(check.url, request, answer, deadline.signal), expiry]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async post(
    url: URL,
    request: DeliveryRequest,
    answer: Answer,
    signal: AbortSignal,
  ): Promise<void> {
    const response = await this.agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: request.headers,
      body: Buffer.from(request.body),
      signal,
    });
    answer.status = response.statusCode;
    answer.retryAfter = receiverHeader(response.headers['retry-after']);
    answer.compressed = !/^(identity)?$/.test(String(response.headers['content-encoding'] ?? ''));
    await readStart(response.body, answer.chunks);
  }
}

/**
 * Reads up to the cap, then cuts the connection: a flood costs one chunk more than the cap. By events: an
 * async iterator took a fifth of a POST's CPU time.
 */
function readStart(body: Dispatcher.ResponseData['body'], chunks: Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let size = 0;
    // What comes after the first of these changes nothing: undici reports the cut as an error too.
    body.on('error', reject).once('end', resolve);
    body.once('close', () => reject(new AttemptError('connection_reset')));
    body.on('data', (chunk: Buffer) => {
      if (size >= SNIPPET_BYTES) return;
      chunks.push(chunk.subarray(0, SNIPPET_BYTES - size));
      size += chunk.length;
      if (size < SNIPPET_BYTES) return;
      resolve();
      body.destroy();
    });
  });
}

function snippet({ chunks, compressed }: Answer): string | null {
  if (chunks.length === 0) return null;
  // Inflating is what a gzip bomb waits for, and the packed bytes tell nobody anything.
  return compressed ? '(compressed answer, not shown)' : receiverText(Buffer.concat(chunks));
}

/** Passes a network failure on as a value; a request that undici would not send is our own fault. */
function errorUnlessOurs(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && error.code === 'UND_ERR_INVALID_ARG')
    throw error;
  return error;
}
