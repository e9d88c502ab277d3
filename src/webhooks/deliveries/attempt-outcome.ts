/**
 * Why an attempt failed without a usable answer. These fixed words are all that users, logs and the
 * database ever see: never a resolver's detail, an address or a library's message.
 *
 * - `timeout`: no complete answer within the time-out (DNS, connect, TLS, headers and body together)
 * - `dns_error`: the host name has no address, or its name servers do not answer
 * - `connection_refused`: nothing listens on the port
 * - `connection_reset`: the receiver closed or reset the connection before its answer was complete
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

/** What one POST to a receiver came to (part 6, delivery request and retry policy). */
export interface AttemptOutcome {
  /** The HTTP status once headers have arrived, kept even when the body then failed; else null. */
  readonly status: number | null;
  /** Null when the exchange was complete, whatever the status. */
  readonly error: AttemptErrorCode | null;
  /** Whole milliseconds from the start, DNS included, to the end of the exchange. */
  readonly durationMs: number;
  /** The start of the receiver's answer as plain text, at most 4096 characters; null when empty. */
  readonly responseSnippet: string | null;
  /** The `Retry-After` header as sent, printable ASCII of at most 64 characters; else null. */
  readonly retryAfter: string | null;
}

/** An attempt's failure on its way to becoming `AttemptOutcome.error`. The message is the code. */
export class AttemptError extends Error {
  constructor(readonly code: AttemptErrorCode) {
    super(code);
    this.name = 'AttemptError';
  }
}

/**
 * Whether the receiver acknowledged: a complete 2xx answer (part 6, receiving rule 2). A 2xx whose
 * body then times out or breaks off is not one, since the time-out covers the body too.
 */
export function isAcknowledged(outcome: Pick<AttemptOutcome, 'status' | 'error'>): boolean {
  const { status, error } = outcome;
  return error === null && status !== null && status >= 200 && status <= 299;
}
