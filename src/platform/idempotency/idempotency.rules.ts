import { createHash } from 'node:crypto';
import { DAY } from '../durations';
import { DomainError, Malformed } from '../errors/domain-errors';

/** How long a key stands for the request that it came with: a day, in milliseconds. */
export const KEY_LASTS = DAY;

/** In characters. */
export const LONGEST_KEY = 255;

/** Visible ASCII, which every client can send and every log can show. */
const KEY = /^[\x21-\x7e]+$/;

export const INVALID_KEY = `Idempotency-Key must be 1 to ${LONGEST_KEY} visible ASCII characters without spaces, and be sent once. Use a random UUID, for example.`;

/**
 * The value of the header `Idempotency-Key`; null if it was not sent. If it was sent twice, it arrives with a comma
 * and a space, and is therefore refused as well.
 * @throws Malformed
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && header.length <= LONGEST_KEY && KEY.test(header)) return header;
  throw new Malformed(INVALID_KEY, 'invalid-idempotency-key');
}

/**
 * What makes two requests the same: method, path and the JSON of the body, ignoring white space. Headers and the
 * query do not count, because an API key may be sent in either. POST /imports makes its own fingerprint
 * (imports.service.ts), for which the file and the options in the query count.
 */
export function fingerprintOf(request: { method: string; path: string; body: unknown }): Buffer {
  return createHash('sha256')
    .update(`${request.method} ${request.path}\n`)
    .update(JSON.stringify(request.body) ?? '')
    .digest();
}

/** The number of the advisory lock for an account's key: 64 bits as PostgreSQL writes them. */
export function lockOf(accountId: string, key: string): string {
  return createHash('sha256').update(`${accountId}\n${key}`).digest().readBigInt64BE().toString();
}

/** The key was used for another request: a mistake of the client that repeating does not fix. */
export class KeyReused extends DomainError {
  constructor() {
    super(
      'invalid',
      'idempotency-key-reused',
      'This Idempotency-Key was used for another request in the last 24 hours. Repeat that request unchanged, or use a new key.',
    );
  }
}

/** The first request with the key has not ended. */
export class KeyInUse extends DomainError {
  constructor() {
    super(
      'conflict',
      'idempotency-key-in-use',
      'The first request with this Idempotency-Key is still in progress. Repeat it in a second to get its response.',
      undefined,
      1,
    );
  }
}

/** The request was done; its response was dropped to make room for later ones. */
export class ResponseDropped extends DomainError {
  constructor() {
    super(
      'conflict',
      'response-dropped',
      'This request was already carried out and is not repeated. Its response is no longer stored: read what it changed to see the result.',
    );
  }
}

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  accountId: string;
  key: string;
  fingerprint: Buffer;
}
