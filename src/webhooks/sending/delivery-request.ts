import type { Dispatcher } from 'undici';
import { AttemptError } from '../deliveries/attempt-outcome';
import { receiverHeader, SNIPPET_BYTES } from './receiver-text';

/** What is known of an answer so far: a deadline keeps it. */
export interface Answer {
  status: number | null;
  retryAfter: string | null;
  compressed: boolean;
  chunks: Buffer[];
}

/**
 * One POST and the start of its answer, as undici reports it. As a dispatch handler, because the request API's
 * stream, abort signal and promises took as much CPU time as everything else of a POST together.
 */
export class DeliveryHttpRequest implements Dispatcher.DispatchHandler {
  readonly answer: Answer = { status: null, retryAfter: null, compressed: false, chunks: [] };
  /** Settles when the answer is complete, its start has been read, or the exchange has failed. */
  readonly ended: Promise<void>;

  private size = 0;
  private controller?: Dispatcher.DispatchController;
  private reason?: AttemptError;
  private readonly timer: NodeJS.Timeout;
  private resolve!: () => void;
  private reject!: (error: unknown) => void;

  /** @param timeoutMs over DNS, connect, TLS, headers and body together */
  constructor(timeoutMs: number) {
    this.ended = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = setTimeout(() => this.expire(), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // undici tells of its controller only once connected: what expired before is not sent.
    if (this.reason) controller.abort(this.reason);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.answer.status = status;
    this.answer.retryAfter = receiverHeader(headers['retry-after']);
    this.answer.compressed = !/^(identity)?$/.test(String(headers['content-encoding'] ?? ''));
  }

  /** Reads up to the cap, then cuts the connection: a flood costs one chunk more than the cap. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.size >= SNIPPET_BYTES) return;
    this.answer.chunks.push(chunk.subarray(0, SNIPPET_BYTES - this.size));
    this.size += chunk.length;
    if (this.size < SNIPPET_BYTES) return;
    this.finish();
    controller.abort(new AttemptError('connection_reset'));
  }

  onResponseEnd(): void {
    this.finish();
  }

  onResponseError(_controller: unknown, error: Error): void {
    clearTimeout(this.timer);
    this.reject(error);
  }

  private finish(): void {
    clearTimeout(this.timer);
    this.resolve();
  }

  private expire(): void {
    this.reason = new AttemptError('timeout');
    this.reject(this.reason);
    this.controller?.abort(this.reason);
  }
}
