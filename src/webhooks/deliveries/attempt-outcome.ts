/**
 * Why an attempt failed without a usable response. These fixed codes are all that users, logs and the
 * database ever see: never a resolver's detail, an address or a library's message.
 *
 * - `timeout`: no complete response within the time-out (DNS, connect, TLS, headers and body together)
 * - `dns_error`: the host name has no address, or its name servers do not respond
 * - `connection_refused`: nothing listens on the port
 * - `connection_reset`: the receiver closed or reset the connection before its response was complete
 * - `tls_error`: the handshake failed or the certificate is not valid for the host
 * - `address_refused`: our own guard refused the URL or an address of its host
 * - `response_too_large`: the receiver sent more raw bytes than a response may have
 * - `protocol_error`: what came back is not HTTP as we can read it
 * - `network_error`: any other network failure, for example no route to the host
 */
export type AttemptErrorCode =
  | 'timeout'
  | 'dns_error'
  | 'connection_refused'
  | 'connection_reset'
  | 'tls_error'
  | 'address_refused'
  | 'response_too_large'
  | 'protocol_error'
  | 'network_error';

/** The result of one POST to a receiver (part 6, delivery request and retry policy). */
export interface AttemptOutcome {
  /** The HTTP status once headers have arrived, kept even when the body then failed; else null. */
  readonly status: number | null;
  /** Null if the response was complete, whatever the status. */
  readonly error: AttemptErrorCode | null;
  /** Whole milliseconds from the start, DNS included, to the end of the response. */
  readonly durationMs: number;
  /** The start of the receiver's response as plain text, at most 4096 characters; null when empty. */
  readonly responseSnippet: string | null;
  /** The `Retry-After` header as sent, printable ASCII of at most 64 characters; else null. */
  readonly retryAfter: string | null;
}

/**
 * Whether the receiver acknowledged: a complete 2xx response (part 6, receiving rule 2). A 2xx whose body then times
 * out or breaks off does not count, since the timeout covers the body too.
 */
export function isAcknowledged(outcome: Pick<AttemptOutcome, 'status' | 'error'>): boolean {
  const { status, error } = outcome;
  return error === null && status !== null && status >= 200 && status <= 299;
}

/** An attempt's failure before it becomes `AttemptOutcome.error`. The message is the code. */
export class AttemptError extends Error {
  constructor(readonly code: AttemptErrorCode) {
    super(code);
  }
}

/** Node's (`E…`) and undici's (`UND_ERR_…`) codes for these failures. OpenSSL's codes are in `TLS_CODE`. */
const CODES: Readonly<Record<string, AttemptErrorCode>> = {
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  EPROTO: 'tls_error',
  UND_ERR_HEADERS_OVERFLOW: 'protocol_error',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol_error',
};

/** A failed handshake, or an invalid certificate. */
const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_|HOSTNAME_|INVALID_|PATH_LENGTH_)/;

/** The code for an error that undici, Node or the guard threw during a delivery. */
export function errorCode(error: unknown): AttemptErrorCode {
  if (error instanceof AttemptError) return error.code;
  // By shape, not instanceof: errors of Node's core come from another realm under Jest.
  const { code = '', name, message } = error as NodeJS.ErrnoException;
  // One code for two cases: bytes that are not an HTTP response, and a peer that closed the connection.
  if (code === 'UND_ERR_SOCKET')
    return message.startsWith('bad ') ? 'protocol_error' : 'connection_reset';
  // undici's parser errors carry no code (7.30).
  if (name === 'HTTPParserError') return 'protocol_error';
  return CODES[code] ?? (TLS_CODE.test(code) ? 'tls_error' : 'network_error');
}
