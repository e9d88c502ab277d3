import { ConnectionError, errorOf, type ApiError, type Issue } from './errors.ts';

export interface ClientOptions {
  /** `svc_live_…` or `svc_test_…`. Without a key you can read only metadata, categories, health checks and the OpenAPI document. */
  apiKey?: string | undefined;
  /** The URL of the service, without `/api/v1`. */
  baseUrl: string;
  /** How often a failed request is retried. Defaults to 3. */
  retries?: number;
  /** The longest delay before a retry, in milliseconds. If `Retry-After` is longer, the error is thrown. Defaults to 61,000. */
  maxRetryDelay?: number;
  /** The time limit of each try in milliseconds, including its upload and download. Defaults to 30,000. */
  timeout?: number;
  /** Replaces the global `fetch`, for example to use a proxy. */
  fetch?: typeof fetch;
}

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call, including its delays before retries. */
  signal?: AbortSignal;
  /** Overrides the client's `retries` for this call. */
  retries?: number;
  /** Overrides the client's `timeout` for this call, for example for a large file. */
  timeout?: number;
  /** Receives the successful response, for example to read its `ETag`. What it throws rejects the call. */
  onResponse?: (response: Response) => void;
}

/** Options of a call that changes something. */
export interface ChangeOptions extends CallOptions {
  /** The `ETag` of the version that you have read. If it is stale, nothing is changed and a PreconditionFailedError is thrown. */
  ifMatch?: string;
}

/** Options of a call that creates something. */
export interface CreateOptions extends CallOptions {
  /**
   * The request's Idempotency-Key. By default each call makes its own, so that its retries create nothing twice. Pass one if
   * the call itself may be repeated, for example by a job that runs again.
   */
  idempotencyKey?: string;
}

export interface Call extends ChangeOptions {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to `/api/v1`, for example `/quizzes`; or a path that begins with `/health/`. */
  path: string;
  /** Lists are joined by commas; undefined and null values are omitted. */
  query?: object;
  /** Sent as JSON. */
  body?: object;
  /** Sent unchanged, instead of `body`. */
  file?: string | Blob | Uint8Array<ArrayBuffer>;
  /** Return the body of the response as text, whatever its type. */
  asText?: boolean;
  /** Return the body of the response as a Blob. */
  asBlob?: boolean;
  /** Makes a POST safe to retry. */
  idempotencyKey?: string;
  /** The request is safe to retry although it is a POST without an Idempotency-Key. */
  repeatable?: boolean;
}

/** Errors that are often temporary: requests that are safe to repeat are retried. */
const TEMPORARY = [500, 502, 503, 504];

/** Sends requests, and retries them where that is safe and can help. */
export class Transport {
  private readonly options: Required<Omit<ClientOptions, 'apiKey'>> & { apiKey?: string };

  constructor(options: ClientOptions) {
    const { apiKey, baseUrl, retries = 3, maxRetryDelay = 61_000, timeout = 30_000 } = options;
    const send = options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
    this.options = {
      ...(apiKey !== undefined && { apiKey }),
      baseUrl: withoutSlashes(baseUrl),
      retries,
      maxRetryDelay,
      timeout,
      fetch: send,
    };
  }

  /** @throws ApiError, ConnectionError, and the reason of `signal` when it aborts the call */
  async send<Body>(call: Call): Promise<Body> {
    for (let tries = 0; ; tries++) {
      const outcome = await this.try<Body>(call);
      if ('body' in outcome) {
        // Not in `try`: an error of the caller is not a ConnectionError, and must not cause a retry.
        call.onResponse?.(outcome.response);
        return outcome.body;
      }
      call.signal?.throwIfAborted();
      const delay = this.delayBefore(outcome.error, call, tries);
      if (delay === null) throw outcome.error;
      await pause(delay, call.signal);
    }
  }

  private async try<Body>(
    call: Call,
  ): Promise<{ body: Body; response: Response } | { error: ApiError | ConnectionError }> {
    const { apiKey, fetch: send } = this.options;
    const { timeout = this.options.timeout } = call;
    const headers: Record<string, string> = {
      Accept: call.asText || call.asBlob ? '*/*' : 'application/json',
    };
    if (apiKey !== undefined) headers.Authorization = `Bearer ${apiKey}`;
    if (call.body) headers['Content-Type'] = 'application/json';
    else if (call.file !== undefined) headers['Content-Type'] = 'application/octet-stream';
    if (call.idempotencyKey !== undefined) headers['Idempotency-Key'] = call.idempotencyKey;
    if (call.ifMatch !== undefined) headers['If-Match'] = call.ifMatch;
    const late = AbortSignal.timeout(timeout);
    try {
      const response = await send(this.addressOf(call), {
        method: call.method,
        headers,
        signal: call.signal ? AbortSignal.any([call.signal, late]) : late,
        ...(call.body
          ? { body: JSON.stringify(call.body) }
          : call.file !== undefined && { body: call.file }),
      });
      // The connection can also break while the body is read.
      if (response.ok && call.asBlob) return { body: (await response.blob()) as Body, response };
      const text = await response.text();
      if (!response.ok) return { error: refusalOf(response, text) };
      const body = (call.asText || text === '' ? text : JSON.parse(text)) as Body;
      return { body, response };
    } catch (cause) {
      const why = late.aborted ? `no complete response within ${timeout} ms` : reasonOf(cause);
      const message = `${call.method} ${call.path}: ${why}`;
      return { error: new ConnectionError(message, { cause }) };
    }
  }

