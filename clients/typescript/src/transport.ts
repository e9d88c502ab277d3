import { ConnectionError, errorOf, type ApiError, type Issue } from './errors.ts';

export interface ClientOptions {
  /** `svc_live_…` or `svc_test_…`. Without one only metadata and categories can be read. */
  apiKey?: string | undefined;
  /** Where the service is, without `/api/v1`. */
  baseUrl: string;
  /** How often a request is tried again after the first time: 3 unless said otherwise. */
  retries?: number;
  /** The longest time to wait for another try, in milliseconds; who is asked to wait longer gets the error. 61 s. */
  maxRetryDelay?: number;
  /** For one try, in milliseconds: 30 s. */
  timeout?: number;
  /** Another `fetch` than the platform's. */
  fetch?: typeof fetch;
}

/** Of a single call. */
export interface CallOptions {
  /** Gives the call up, waiting times included. */
  signal?: AbortSignal;
  /** How often this call is tried again, in place of the client's `retries`. */
  retries?: number;
  /** Receives the response that succeeded, for example to read its `ETag`. */
  onResponse?: (response: Response) => void;
}

/** Of a call that changes something. */
export interface ChangeOptions extends CallOptions {
  /** The `ETag` of the version that you have read. If it is stale, nothing is changed: PreconditionFailedError. */
  ifMatch?: string;
}

export interface Call extends ChangeOptions {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`, for example `/quizzes`; or below `/health`. */
  path: string;
  /** Lists are joined by commas; what is undefined is left out. */
  query?: object;
  /** Sent as JSON. */
  body?: object;
  /** Sent as it is, in the place of `body`. */
  file?: string | Blob | Uint8Array<ArrayBuffer>;
  /** The answer is a file: its text is returned, whatever its type. */
  asText?: boolean;
  /** The answer is a file of bytes. */
  asBlob?: boolean;
  /** Makes a POST repeatable. */
  idempotencyKey?: string;
  /** Repeating it changes nothing, although it is a POST without a key. */
  repeatable?: boolean;
}

/** Answers that may be another one soon, of requests that may be repeated. */
const PASSING = [500, 502, 503, 504];

/** Sends requests, and sends them again where that is safe and helps. */
export class Transport {
  private readonly options: Required<Omit<ClientOptions, 'apiKey'>> & { apiKey?: string };

  constructor(options: ClientOptions) {
    const { apiKey, baseUrl, retries = 3, maxRetryDelay = 61_000, timeout = 30_000 } = options;
    const send = options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
    this.options = {
      ...(apiKey !== undefined && { apiKey }),
      baseUrl: baseUrl.replace(/(?<!\/)\/+$/, ''),
      retries,
      maxRetryDelay,
      timeout,
      fetch: send,
    };
  }

  /** @throws ApiError, ConnectionError; and `signal`'s own reason when it is given up */
  async send<Answer>(call: Call): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      const outcome = await this.try<Answer>(call);
      if ('answer' in outcome) {
        // Outside of the try: the caller's own error is none of the connection's, and must not repeat the request.
        call.onResponse?.(outcome.response);
        return outcome.answer;
      }
      call.signal?.throwIfAborted();
      const delay = this.delayBefore(outcome.error, call, tries);
      if (delay === null) throw outcome.error;
      await pause(delay, call.signal);
    }
  }

  private async try<Answer>(
    call: Call,
  ): Promise<{ answer: Answer; response: Response } | { error: ApiError | ConnectionError }> {
    const { apiKey, timeout, fetch: send } = this.options;
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
      // Also the reading of the body may break off.
      if (response.ok && call.asBlob)
        return { answer: (await response.blob()) as Answer, response };
      const text = await response.text();
      if (!response.ok) return { error: refusalOf(response, text) };
      const answer = (call.asText || text === '' ? text : JSON.parse(text)) as Answer;
      return { answer, response };
    } catch (cause) {
      const why = late.aborted ? `no answer within ${timeout} ms` : reasonOf(cause);
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

  /** Milliseconds until the next try; null where there is none. */
  private delayBefore(error: ApiError | ConnectionError, call: Call, tries: number): number | null {
    if (tries >= (call.retries ?? this.options.retries)) return null;
    const repeatable =
      call.method === 'GET' || call.idempotencyKey !== undefined || call.repeatable === true;
    // Half a second, one, two, … and not everybody at once.
    let delay = 500 * 2 ** tries * (1 + Math.random() / 4);
    if (error instanceof ConnectionError) {
      if (!repeatable) return null;
    } else if (error.status === 429) {
      // What is over the limit was not begun, so that anything may be sent again.
      delay = (error.retryAfter ?? 60) * 1_000;
    } else if (error.status === 409 && error.retryAfter !== null) {
      delay = error.retryAfter * 1_000;
    } else if (PASSING.includes(error.status) && repeatable) {
      delay = Math.max(delay, (error.retryAfter ?? 0) * 1_000);
    } else return null;
    return delay <= this.options.maxRetryDelay ? delay : null;
  }
}

/** fetch says `fetch failed`, and why only in its own cause. */
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
    // A proxy's answer has no envelope.
    message: error ?? `The answer was ${response.status} ${response.statusText}`.trim(),
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

/** Separated by commas; a comma or a backslash within a value has a backslash before it. */
const listOf = (values: unknown[]): string =>
  values.map((value) => String(value).replace(/[\\,]/g, '\\$&')).join(',');

export const part = (id: string): string => encodeURIComponent(id);

/** The `data` of a response. */
export async function dataOf<Data>(transport: Transport, call: Call): Promise<Data> {
  const { data } = await transport.send<{ data: Data }>(call);
  return data;
}
