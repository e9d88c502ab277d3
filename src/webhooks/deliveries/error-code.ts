import { AttemptError, type AttemptErrorCode } from './attempt-outcome';

const BY_CODE: Readonly<Record<string, AttemptErrorCode>> = {
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  EPROTO: 'tls_error',
  UND_ERR_HEADERS_OVERFLOW: 'protocol_error',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol_error',
};

/** OpenSSL's and Node's names for a failed handshake or a certificate that does not verify. */
const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_|HOSTNAME_|INVALID_|PATH_LENGTH_)/;

/** The fixed word for whatever undici, Node or the guard threw while a delivery was under way. */
export function errorCode(error: unknown): AttemptErrorCode {
  if (error instanceof AttemptError) return error.code;
  // By shape, not instanceof: errors of Node's core come from another realm under Jest.
  const {
    code: given,
    name,
    message,
  } = Object(error) as Partial<Record<keyof Error | 'code', unknown>>;
  const code = typeof given === 'string' ? given : '';
  const known = BY_CODE[code];
  if (known) return known;
  if (code === 'UND_ERR_SOCKET') {
    // One code for two things: bytes that are no answer to our request, and a peer that hung up.
    return String(message).startsWith('bad ') ? 'protocol_error' : 'connection_reset';
  }
  // undici's parser errors carry no code (7.30).
  if (name === 'HTTPParserError') return 'protocol_error';
  if (TLS_CODE.test(code)) return 'tls_error';
  return 'network_error';
}
