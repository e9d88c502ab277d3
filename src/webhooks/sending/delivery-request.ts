import type { Dispatcher } from 'undici';
import { AttemptError } from '../deliveries/attempt-outcome';

/** How much of a receiver's response is kept, in bytes. */
const SNIPPET_BYTES = 4096;

/**
 * One POST and the start of its response, as undici reports it. As a dispatch handler, because the request API's
 * stream, abort signal and promises took as much CPU time as everything else of a POST together.
 */
export class DeliveryHttpRequest implements Dispatcher.DispatchHandler {
  /** Settles when the response is complete, its start has been read, or the request has failed. */
  readonly ended: Promise<void>;
  status: number | null = null;
  retryAfter: string | null = null;

  private compressed = false;
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private controller?: Dispatcher.DispatchController;
  private expired?: AttemptError;
  private readonly timer: NodeJS.Timeout;
  private expiring?: NodeJS.Immediate;
  private resolve!: () => void;
  private reject!: (error: unknown) => void;

  /** @param timeoutMs over DNS, connect, TLS, headers and body together */
  constructor(timeoutMs: number) {
    this.ended = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // The event loop reads before immediates and after timers: what arrived in time counts, however late a busy or paused
    // process reads it. The receiver would get an event again that it has acknowledged.
    this.timer = setTimeout(() => (this.expiring = setImmediate(this.expire)), timeoutMs);
  }

  private readonly expire = (): void => {
    this.expired = new AttemptError('timeout');
    this.reject(this.expired);
    this.controller?.abort(this.expired);
  };

  private stopTimer(): void {
    clearTimeout(this.timer);
    clearImmediate(this.expiring);
  }

  /** The start of the response so far, for the log of attempts. */
  get snippet(): string | null {
    if (this.size === 0) return null;
    // A compressed body is not inflated (gzip bombs), and its compressed bytes are of no use to anybody.
    return this.compressed
      ? '(compressed response, not shown)'
      : receiverText(Buffer.concat(this.chunks));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // undici provides its controller only once connected: a request that expired before is not sent.
    if (this.expired) controller.abort(this.expired);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.status = status;
    this.retryAfter = receiverHeader(headers['retry-after']);
    this.compressed = !/^(identity)?$/.test(String(headers['content-encoding'] ?? ''));
  }

  /** Reads up to the cap, then closes the connection: a flood costs one chunk more than the cap. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.size >= SNIPPET_BYTES) return;
    this.chunks.push(chunk.subarray(0, SNIPPET_BYTES - this.size));
    this.size += chunk.length;
    if (this.size < SNIPPET_BYTES) return;
    this.onResponseEnd();
    controller.abort(new AttemptError('connection_reset'));
  }

  onResponseEnd(): void {
    this.stopTimer();
    this.resolve();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.stopTimer();
    this.reject(error);
  }
}

/**
 * Turns the start of a receiver's response into text that is safe to store and, escaped, to show (part 6: failed
 * deliveries can be viewed). Invalid UTF-8 becomes U+FFFD; control characters other than line feed and tab are
 * removed (PostgreSQL cannot store NUL, escape sequences take over terminals), as are characters that reverse the
 * direction of text.
 * @param bytes only the first 4096 are read
 * @returns well-formed text of at most 4096 UTF-16 units; null if nothing is left
 */
export function receiverText(bytes: Uint8Array): string | null {
  const kept = bytes.subarray(0, SNIPPET_BYTES);
  // `stream` drops a character that the cap has cut in two, which would otherwise become U+FFFD. The decoder returns
  // no lone surrogates and never more units than bytes, so no further check is needed.
  const text = new TextDecoder('utf-8').decode(kept, { stream: bytes.length >= SNIPPET_BYTES });
  return text.replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, '') || null;
}

/** A receiver's header value if it is short printable ASCII, else null. */
export function receiverHeader(value: string | string[] | undefined): string | null {
  return typeof value === 'string' && /^[\x20-\x7e]{1,64}$/.test(value) ? value : null;
}