  private addressOf({ path, query = {} }: Call): string {
    const parameters = Object.entries(query)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, Array.isArray(value) ? listOf(value) : String(value)]);
    const search = new URLSearchParams(parameters).toString();
    const prefix = path.startsWith('/health/') ? '' : '/api/v1';
    return `${this.options.baseUrl}${prefix}${path}${search ? `?${search}` : ''}`;
  }

  /** Milliseconds until the next try; null if there is none. */
  private delayBefore(error: ApiError | ConnectionError, call: Call, tries: number): number | null {
    const { retries, maxRetryDelay } = this.options;
    if (tries >= (call.retries ?? retries)) return null;
    const repeatable =
      call.method === 'GET' || call.idempotencyKey !== undefined || call.repeatable === true;
    // Half a second, one, two, …, with jitter so that clients do not retry all at once.
    let delay = Math.min(625 * 2 ** tries, maxRetryDelay) * (0.8 + Math.random() / 5);
    if (error instanceof ConnectionError) {
      if (!repeatable) return null;
    } else if (error.status === 429) {
      // A request over the rate limit was not processed, so any request is safe to retry.
      delay = (error.retryAfter ?? 60) * 1_000;
    } else if (error.status === 409 && error.retryAfter !== null) {
      delay = error.retryAfter * 1_000;
    } else if (TEMPORARY.includes(error.status) && repeatable) {
      delay = Math.max(delay, (error.retryAfter ?? 0) * 1_000);
    } else return null;
    return delay <= maxRetryDelay ? delay : null;
  }
}

/** The error of fetch says only `fetch failed`; its cause says why. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as {
    message?: string;
    cause?: { message?: string; code?: string };
  };
  return [message ?? String(error), cause?.code ?? cause?.message].filter(Boolean).join(': ');
}

function refusalOf(response: Response, text: string): ApiError {
  const { error, details } = envelopeIn(text);
  const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
  return errorOf({
    status: response.status,
    // The response of a proxy has no envelope.
    message: error ?? `The response was ${response.status} ${response.statusText}`.trim(),
    details: details ?? [],
    requestId: response.headers.get('x-request-id'),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
    etag: response.headers.get('etag'),
    code: response.headers.get('x-error-code'),
  });
}

function envelopeIn(text: string): { error?: string; details?: Issue[] } {
  try {
    const { error, details } = JSON.parse(text) as { error?: unknown; details?: unknown };
    return {
      ...(typeof error === 'string' && { error }),
      ...(Array.isArray(details) && { details: details as Issue[] }),
    };
  } catch {
    return {};
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Joins values with commas; commas and backslashes within a value are escaped with a backslash. */
const listOf = (values: unknown[]): string =>
  values.map((value) => String(value).replace(/[\\,]/g, '\\$&')).join(',');

/** An id in a path. An empty one, `.` and `..` would lead to another path; nothing has an id that begins with a space. */
export const part = (id: string): string =>
  encodeURIComponent(/^\.{0,2}$/.test(id) ? ` ${id}` : id);

/** Browsers have `crypto.randomUUID` only on pages with HTTPS. */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/** The `data` of a response. */
export async function dataOf<Data>(transport: Transport, call: Call): Promise<Data> {
  const { data } = await transport.send<{ data: Data }>(call);
  return data;
}

/** Setting the same values twice is harmless, but a repetition with `ifMatch`, and a second DELETE, would be refused. */
export function changing(
  method: 'PATCH' | 'PUT' | 'DELETE',
  path: string,
  body: object | undefined,
  options: ChangeOptions = {},
): Call {
  const repeatable = method !== 'DELETE' && options.ifMatch === undefined;
  return { ...options, method, path, repeatable, ...(body && { body }) };
}

/** Without those at its end. */
function withoutSlashes(url: string): string {
  let end = url.length;
  while (url.endsWith('/', end)) end--;
  return url.slice(0, end);
}
